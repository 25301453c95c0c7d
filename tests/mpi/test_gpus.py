#!/usr/bin/env python3
"""Ranks with GPUs, of the emulated driver: what they print is what simulated devices print, and either all have some or none has.

    test_gpus.py MPIRUN PATH/TO/tessera EMULATED"""

import json
import os
import sys
import unittest
from pathlib import Path

from launches import ENDS_WITHIN, RanksTest

EMULATED = ""
PROGRAM = """mesh m = [x: 4]
let a = random(f32[8@x, 6], 1)
let c = a[0:4, :] @ (transpose(a) as [6, 8])
print c, argmax(a, dim=0), cumsum(a, dim=0)
let b = a as [8, 6@x]
print b, sum(a), max(a, dim=0)
let t = loop t = b for i < 3 { t * 0.5 + 1.0 }
print t, sum(t, dim=1)
"""


class Gpus(RanksTest):
    hang = 300  # kernels are compiled by the host's compiler

    def environment(self, **more):
        return {**os.environ, "TESSERA_CUDA": EMULATED, "XDG_CACHE_HOME": str(Path(EMULATED) / "cache"), **more}

    def test_ranks_print_what_simulated_devices_do(self):
        path = self.script(PROGRAM)
        alone = self.launch(1, "run", path)
        for ranks, gpus, more in ((1, "1", {}), (1, "2", {}), (1, "3", {"TESSERA_EMULATED_APART": "1"}), (2, "1", {}), (3, "2", {}),
                                  (3, "3", {}), (3, "6", {"TESSERA_EMULATED_APART": "1"})):
            done = self.launch(ranks, "run", "--gpu", path, env=self.environment(TESSERA_EMULATED_GPUS=gpus, **more))
            self.assertEqual((done.status, done.out), (0, alone.out), (ranks, gpus, done.err))

    def test_what_ranks_measure_of_their_gpus(self):
        for ranks, gpus, devices, levels in ((2, "2", "2", {"rank": 2}), (2, "4", "8", {"rank": 2, "gpu": 2, "device": 2}),
                                             (3, "1", "3", {"rank": 3})):
            done = self.launch(ranks, "calibrate", "--gpu", "--devices", devices, "-o", "machine.json",
                               env=self.environment(TESSERA_EMULATED_GPUS=gpus))
            self.assertEqual((done.status, done.err), (0, ""), done)
            machine = json.loads((self.folder / "machine.json").read_text())
            self.assertEqual({level["name"]: level["count"] for level in machine["levels"]}, levels)
            self.assertEqual(sum(kind["count"] for kind in machine["devices"]), int(devices))

    def test_a_gpu_that_is_lost_or_refuses_on_one_rank(self):
        """At some of its first launches and waits: all ranks end soon, with one diagnostic."""
        path = self.script(PROGRAM)
        environment = self.environment(TESSERA_EMULATED_FAILURE_RANK="1")
        self.launch(3, "run", "--gpu", path, env=environment)  # its kernels are there
        for symbol, code, kind in (("cuLaunchKernel", 700, "gpu-lost"), ("cuLaunchKernel", 701, "gpu-failed"),
                                   ("cuEventSynchronize", 719, "gpu-lost")):
            for call in (1, 4, 9):
                failure = f"{symbol}:{call}:{code}"
                done = self.launch(3, "run", "--gpu", path, env={**environment, "TESSERA_EMULATED_FAILURE": failure})
                self.assertEqual(done.status, 3, (failure, done.err))
                self.assertEqual(len(done.diagnostics()), 1, (failure, done.err))
                self.assertIn(f"error[{kind}]", done.err, failure)
                self.assertLess(done.seconds, ENDS_WITHIN, failure)

    def test_all_ranks_have_gpus_or_none(self):
        path = self.script(PROGRAM)
        os.environ["TESSERA_CUDA"] = EMULATED
        self.addCleanup(os.environ.pop, "TESSERA_CUDA")
        for first, second in ((["--gpu"], []), ([], ["--gpu"])):
            done = self.launch_parts((1, self.folder, ["run", *first, path]), (1, self.folder, ["run", *second, path]))
            self.assertEqual(len(done.diagnostics()), 1, done.err)
            self.assertIn("error[gpu-ranks-differ]", done.err)
            self.assertEqual((done.status, done.out), (3, ""))

    def test_a_number_that_there_is_not(self):
        done = self.launch(2, "run", "--gpu", "0,9", self.script(PROGRAM), env=self.environment())
        self.assertEqual((done.status, done.out), (3, ""), done.err)
        self.assertIn("error[no-gpu]", done.err)


if __name__ == "__main__":
    EMULATED = sys.argv.pop()
    RanksTest.tessera = sys.argv.pop()
    RanksTest.mpirun = sys.argv.pop()
    unittest.main()
