#!/usr/bin/env python3
"""tessera move on ranks: the files of simulated devices, and all or none of them whatever happens.

    test_move.py MPIRUN PATH/TO/tessera"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
from launches import RanksTest, ranks_below

SEED = 20261124
KILLS = 8
ARRAYS = [
    ("w", np.float32, (70, 12), "x:2,y:2", "z:3 on 3:6", "f32[70@x, 12@y]", "f32[70, 12@z]"),
    ("b", np.float64, (5,), "x:2,y:2", "p:2,q:2 on 4:8", "f64[5]", "f64[5@q]"),
    ("s", np.int32, (), "x:2", "x:2 on 1:3", "i32", "i32"),
    ("m", np.bool_, (9, 4), "x:2,y:2 on 4:8", "x:4", "bool[9@(x,y), 4]", "bool[9, 4]"),
    ("k", np.int64, (4, 4), "x:4", "x:4", "i64[4@x, 4]", "i64[4@x, 4]"),
    ("q", np.int64, (64, 64), "x:2,y:2", "p:2,q:2 on 4:8", "i64[64@x, 64]", "i64[64, 64@q]"),
]
LARGE = [(f"large{i}", np.float32, (1 << 18,), "x:4", "z:2 on 4:6", "f32[262144@x]", "f32[262144]") for i in range(12)]


class Move(RanksTest):
    def prepare(self, arrays):
        for folder in ("in", "out", "simulated"):
            (self.folder / folder).mkdir(exist_ok=True)
        lines = []
        for number, (name, element, shape, mesh, to_mesh, source, target) in enumerate(arrays):
            values = (np.arange(int(np.prod(shape))).reshape(shape) * 3 + number) % 251
            np.save(self.folder / f"in/{name}.npy", (values % 2 == 0) if element is np.bool_ else values.astype(element))
            lines.append(json.dumps({"name": name, "mesh": mesh, "to_mesh": to_mesh, "from": source, "to": target}))
        path = self.folder / "list.moves"
        path.write_text("\n".join(lines) + "\n")
        subprocess.run([self.tessera, "move", path, "--from", self.folder / "in", "--to", self.folder / "simulated"],
                       check=True, capture_output=True)
        return path

    def contents(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir()}

    def move(self, path):
        return ["move", path, "--from", self.folder / "in", "--to", self.folder / "out"]

    def test_ranks_write_what_simulated_devices_do(self):
        path = self.prepare(ARRAYS)
        for ranks in (1, 2, 3, 5, 8):
            for sharing in ("on", "off"):
                with self.subTest(ranks=ranks, sharing=sharing):
                    os.environ["TESSERA_SHARED_MEMORY"] = sharing
                    for file in (self.folder / "out").iterdir():
                        file.unlink()
                    done = self.launch(ranks, *self.move(path))
                    self.assertEqual(done.status, 0, done.err)
                    self.assertEqual(self.contents("out"), self.contents("simulated"))
        os.environ.pop("TESSERA_SHARED_MEMORY")

    def test_one_file_at_either_end(self):
        """Ranks write what one process writes, to the byte: also the check sums of an archive, each rank's joined."""
        path = self.prepare(ARRAYS + LARGE)
        arrays = {name: np.load(self.folder / f"in/{name}.npy") for name, *_ in ARRAYS + LARGE}
        np.savez(self.folder / "in.npz", **arrays)
        for file in ("whole.safetensors", "whole.npz"):
            words = ["move", path, "--from", self.folder / "in.npz", "--to"]
            subprocess.run([self.tessera, *words, self.folder / ("one_" + file)], check=True, capture_output=True)
            for sharing in ("on", "off"):
                os.environ["TESSERA_SHARED_MEMORY"] = sharing
                done = self.launch(3, *words, self.folder / file)
                os.environ.pop("TESSERA_SHARED_MEMORY")
                self.assertEqual(done.status, 0, done.err)
                self.assertEqual((self.folder / file).read_bytes(), (self.folder / ("one_" + file)).read_bytes())
        found = np.load(self.folder / "whole.npz")
        for name, array in arrays.items():
            self.assertTrue(np.array_equal(found[name], array), name)

    def test_ranks_save_beside_others(self):
        script = ('mesh m = [x: 3]\nlet a = normal(f32[3000@x, 2001], 1)\nloop k = 0 for i < 2 {\n  save(a + f32(i), "FILE", name="a.{i}")\n  k\n}\n'
                  'print sum(load("FILE", f32[3000, 2001@x], name="a.1") - load("FILE", f32[3000@x, 2001], name="a.0"))\n')
        for file in ("a.safetensors", "a.npz", "a.safetensors.index.json"):
            files = {}
            for ranks, sharing in ((1, "on"), (3, "on"), (3, "off")):
                for old in self.folder.glob("a*"):
                    old.unlink()
                (self.folder / "save.tess").write_text(script.replace("FILE", str(self.folder / file)))
                os.environ["TESSERA_SHARED_MEMORY"] = sharing
                done = self.launch(ranks, "run", self.folder / "save.tess")
                os.environ.pop("TESSERA_SHARED_MEMORY")
                self.assertEqual(done.status, 0, done.err)
                files[ranks, sharing] = {path.name: path.read_bytes() for path in self.folder.glob("a*")}
            self.assertEqual(files[3, "on"], files[1, "on"])
            self.assertEqual(files[3, "off"], files[1, "on"])
        self.assertEqual(sorted(files[1, "on"]), ["a-00001.safetensors", "a-00002.safetensors", "a.safetensors.index.json"])

    def test_a_failure_on_one_rank_leaves_everything_as_it_was(self):
        path = self.prepare(ARRAYS)
        (self.folder / "out/w.dev3.npy").write_text("old")
        (self.folder / "out/q.dev7.npy").mkdir()
        done = self.launch(3, *self.move(path))
        self.assertEqual(done.status, 3, done.err)
        self.assertEqual(len(done.diagnostics()), 1, done.err)
        self.assertEqual(sorted(file.name for file in (self.folder / "out").iterdir()), ["q.dev7.npy", "w.dev3.npy"])
        self.assertEqual((self.folder / "out/w.dev3.npy").read_text(), "old")

    def test_a_full_disk_leaves_the_old_files(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
            self.skipTest("only root may mount")
        path = self.prepare(LARGE)
        words = " ".join(f'"{word}"' for word in [self.tessera, *self.move(path)])
        script = (f'mount -t tmpfs -o size=8m tmpfs out && echo old > out/large3.dev4.npy && {self.mpirun} -np 3 {words}; '
                  'echo "status $?"; ls -A out; cat out/*')
        begin = time.monotonic()
        done = self.finish(self.start(["unshare", "-m", "bash", "-c", script]), begin)
        self.assertEqual(done.out.split("status ")[1], "3\nlarge3.dev4.npy\nold\n", done.err)
        self.assertIn("error[cannot-write]", done.err)

    def test_a_killed_rank_leaves_all_or_nothing(self):
        path = self.prepare(LARGE)
        new = self.contents("simulated")
        dice = random.Random(SEED)
        for number in range(KILLS):
            with self.subTest(kill=number):
                for name in new:
                    (self.folder / "out" / name).write_text("old")
                begin = time.monotonic()
                process = self.start([self.mpirun, "-np", 3, *self.command(*self.move(path))])
                time.sleep(dice.uniform(0.05, 0.6))
                ranks = ranks_below(process.pid)
                if ranks:
                    os.kill(dice.choice(ranks), signal.SIGKILL)
                    self.end_soon(process, ranks)
                self.finish(process, begin)
                # The next command puts back what the launcher let nobody put back.
                subprocess.run([self.tessera, "move", self.prepare_none(), "--from", self.folder / "in", "--to",
                                self.folder / "out"], check=True, capture_output=True)
                there = self.contents("out")
                there.pop("none.dev0.npy")
                self.assertEqual(sorted(there), sorted(new))
                old = {name: b"old" for name in new}
                self.assertTrue(there in (old, new), {name: len(there[name]) for name in there})

    def prepare_none(self):
        np.save(self.folder / "in/none.npy", np.zeros(1, np.float32))
        path = self.folder / "none.moves"
        path.write_text('{"name": "none", "mesh": "x:1", "to_mesh": "x:1", "from": "f32[1]", "to": "f32[1]"}\n')
        return path


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
