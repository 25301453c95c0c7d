"""tessera move: lists of arrays, their plan, and their files on simulated devices."""

import importlib.util
import json
import time
import unittest
from pathlib import Path

import numpy as np
from driver import CommandLine, main

ROOT = Path(__file__).resolve().parents[2]
shapes_file = importlib.util.spec_from_file_location("shapes", ROOT / "bench/moves/shapes.py")
shapes = importlib.util.module_from_spec(shapes_file)
shapes_file.loader.exec_module(shapes)

LINE = {"name": "w", "mesh": "x:2", "to_mesh": "x:2 on 2:4", "from": "f32[8@x]", "to": "f32[8]"}


def text_of(lines):
    return "".join(json.dumps(line) + "\n" for line in lines)


class Move(CommandLine):
    def planned(self, model):
        arrays = self.write("list", text_of(shapes.lines(model)))
        machine = self.write("machine.json", json.dumps(shapes.machine(model)))
        begin = time.monotonic()
        (plan,) = self.tessera("move", arrays, "--machine", machine, "--json").objects()
        return plan, time.monotonic() - begin

    def test_gpt2_small(self):
        plan, _ = self.planned("gpt2-small")
        self.assertEqual(len(plan["arrays"]), 148)
        # A host of the target needs all 124,439,808 parameters over its link.
        self.assertAlmostEqual(plan["lower_bound_seconds"], 4 * 124_439_808 / 125e6, places=9)
        self.assertLessEqual(plan["seconds"], 1.005 * plan["lower_bound_seconds"])
        self.assertEqual(plan["received_bytes_total"], plan["lower_bound_bytes_total"])

    def test_llama3_8b_within_a_second(self):
        self.skip_under_sanitizers()
        plan, seconds = self.planned("llama3-8b")
        self.assertEqual(len(plan["arrays"]), 291)
        self.assertLessEqual(plan["seconds"], 1.005 * plan["lower_bound_seconds"])
        self.assertLess(seconds, 1)

    def test_bad_lists(self):
        for lines, message in [
            ("", "it names no array"),
            ("{}\n", 'it has no "name"'),
            (text_of([LINE, LINE]), '"w" appears twice, the second time in line 2'),
            (text_of([LINE | {"name": "../w"}]), '"../w" cannot be the name of a file'),
            (text_of([LINE | {"to": "f32[9]"}]), "are not of one element type and shape"),
            (text_of([LINE | {"to": "f64[8]"}]), "are not of one element type and shape"),
            (text_of([LINE | {"from": "f32[8]{+x}"}]), "a file has no pending sum"),
            (text_of([LINE | {"where": "x"}]), 'there is no key "where"'),
            (text_of([LINE | {"from": 8}]), '"from" must be a text'),
            ("{\n", "this is not a list of arrays to be moved"),
        ]:
            with self.subTest(message):
                done = self.tessera("move", self.write("list", lines))
                self.assertEqual(done.status, 1, done)
                self.assertIn("error[move-list]", done.err)
                self.assertIn(message, done.err)
        for wrong in ({"to_mesh": "x:2 on 2:5"}, {"to": "f32[8@q]"}, {"mesh": "x:"}):
            done = self.tessera("move", self.write("list", text_of([LINE | wrong])))
            self.assertEqual(done.status, 1, done)
            self.assertIn('of "w": ', done.err)

    def test_misuse(self):
        self.fails(2, "move")
        self.fails(2, "move", self.write("list", text_of([LINE])), "--from", self.folder)
        self.fails(2, "move", "nothing.here")

    def folders(self):
        source, target = Path(self.folder) / "in", Path(self.folder) / "out"
        source.mkdir()
        target.mkdir()
        np.save(source / "w.npy", np.arange(8, dtype=np.float32))
        return source, target

    def test_files(self):
        source, target = self.folders()
        flags = np.array([[True, False], [False, True], [True, True]])
        np.save(source / "flags.npy", flags)
        arrays = self.write("list", text_of([LINE, {"name": "flags", "mesh": "x:3 on 1:4", "to_mesh": "y:2 on 4:6",
                                                    "from": "bool[3@x, 2]", "to": "bool[3, 2@y]"}]))
        (target / "w.dev2.npy").write_text("old")
        self.succeeds("move", arrays, "--from", source, "--to", target)
        self.assertEqual(sorted(path.name for path in target.iterdir()),
                         ["flags.dev4.npy", "flags.dev5.npy", "w.dev2.npy", "w.dev3.npy"])
        for device in (2, 3):
            self.assertEqual(np.load(target / f"w.dev{device}.npy").tolist(), list(range(8)))
        tiles = [np.load(target / f"flags.dev{device}.npy") for device in (4, 5)]
        self.assertTrue((np.concatenate(tiles, 1) == flags).all())

    def expect_untouched(self, target, done, slug):
        self.assertEqual(done.status, 3, done)
        self.assertIn(f"error[{slug}]", done.err)
        self.assertEqual([path.name for path in target.iterdir() if path.is_file()], ["w.dev2.npy"])
        self.assertEqual((target / "w.dev2.npy").read_text(), "old")
        self.assertEqual([path.name for path in target.iterdir() if path.name.startswith(".")], [])

    def test_nothing_or_all(self):
        source, target = self.folders()
        (target / "w.dev2.npy").write_text("old")
        more = LINE | {"name": "v"}
        arrays = self.write("list", text_of([LINE, more]))
        done = self.tessera("move", arrays, "--from", source, "--to", target)
        self.expect_untouched(target, done, "file-missing")
        self.assertIn("help: each array of the list is one file there, NAME.npy, as `save` writes it", done.err)
        self.assertIn(" by the machine model (at least ", done.out)
        self.assertIn("\nmodelled: links of 100 GB/s and 1 us, assumed; --machine FILE gives others\n", done.out)
        np.save(source / "v.npy", np.arange(9, dtype=np.float32))
        self.expect_untouched(target, self.tessera("move", arrays, "--from", source, "--to", target), "file-shape-mismatch")
        np.save(source / "v.npy", np.arange(8, dtype=np.float32))
        (target / "v.dev3.npy").mkdir()
        self.expect_untouched(target, self.tessera("move", arrays, "--from", source, "--to", target), "cannot-write")

    def test_what_a_killed_process_left_is_put_back(self):
        source, target = self.folders()
        arrays = self.write("list", text_of([LINE]))
        # Killed amid putting: w.dev2 is new, what was there is kept; w.dev3 is new where nothing was.
        rest = target / ".tessera-move.1-1.0"
        for part in ("new", "old", "none"):
            (rest / part).mkdir(parents=True)
        (rest / "old/other.dev2.npy").write_text("old")
        (rest / "none/other.dev3.npy").touch()
        (target / "other.dev2.npy").write_text("new")
        (target / "other.dev3.npy").write_text("new")
        # Killed after all were put: what is new stays.
        (target / ".tessera-move.2-2.0/old").mkdir(parents=True)
        (target / ".tessera-move.2-2.0/old/kept.dev0.npy").write_text("old")
        (target / ".tessera-move.2-2.done").touch()
        (target / "kept.dev0.npy").write_text("new")
        self.succeeds("move", arrays, "--from", source, "--to", target)
        self.assertEqual(sorted(path.name for path in target.iterdir()),
                         ["kept.dev0.npy", "other.dev2.npy", "w.dev2.npy", "w.dev3.npy"])
        self.assertEqual((target / "other.dev2.npy").read_text(), "old")
        self.assertEqual((target / "kept.dev0.npy").read_text(), "new")


if __name__ == "__main__":
    main()
