#!/usr/bin/env python3
"""The nine cases between two meshes (docs/redistribution.md, "Between meshes") on hosts of four ranks, whose links take 400 Mbit/s:
how near to the bound of the links they come, beside what others do, and that the links carry what the plan says.

    test_meshes.py MPIRUN PATH/TO/tessera_ranks [untimed] [CASE...]

`untimed` looks at the elements and at the links' bytes only, which no busy machine changes.
"""

import json
import math
import statistics
import sys
import unittest
from dataclasses import dataclass

from hosts import Hosts, HostsTest
from launches import RanksTest

BYTES_PER_SECOND = 400e6 / 8
RANKS = 4
TRIES = 2
LAUNCHES = 5
# Of the bound: each case, and all in the mean. What TCP adds to a packet is a twentieth of it.
SLOWEST = 1.15
MEAN = 1.10
WAYS = ["tessera", "sendrecv", "alpa", "naive"]
# Sixteen ranks share two cores: what one copies of another comes slowly.
DEVICE = {"name": "device", "count": RANKS, "bandwidth": 2.5e8, "latency": 2e-5}


@dataclass(frozen=True)
class Case:
    source: tuple
    target: tuple
    # How much longer than ours must it take that each device fetches what it needs, and that boxes are broadcast as they come?
    sendrecv: float
    naive: float
    shape: tuple = (256, 256, 256)

    def type_on(self, end):
        return "i32[" + ",".join(f"{n}@{axes}" if axes != "-" else str(n) for n, axes in zip(self.shape, end[1:])) + "]"

    def hosts(self):
        return self.source[0] + self.target[0]

    def request(self):
        first = RANKS * self.source[0]
        return {"mesh": f"x:{self.source[0]},y:{RANKS}",
                "to_mesh": f"x:{self.target[0]},y:{RANKS} on {first}:{first + RANKS * self.target[0]}",
                "from": self.type_on(self.source), "to": self.type_on(self.target)}


CASES = {
    "1": Case((2, "x", "-", "-"), (2, "x", "-", "-"), 3.3, 0.97),
    "2": Case((2, "-", "-", "-"), (2, "x", "-", "-"), 3.3, 1.3),
    "3": Case((2, "-", "x", "-"), (2, "x", "-", "-"), 3.3, 1.3),
    "4": Case((2, "-", "(x,y)", "-"), (2, "(x,y)", "-", "-"), 0.97, 1.3),
    "5": Case((2, "y", "-", "-"), (2, "x", "-", "-"), 3.3, 1.3),
    "6": Case((2, "x", "-", "-"), (3, "x", "-", "-"), 3.3, 1.3, (768, 256, 85)),
    "7": Case((1, "y", "-", "-"), (2, "-", "-", "-"), 6, 0.97),
    "8": Case((1, "y", "-", "-"), (2, "x", "-", "-"), 3.3, 0.97),
    "9": Case((2, "-", "x", "-"), (2, "-", "-", "x"), 3.3, 1.3),
}


class Crossings(HostsTest):
    ranks = None
    cases = list(CASES)
    timed = True

    def setUp(self):
        super().setUp()
        self.best = {}  # of every case, the shortest time of each way, and the bound

    def race(self, name):
        """Every way takes the array of a case across, turn about on the same hosts; the test program looks at the elements."""
        case = CASES[name]
        hosts = Hosts(count=case.hosts(), ranks=RANKS, rate=BYTES_PER_SECOND, burst=1 << 18)
        machine = [{"name": "host", "count": hosts.count, "bandwidth": BYTES_PER_SECOND, "latency": 5e-5}, DEVICE]
        requests = self.script(json.dumps(case.request()) + "\n", "requests")
        command = [self.ranks, "crossings", requests, self.script(json.dumps(machine), "machine.json"), TRIES, *WAYS]
        done = self.launch_on_hosts(command, hosts=hosts)
        self.assertEqual(done.status, 0, done.out + done.err)
        lines = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
        self.assertEqual([line["way"] for line in lines], WAYS)
        best = self.best.setdefault(name, {})
        for line in lines:
            best[line["way"]] = min([best.get(line["way"], math.inf), *line["seconds"]])
            best["bound"] = line["bound"]
            for received, planned in zip(line["received"], line["planned"]):
                # The hosts that get nothing get acknowledgements.
                self.assertLessEqual(abs(received - planned), 0.05 * max(planned, max(line["planned"]) / 4), line)
        print(name, {way: round(seconds / best["bound"], 3) for way, seconds in best.items() if way != "bound"}, file=sys.stderr)

    def missed(self, name):
        """What a case does not reach."""
        case, best = CASES[name], self.best[name]
        ours = best["tessera"]
        limits = {"bound": (ours / best["bound"], SLOWEST), "alpa": (ours / best["alpa"], 1.03),
                  "sendrecv": (case.sendrecv, best["sendrecv"] / ours), "naive": (case.naive, best["naive"] / ours)}
        return [f"{name}, {what}: {figure:.3f} > {limit:.3f}" for what, (figure, limit) in limits.items() if figure > limit]

    def mean(self):
        return statistics.geometric_mean(self.best[name]["tessera"] / self.best[name]["bound"] for name in self.cases)

    def test_crossings_take_what_their_links_need(self):
        for name in self.cases:
            launches = 0
            while launches == 0 or (self.timed and launches < LAUNCHES and self.missed(name)):
                self.race(name)
                launches += 1
        if not self.timed:
            return
        print(f"in the mean {self.mean():.3f} of the bound", file=sys.stderr)
        self.assertEqual([miss for name in self.cases for miss in self.missed(name)], [])
        self.assertGreater(min(best["tessera"] / best["bound"] for best in self.best.values()), 0.95, "the links are too fast")
        self.assertLessEqual(self.mean(), MEAN)


if __name__ == "__main__":
    RanksTest.mpirun, Crossings.ranks = sys.argv[1:3]
    Crossings.timed = "untimed" not in sys.argv[3:]
    Crossings.cases = [name for name in sys.argv[3:] if name != "untimed"] or list(CASES)
    unittest.main(argv=sys.argv[:1])
