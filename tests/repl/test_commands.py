"""The command line itself: help, version, explain, what is wrong with it."""

import pathlib
import re
import unittest

from driver import CommandLine, main

COMMANDS = ["run", "check", "fmt", "explain", "plan", "compare", "place", "calibrate", "learn", "draw", "gpu", "lsp"]


class Help(CommandLine):
    def test_version(self):
        self.assertRegex(self.succeeds("--version"), r"\Atessera \d+\.\d+\.\d+\n\Z")

    def test_help_lists_the_commands_that_exist(self):
        text = self.succeeds("--help")
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} ")
        self.assertIn("--ranks N", text)
        self.assertNotIn("worker", text)

    def test_every_command_has_help(self):
        for command in COMMANDS:
            text = self.succeeds(command, "--help")
            self.assertIn(f"tessera {command}", text)
            self.assertEqual(self.succeeds(command, "-h"), text)

    def test_help_fits_a_terminal(self):
        self.environment["COLUMNS"] = "80"
        for command in COMMANDS:
            text = self.succeeds(command, "--help") + self.succeeds("--help")
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
            self.assertNotIn("[]", text)
        self.environment["COLUMNS"] = "1000"
        self.assertIn("by a BLAS, ordered, with the same bits on every machine, or tf32, faster on GPUs\n", self.succeeds("--help"))

    def test_help_of_run_offers_what_is_there(self):
        text = self.succeeds("run", "--help")
        for option in ["--backend", "--define", "--reshard", "--stats", "--machine", "--trace", "--gpu", "--gpu-memory", "--products"]:
            self.assertIn(option, text)
        self.assertIn("sim or, under mpirun, mpi", text)


class Wrong(CommandLine):
    def test_command_lines_that_make_no_sense(self):
        self.write("a.tess", "let a = 1\n")
        for line in [
            ["nothing"], ["--nothing"], ["-x"], ["run"], ["run", "a.tess", "b.tess"], ["run", "--nothing", "a.tess"],
            ["run", "a.tess", "--backend", "gpu"], ["run", "a.tess", "--reshard", "maybe"], ["run", "a.tess", "--define"],
            ["run", "a.tess", "--define", "N"], ["run", "a.tess", "--define", "=3"], ["run", "a.tess", "--machine"],
            ["run", "a.tess", "--trace"],
            ["run", "a.tess", "--stats=3"], ["check"], ["check", "a.tess", "--write"], ["fmt"], ["check", "a.tess", "--after"],
            ["check", "a.tess", "--after", "run"], ["check", "a.tess", "--after", "insert", "--json"],
            ["fmt", "--check", "--write", "a.tess"], ["fmt", "--write", "-"], ["explain"], ["explain", "a", "b"], ["plan"],
            ["plan", "--mesh", "x:4", "--from", "f32[8]"], ["plan", "--batch", "a.tess", "--mesh", "x:4"],
            ["plan", "a.tess"], ["compare"], ["compare", "--mesh", "x:4", "--from", "f32[8]"],
            ["check", "a.tess", "run", "a.tess"], ["run", "a.tess", "--place", "best"], ["place", "a.tess"], ["place"],
            ["calibrate"], ["calibrate", "-o", "m.json", "--ranks", "0"], ["calibrate", "-o", "m.json", "--devices", "many"],
            ["place", "--mesh", "x:4"], ["place", "a.tess", "--mesh", "x:4"],
        ]:
            with self.subTest(line=line):
                done = self.fails(2, *line)
                self.assertTrue(done.err.startswith("error: "), done.err)
                self.assertEqual(done.out, "")

    def test_an_unknown_command_is_named(self):
        for word, help in [("demo.tess", "to run the script: tessera run demo.tess"), ("runn", "did you mean `run`?"),
                           ("frobnicate", "tessera --help lists the commands; a script is run by tessera run FILE")]:
            with self.subTest(word=word):
                self.assertEqual(self.fails(2, word).err, f"error: there is no command `{word}`\n  help: {help}\n")

    def test_words_that_were_not_expected(self):
        for line, word, help in [(["run", "--stat", "a.tess"], "--stat", "did you mean `--stats`?"),
                                 (["run", "a.tess", "b.tess"], "b.tess", "tessera run --help lists the options"),
                                 (["plan", "x:4", "f32[8@x] -> f32[8]"], "f32[8@x] -> f32[8]",
                                  "tessera plan --mesh x:4,y:2 'f32[8@x] -> f32[8]'")]:
            with self.subTest(line=line):
                self.assertEqual(self.fails(2, *line).err, f"error: `{word}` was not expected here\n  help: {help}\n")

    def test_scripts_that_cannot_be_read(self):
        (self.folder / "folder").mkdir()
        for command in ["run", "check", "fmt"]:
            for name, why in [("missing.tess", "No such file"), ("folder", "directory"), ("", "No such file")]:
                done = self.fails(2, command, name)
                self.assertIn(why, done.err)
                self.assertEqual(len(done.err.splitlines()), 1)

    def test_ranks_come_from_a_launcher(self):
        self.write("a.tess", "let a = 1\n")
        for line in [["--ranks", "4", "run", "a.tess"], ["run", "a.tess", "--backend", "mpi"]]:
            with self.subTest(line=line):
                done = self.fails(2, *line)
                self.assertEqual(len(done.err.splitlines()), 1)
                self.assertIn("mpirun -np N", done.err)
                self.assertEqual(done.out, "")


class Explain(CommandLine):
    def test_a_section(self):
        text = self.succeeds("explain", "after-as")
        self.assertTrue(text.startswith("after-as\n\n`as` is the loosest operator"), text)
        self.assertIn("\n\n    mesh m = [x: 2]\n    let a = ones(f32[4@x])\n    print a as [4] + a\n\nRepair: ", text)
        self.assertIn("\n\nRepaired:\n\n    let a: f32[4] =", self.succeeds("explain", "annotation-mismatch"))

    def test_sections_are_text_that_fits(self):
        """In one session, whose `:doc` says what `explain` does."""
        index = pathlib.Path(__file__).parents[2] / "docs/errors.md"
        slugs = re.findall(r"(?m)^## (\S+)$", index.read_text(encoding="utf-8"))
        said = self.succeeds(text="".join(f'print "<{slug}>"\n:doc {slug}\n' for slug in slugs))
        told = dict(re.findall(r"(?ms)^<([a-z0-9-]+)>\n(.*?)(?=^<[a-z0-9-]+>\n|\Z)", said))
        self.assertEqual(list(told), slugs)
        self.assertEqual(told["after-as"], self.succeeds("explain", "after-as"))
        for slug, text in told.items():
            with self.subTest(slug=slug):
                for mark in ["```", "**", "##", "\x1b"]:
                    self.assertNotIn(mark, re.sub(r"(?m)^    .*", "", text).replace("2**63", ""))
                self.assertEqual([line for line in text.splitlines() if len(line) > 80 and not line.startswith("    ")], [])
                self.assertGreater(len(text.splitlines()), 3)

    def test_the_name_may_stand_in_brackets(self):
        self.assertEqual(self.succeeds("explain", "error[after-as]"), self.succeeds("explain", "after-as"))

    def test_operations_and_words(self):
        self.assertTrue(self.succeeds("explain", "all_gather").startswith("all_gather(a, dim, axes)\n"))
        self.assertIn("plan", self.succeeds("explain", "par"))
        # As it stands in the program that it comes from: without arguments, by its last name.
        for written, here in [('P("x", None)', "here: `[8@x, 4]`"), ("Shard(0)", "here: `[8@x, 4]`"), ("y.sharding", "here: `:type a`"),
                              ("jnp.einsum", 'here: `einsum("ij,ij->i", a, b)`'), ("jnp", "functions have no prefix"),
                              ("comm.Allgather", "`a as [8]`"), ("DTensor", "an array"), ("MPI_Init", "starts the ranks")]:
            with self.subTest(written=written):
                self.assertIn(here, " ".join(self.succeeds("explain", written).split()))

    def test_an_unknown_slug(self):
        done = self.fails(2, "explain", "axis-used-twise")
        self.assertEqual(done.err, "error[unknown-slug]: no error, word or page is called `axis-used-twise`\n"
                                   "  help: did you mean `axis-used-twice`?\n")
        self.assertEqual(done.out, "")

    def test_a_word_of_no_error(self):
        self.assertIn("help: did you mean `all_reduce`?\n", self.fails(2, "explain", "allreduce").err)


if __name__ == "__main__":
    main()
