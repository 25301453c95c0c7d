"""Outputs that are full, closed, gone or narrow, inputs that are closed, and the order of the two outputs."""

import os
import re
import subprocess
import unittest

from driver import CommandLine, main
from terminal import Terminal, plain

MANY = "let a = iota(i64[200])\n" + "print a\n" * 5000


class Outputs(CommandLine):
    def test_a_full_disk(self):
        self.write("a.tess", 'print "x"\n')
        for line in ["--version", "run a.tess", "fmt a.tess", "check a.tess --json", "explain axis-used-twice",
                     "plan --mesh x:2 --from 'f32[4@x]' --to 'f32[4]' --json", "--help"]:
            done = self.shell(f'"$tessera" {line} > /dev/full')
            if line == "check a.tess --json":
                self.assertEqual((done.status, done.err), (0, ""))  # there is nothing to write
                continue
            self.assertEqual(done.status, 3, line)
            self.assertEqual(done.err, "error: cannot write standard output: No space left on device\n")

    def test_a_failure_of_the_program_stays_one(self):
        self.assertEqual(self.shell('printf \'print "x"; assert false\' | "$tessera" run - > /dev/full').status, 1)

    def test_a_closed_output(self):
        for line in ["--version", "explain axis-used-twice"]:
            done = self.shell(f'"$tessera" {line} >&-')
            self.assertEqual((done.status, done.err), (0, ""), line)

    def test_a_closed_output_is_not_taken_for_a_file(self):
        self.write("a.tess", 'save(iota(i32[3]), "a.npy")\nprint "lost"\nprint load("a.npy", i32[3])\n')
        done = self.shell('"$tessera" run a.tess >&-')
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertNotIn(b"lost", (self.folder / "a.npy").read_bytes())

    def test_a_closed_error_output(self):
        self.assertEqual(self.shell('"$tessera" nothing 2>&-').status, 2)
        self.assertEqual(self.shell('"$tessera" nothing 2>/dev/full').status, 2)

    def test_a_reader_that_goes_away(self):
        self.write("a.tess", MANY)
        done = self.shell('"$tessera" run a.tess | head -1; exit 0')
        self.assertEqual(done.err, "")
        self.assertTrue(done.out.startswith("["))

    def test_a_script_whose_reader_goes_away_runs_on(self):
        self.write("a.tess", MANY + 'save(iota(i32[3]), "a.npy")\n')
        reader, writer = os.pipe()
        os.close(reader)
        done = self.tessera("run", "a.tess", stdout=writer)
        os.close(writer)
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertTrue((self.folder / "a.npy").exists())

    def test_the_two_outputs_keep_their_order(self):
        done = self.shell('printf "1 + 1\\nwrong\\n2 + 2\\n" | "$tessera" 2>&1')
        lines = done.out.splitlines()
        self.assertEqual((lines[0], lines[-1]), ("2", "4"))
        self.assertIn("error[unknown-name]", lines[1])
        self.write("a.tess", 'print "before"\nassert false\n')
        self.assertTrue(self.shell('"$tessera" run a.tess 2>&1').out.startswith("before\nerror["))

    def test_files_and_pipes_are_plain(self):
        self.environment["CLICOLOR_FORCE"] = "1"
        self.assertNotIn("\x1b", self.fails(1, "run", "-", text="let a = b").err)


class Inputs(CommandLine):
    def test_a_closed_input(self):
        for line in ["run -", "check -", "fmt -", "plan --batch -"]:
            done = self.shell(f'"$tessera" {line} <&-')
            self.assertEqual(done.status, 2, line)
            self.assertIn("cannot read standard input", done.err)
        self.assertEqual(self.shell('"$tessera" <&-').status, 2)
        self.assertEqual(self.shell('"$tessera" --version <&-').status, 0)

    def test_everything_closed(self):
        self.assertEqual(self.shell('"$tessera" --version <&- >&- 2>&-').status, 0)

    def test_a_folder_as_input(self):
        self.assertEqual(self.shell('"$tessera" run - < .').status, 2)
        self.assertEqual(self.shell('"$tessera" < .').status, 2)


class Widths(CommandLine):
    """What a command writes to a terminal fits it; what it writes elsewhere is as wide as it is."""

    def lines_of(self, *arguments, columns):
        self.environment.pop("COLUMNS", None)
        terminal = Terminal(self, *arguments, columns=columns)
        self.assertEqual(terminal.ended(), 0)
        while terminal.read(0.1):
            pass
        return plain(terminal.text).splitlines()

    def test_answers_fit_forty_columns(self):
        """The greeting, what a statement took, reasons, and errors whose labels are longer than the terminal."""
        terminal = Terminal(self, columns=40)
        said = terminal.prompt()
        self.assertIn(":help helps, :quit leaves.", " ".join(said.split()))
        for line in ("mesh m = [x: 4]", "let a = iota(f32[8@x, 8])", "let b = a as [8, 8@x]", ":why b", ":why a + b", ":stats", ":machine",
                     "a @ b", "fn f(v: f32[N]?) = (v, sum(v))", "let (c, d) = f(iota(f32[8@x]) + iota(f32[8]))"):
            said += terminal.answer(line)
        self.assertIn("peak 128 B per device", " ".join(said.split()))
        self.assertIn("f32[8, 8@x]: dimension 1 gives the result's dimension 1", re.sub(r"[\s|]+", " ", said))
        for line in said.splitlines():
            self.assertLessEqual(len(line), 40, said)
        self.assertEqual(terminal.leave(), 0)

    def test_a_command_fits_its_answer(self):
        plan = ("plan", "--mesh", "x:2,y:2", "f32[8@x,8]{+y} -> f32[8,8@(x,y)]")
        wide, narrow = self.lines_of(*plan, columns=120), self.lines_of(*plan, columns=80)
        self.assertGreater(max(map(len, wide)), 80)
        self.assertLessEqual(max(map(len, narrow)), 80)
        # The column of MPI's names goes before a table is cut in two.
        self.assertEqual(["MPI" in lines[1] for lines in (wide, narrow)], [True, False])
        for lines in (wide, narrow):
            self.assertEqual(len([line for line in lines if line.startswith("  reduce_scatter")]), 1)
        self.assertEqual(self.succeeds(*plan).splitlines(), wide)
        compare = ("compare", "--mesh", "x:2,y:2", "f32[8@x,8@y] -> f32[8,8@(x,y)]")
        self.assertLessEqual(max(map(len, self.lines_of(*compare, columns=60))), 60)

    def test_a_heading_fits_its_picture(self):
        self.write("a.tess", "mesh m = [x: 2, y: 2]\nlet activations = iota(f32[6@x, 2@y])\nshow activations as [6@(x,y), 2]\n")
        lines = self.lines_of("run", "a.tess", columns=40)
        self.assertLessEqual(max(map(len, lines)), 40)
        self.assertEqual(" ".join(line.strip() for line in lines[:2]),
                         "activations as [6@(x,y), 2]: f32[6@(x,y), 2] on [x:2,y:2]")


class Start(CommandLine):
    def test_starting_is_quick(self):
        """Far above what it takes, so that only a grave mistake is found here: the benchmarks measure."""
        self.write("a.tess", "mesh m = [x: 4]\nlet a = iota(f32[16@x])\n")
        for line in [["--version"], ["check", "a.tess"]]:
            subprocess.run([self.executable, *line], cwd=self.folder, timeout=5, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
