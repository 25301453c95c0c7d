#!/usr/bin/env python3
"""tessera calibrate on ranks: what it writes is a machine on which the next run is planned.

    test_calibrate.py MPIRUN PATH/TO/tessera"""

import json
import math
import sys
import time
import unittest

from launches import RanksTest

PROGRAM = """mesh m = [x: 4]
let a = iota(f32[64@x])
print sum(a)
"""


class Calibrate(RanksTest):
    def machine(self, done, file="machine.json"):
        self.assertEqual((done.status, done.diagnostics()), (0, []), done)
        text = (self.folder / file).read_text()
        self.assertEqual(done.out, text)
        machine = json.loads(text)
        levels = machine["levels"]
        devices = math.prod(level["count"] for level in levels)
        self.assertEqual(sum(kind["count"] for kind in machine["devices"]), devices)
        for kind in machine["devices"]:
            self.assertEqual(list(kind), ["count", "flops", "bandwidth"])
            self.assertGreater(kind["flops"], 1e7)
            self.assertGreater(kind["bandwidth"], 1e7)
        for level in levels:
            self.assertEqual(list(level), ["name", "count", "bandwidth", "latency", "gap"])
            self.assertGreater(level["bandwidth"], 1e6)
            self.assertTrue(0 < level["gap"] <= level["latency"] < 1, level)
        return [(level["name"], level["count"]) for level in levels]

    def test_ranks_of_a_launcher(self):
        done = self.launch(4, "calibrate", "-o", "machine.json")
        self.assertLess(done.seconds, 45)
        levels = self.machine(done)
        self.assertEqual(levels[-1][0], "rank")
        self.assertEqual([count for name, count in levels if name in ("cluster", "rank")][-1] *
                         (levels[0][1] if len(levels) > 1 else 1), 4)
        run = self.launch(4, "run", "--machine", "machine.json", self.script(PROGRAM))
        self.assertEqual((run.status, run.out, run.err), (0, "2016.0\n", ""))

    def test_ranks_that_it_starts(self):
        done = self.finish(self.start(self.command("calibrate", "--ranks", "2", "--devices", "6", "-o", "machine.json")), time.monotonic())
        self.assertEqual(self.machine(done), [("rank", 2), ("device", 3)])

    def test_devices_of_one_process(self):
        done = self.finish(self.start(self.command("calibrate", "--devices", "4", "-o", "machine.json")), time.monotonic())
        self.assertEqual(self.machine(done), [("device", 4)])

    def test_devices_that_are_throttled(self):
        done = self.finish(self.start(self.command("calibrate", "--throttle", "--devices", "4", "-o", "machine.json")), time.monotonic())
        self.assertEqual(self.machine(done), [("device", 4)])
        # A core that nothing shares is what each device has, so all are alike.
        machine = json.loads((self.folder / "machine.json").read_text())
        self.assertEqual([kind["count"] for kind in machine["devices"]], [4])

    def test_refused(self):
        done = self.launch(2, "calibrate", "--devices", "3", "-o", "machine.json")
        self.assertEqual(done.status, 2, done)
        self.assertIn("error[not-calibrated]", done.err)
        self.assertFalse((self.folder / "machine.json").exists())

    def test_ranks_with_something_else_to_do(self):
        script = self.script(PROGRAM)
        done = self.launch_parts((1, self.folder, ["calibrate", "-o", "machine.json"]), (1, self.folder, ["run", script]))
        self.assertEqual(done.status, 3, done)
        self.assertIn("error[ranks-differ]", done.err)


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
