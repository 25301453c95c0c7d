#!/usr/bin/env python3
"""GPT-2 small from the eight devices that trained it to the four that serve it (bench/moves), on six hosts of two ranks whose links take
1 Gbit/s: how near to what is modelled it comes.

    test_moves.py MPIRUN PATH/TO/tessera [untimed]

`untimed` takes a sixteenth of the model and looks at files and at the links' bytes only, which no busy machine changes.
"""

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from hosts import Hosts, HostsTest
from launches import RanksTest

SHAPES = importlib.util.spec_from_file_location("shapes", Path(__file__).resolve().parents[2] / "bench/moves/shapes.py")
shapes = importlib.util.module_from_spec(SHAPES)
SHAPES.loader.exec_module(shapes)

MODEL = "gpt2-small"
HOSTS = Hosts(count=6, ranks=2, rate=125e6, burst=1 << 18)
# Of what is modelled. What TCP adds to a packet is a twentieth of it.
SLOWEST = 1.15
LAUNCHES = 5


class Moves(HostsTest):
    def prepare(self, part):
        """The folder with the arrays, their extents divided by `part`."""
        arrays, mesh, to_mesh, _ = shapes.MODELS[MODEL]
        (self.folder / "in").mkdir()
        lines, self.bytes = [], 0
        for number, (name, shape, how) in enumerate(arrays()):
            shape = tuple(extent // part for extent in shape)
            size = math.prod(shape)
            np.save(self.folder / f"in/{name}.npy", (np.arange(size, dtype=np.float32) + number).reshape(shape))
            self.bytes += 4 * size
            lines.append({"name": name, "mesh": mesh, "to_mesh": to_mesh, "from": shapes.type_of(shape, shapes.source_cuts(shape, how)),
                          "to": shapes.type_of(shape, shapes.target_cuts(shape, how))})
        self.script("".join(json.dumps(line) + "\n" for line in lines), "list.moves")
        self.script(json.dumps(shapes.machine(MODEL)), "machine.json")

    def words(self, out):
        (self.folder / out).mkdir(exist_ok=True)
        return ["move", self.folder / "list.moves", "--machine", self.folder / "machine.json", "--from", self.folder / "in",
                "--to", self.folder / out, "--json"]

    def expect_bytes(self, done):
        """A host of the target gets the whole model over its link, once; the others next to nothing."""
        for host, received in enumerate(done.received):
            of_target = host >= 4
            self.assertLess(received, 1.1 * self.bytes if of_target else 0.1 * self.bytes, host)
            self.assertGreater(received, self.bytes if of_target else -1, host)


class Untimed(Moves):
    def test_files_and_bytes(self):
        self.prepare(4)
        subprocess.run(self.command(*self.words("simulated")), check=True, capture_output=True)
        done = self.run_on_hosts(*self.words("out"), hosts=HOSTS)
        self.assertEqual(done.status, 0, done.err)
        names = sorted(os.listdir(self.folder / "simulated"))
        self.assertEqual(sorted(os.listdir(self.folder / "out")), names)
        self.assertEqual(len(names), 4 * 148)
        for name in names:
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "simulated" / name).read_bytes(), name)
        self.expect_bytes(done)


class Timed(Moves):
    def test_it_takes_what_is_modelled(self):
        self.prepare(1)
        self.assertEqual(self.bytes, 4 * 124_439_808)
        planned = json.loads(subprocess.run(self.command(*self.words("out")[:4], "--json"), check=True, capture_output=True,
                                            text=True).stdout)["seconds"]
        tries = []
        while not tries or (min(tries) > SLOWEST * planned and len(tries) < LAUNCHES):
            done = self.run_on_hosts(*self.words("out"), hosts=HOSTS)
            self.assertEqual(done.status, 0, done.err)
            self.expect_bytes(done)
            tries.append(float(re.search(r'"seconds":([0-9.]+)', done.out)[1]))
        print(f"{tries} s, modelled {planned:.3f} s, at best {min(tries) / planned:.3f} of it", file=sys.stderr)
        self.assertGreater(min(tries), 0.95 * planned, "the links are too fast")
        self.assertLessEqual(min(tries), SLOWEST * planned)


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], defaultTest="Untimed" if "untimed" in sys.argv[3:] else "Timed")
