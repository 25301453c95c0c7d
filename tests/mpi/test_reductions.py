#!/usr/bin/env python3
"""Sums on hosts whose links take 200 Mbit/s (docs/reductions.md, "Figures"): every program under every matrix, measured beside what
the model says on the calibrated machine; ours beside the rivals and MPI's own; and that the links carry what programs say.

    test_reductions.py MPIRUN PATH/TO/tessera PATH/TO/tessera_ranks [untimed | GRID...]

`untimed` looks at the elements and at the links' bytes only, which no busy machine changes.
"""

import json
import statistics
import sys
import unittest

from hosts import Hosts, HostsTest
from launches import RanksTest

BYTES_PER_SECOND = 200e6 / 8
BURST = 128 << 10
TOP = 10
FIRST_TEN = 0.95
# What the program that the model puts first takes over the fastest: in the mean of all requests, and at most.
REGRET, REGRET_MOST = 1.05, 1.15
# Two times that one program takes differ by more than that; so do times of programs that the model puts far apart.
SAME = 1.05
APART, RIGHT = 1.5, 0.98
# Over MPI as it comes, from so many bytes on; over any of its settings; and of what the links need at the speed that was measured.
SPEEDUP, LARGE = 1.27, 16 << 20
NEVER_SLOWER = 0.97
OF_BOUND = 1.15
PAYLOAD = 2 << 20
TRIES = 2
PAYLOADS = [1 << 10, 64 << 10, 1 << 20, 16 << 20]
# Hosts, ranks on each, and the sums on them.
GRIDS = {"2 of 2": (Hosts(2, 2), [("x:4", "x"), ("x:2,y:2", "x")]),
         "2 of 3": (Hosts(2, 3), [("x:6", "x"), ("x:2,y:3", "x")]),
         "2 of 4": (Hosts(2, 4), [("x:8", "x"), ("x:4,y:2", "x")]),
         "4 of 2": (Hosts(4, 2), [("x:8", "x"), ("x:4,y:2", "x")])}
# A link carries both directions at once only where messages do not wait for the word of their receivers (docs/running.md, "Recipes").
TRANSPORT = {"openmpi": {"btl_tcp_eager_limit": 4 << 20, "btl_tcp_max_send_size": 4 << 20}, "mpich": {"UCX_RNDV_THRESH": 8 << 20}}
# The settings by which MPI does something else.
SETTINGS = {"openmpi": {"": {}, "han": {"coll_han_priority": 100},
                        "simple han": {"coll_han_priority": 100, "coll_han_use_simple_allreduce": 1},
                        "recursive doubling": {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_allreduce_algorithm": 3},
                        "ring": {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_allreduce_algorithm": 4},
                        "segmented ring": {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_allreduce_algorithm": 5}},
            "mpich": {"": {}} | {name.replace("_", " "): {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": name}
                                 for name in ("smp", "recursive_doubling", "reduce_scatter_allgather")}}


def host_machine(hosts):
    return [{"name": "host", "count": hosts.count, "bandwidth": BYTES_PER_SECOND, "latency": 1e-4},
            {"name": "rank", "count": hosts.ranks, "bandwidth": 1e9, "latency": 1e-5}]


class Reductions(HostsTest):
    ranks = None
    timed = True
    hang = 900  # ninety programs, some of them four times as slow as the fastest
    grids = list(GRIDS)

    def shaped(self, hosts, rate=BYTES_PER_SECOND):
        return Hosts(count=hosts.count, ranks=hosts.ranks, rate=rate, burst=BURST)

    def kind(self):
        return "openmpi" if "openmpi" in self.mpirun else "mpich"

    def race(self, hosts, runs, tries, programs, machine=None, settings=None):
        """The lines of `tessera_ranks reductions` for each of the runs: a mesh, its summed axes and the bytes on a device. Without a
        machine it is calibrated first, and stays so for this test."""
        path = self.folder / "machine.json"
        launches = []
        if machine is not None:
            path.write_text(json.dumps(machine))
        elif not path.exists():
            launches.append(self.command("calibrate", "-o", path))
        launches += [[self.ranks, "reductions", path, mesh, summed, payload, tries, programs] for mesh, summed, payload in runs]
        words = []
        for name, value in (TRANSPORT[self.kind()] | (settings or {})).items():
            words += ["--mca" if self.kind() == "openmpi" else "-genv", name, value]
        done = self.launch_on_hosts(*[[*words, *launch] for launch in launches], hosts=hosts)
        self.assertEqual(done.status, 0, done.out + done.err)
        lines = [json.loads(line) for line in done.out.splitlines() if line.startswith('{"mesh"')]
        of_runs = [[line for line in lines if (line["mesh"], line["bytes"]) == (mesh, payload)] for mesh, _, payload in runs]
        self.assertTrue(all(of_runs), done.out)
        return of_runs

    def assert_links_as_planned(self, lines):
        counted = 0
        for line in lines:
            for received, planned in zip(line["received"], line["planned"]):
                # Hosts that get little get acknowledgements.
                self.assertLessEqual(abs(received - planned), 0.06 * max(planned, max(line["planned"]) / 4) + 20_000, line)
                counted += 1
        self.assertGreater(counted, 0)

    def test_links_carry_what_programs_say(self):
        hosts, sums = GRIDS["2 of 2"]
        runs = [(*each, 1 << 20) for each in sums]
        for lines in self.race(self.shaped(hosts, 1e9 / 8), runs, 1, "best" if self.timed else "all", host_machine(hosts)):
            self.assert_links_as_planned(lines)
            self.assertEqual({"tessera", "ring", "smp", "p2", "MPI_Allreduce"} - {line["way"] for line in lines}, set())

    # ---- Timed ----

    def ranked(self, lines):
        """Of every pair of a matrix and a program what the model says and what it takes."""
        return [(line["modelled"], min(line["seconds"])) for line in lines if line["way"] == "listed"]

    def test_the_model_ranks_programs(self):
        if not self.timed:
            self.skipTest("untimed")
        hits, right, regrets, left_out = [], [], [], 0
        for grid, (hosts, sums) in GRIDS.items():
            if grid not in self.grids:
                continue
            (self.folder / "machine.json").unlink(missing_ok=True)
            runs = [(*each, PAYLOAD) for each in sums]
            for (mesh, summed), lines in zip(sums, self.race(self.shaped(hosts), runs, TRIES, "all")):
                pairs = self.ranked(lines)
                if len(pairs) < 11:
                    left_out += 1
                    continue
                best = min(seconds for _, seconds in pairs)
                # Equal predictions are one rank.
                ranks = sorted({round(modelled, 7) for modelled, _ in pairs})
                first_ten = [seconds for modelled, seconds in pairs if round(modelled, 7) <= ranks[min(TOP, len(ranks)) - 1]]
                first = [seconds for modelled, seconds in pairs if round(modelled, 7) == ranks[0]]
                hits.append(min(first_ten) <= SAME * best)
                right += [a[1] < b[1] for a in pairs for b in pairs if APART * a[0] < b[0]]
                regrets.append(min(first) / best)
                print(grid, mesh, summed, len(pairs), "pairs, first ten", hits[-1], "regret", round(regrets[-1], 3), file=sys.stderr)
        print(f"{left_out} requests of fewer than 11 pairs left out; {sum(right) / len(right):.4f} of {len(right)} in the right order",
              file=sys.stderr)
        self.assertGreaterEqual(sum(hits) / len(hits), FIRST_TEN)
        self.assertGreaterEqual(sum(right) / len(right), RIGHT)
        self.assertLessEqual(statistics.mean(regrets), REGRET, regrets)
        self.assertLessEqual(max(regrets), REGRET_MOST, regrets)

    def test_ours_beside_mpi(self):
        if not self.timed:
            self.skipTest("untimed")
        speedups = []
        for grid, (hosts, sums) in GRIDS.items():
            if grid not in self.grids:
                continue
            (self.folder / "machine.json").unlink(missing_ok=True)
            for setting, values in SETTINGS[self.kind()].items():
                runs = [(*sums[0], payload) for payload in PAYLOADS]
                for payload, lines in zip(PAYLOADS, self.race(self.shaped(hosts), runs, 5, "best", settings=values)):
                    ours, theirs = (min(min(line["seconds"]) for line in lines if line["way"] == way)
                                    for way in ("tessera", "MPI_Allreduce"))
                    bound = min(line["bound"] for line in lines)
                    print(grid, setting, payload, f"ours {ours:.6f} MPI {theirs:.6f}: {theirs / ours:.3f}, of the bound {ours / bound:.3f}",
                          file=sys.stderr)
                    if payload < LARGE:
                        continue
                    self.assertGreaterEqual(theirs / ours, NEVER_SLOWER, (grid, setting))
                    self.assertLessEqual(ours / bound, OF_BOUND, (grid, setting))
                    if not setting:
                        speedups.append(theirs / ours)
        self.assertGreaterEqual(statistics.geometric_mean(speedups), SPEEDUP, speedups)


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera, Reductions.ranks = sys.argv[1:4]
    Reductions.timed = "untimed" not in sys.argv[4:]
    Reductions.grids = [name for name in sys.argv[4:] if name in GRIDS] or list(GRIDS)
    unittest.main(argv=sys.argv[:1] + [word for word in sys.argv[4:] if word.startswith("Reductions.")])
