#!/usr/bin/env python3
"""What a person sees of `mpirun -np N tessera ...`: output once, one diagnostic, the right status, and no hang.

    test_failures.py MPIRUN OTHER-MPIRUN PATH/TO/tessera"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from crowd import run_crowd, waiting
from launches import RanksTest

OTHER_MPIRUN = ""
SLOW = 5  # seconds after which a failure comes too late, beside the second that starting may take

SPLIT = "mesh m = [x: 4]\n"


class Output(RanksTest):
    def test_a_program_prints_once(self):
        path = self.script(SPLIT + 'let a = iota(f32[8@x])\nprint "sum", sum(a)\nshow a\n')
        alone = self.launch(1, "run", path)
        for ranks in (2, 3, 7):
            done = self.launch(ranks, "run", path)
            self.assertEqual((done.status, done.out), (0, alone.out), done.err)

    def test_pictures_are_plain_whatever_the_launcher_gives_ranks_to_write_to(self):
        path = self.script(SPLIT + "show iota(f32[8@x])\n")
        done = self.launch(2, "run", path, env=os.environ | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.status, done.out), (0, self.launch(1, "run", path).out), done.err)
        self.assertNotIn("\x1b", done.out)

    def test_every_command_speaks_once(self):
        path = self.script("let a = 1\nlet b = missing\n")
        for arguments in (["--version"], ["check", path], ["fmt", path], ["explain", "peer-lost"], ["nonsense"]):
            alone = self.launch(1, *arguments)
            done = self.launch(3, *arguments)
            self.assertEqual((done.status, done.out, done.diagnostics()), (alone.status, alone.out, alone.diagnostics()))

    def test_a_script_from_standard_input(self):
        """The first rank reads it, however it comes, and all run it."""
        for text in (SPLIT + "let a = iota(f32[8@x])\nprint sum(a)\n", "", "print 1", SPLIT + "# long\n" * (5_000 if self.reads_little() else 600_000) + "print 5\n"):
            alone = self.launch(1, "run", self.script(text))
            for ranks in (2, 3):
                done = self.piped(ranks, text.encode(), "run", "-")
                self.assertEqual((done.status, done.out), (0, alone.out), done.err)
        done = self.piped(2, b"print 1\n", "check", "-")
        self.assertEqual((done.status, done.out), (0, ""), done.err)

    def reads_little(self):
        """MPICH's launcher gives up where more than a pipe holds is not read at once."""
        return "mpich" in self.mpirun

    def piped(self, ranks, data, *arguments):
        path = self.folder / "standard-input"
        path.write_bytes(data)
        with path.open("rb") as stdin:
            return self.launch(ranks, *arguments, stdin=stdin)

    def test_mistakes_in_standard_input(self):
        """Each is told once, and every rank ends with its status."""
        mistakes = [(b"let a = missing\n", 1, "<stdin>:1:9"), (b"print 1\nlet b = \xff\n", 1, "error[invalid-utf8]"),
                    (b"let a = (\n", 1, "<stdin>:1"), (SPLIT.encode() + b"print 1 / (1 - 1)\n", 1, "division-by-zero")]
        for data, status, words in mistakes:
            for command in ("run", "check"):
                with self.subTest(words=words, command=command):
                    if command == "check" and words == "division-by-zero":
                        continue
                    done = self.piped(2, data, command, "-")
                    self.assertEqual(done.status, status, done.err)
                    self.assertEqual((done.err + done.out).count("error["), 1, done.err + done.out)
                    self.assertIn(words, done.err + done.out)
        if not self.reads_little():
            done = self.piped(2, b"#" * (17 << 20), "run", "-")
            self.assertEqual(done.status, 1, done.err)
            self.assertEqual(done.err.count("error[source-too-large]"), 1, done.err)

    def test_only_some_ranks_read_standard_input(self):
        path = self.script("print 1\n")
        for first, second in ((["run", "-"], ["run", path]), (["run", path], ["run", "-"]), (["run", "-"], ["check", "-"])):
            with self.subTest(first=first[1]):
                done = self.launch_parts((1, self.folder, first), (1, self.folder, second))
                self.assertEqual(done.status, 3, done.err)
                self.assertIn("error[ranks-differ]", done.err)

    def test_a_session_wants_one_process(self):
        done = self.launch(2)
        self.assertEqual(done.status, 2, done.err)
        self.assertEqual(len(done.diagnostics()), 1, done.err)
        self.assertIn("tessera --ranks N", done.err)


class Failures(RanksTest):
    def expect(self, done, status, *words):
        self.assertEqual(done.status, status, done.err)
        self.assertEqual(len(done.diagnostics()), 1, done.err)
        for word in words:
            self.assertIn(word, done.err)
        self.assertLess(done.seconds, SLOW + 5, "it takes too long")

    def test_a_step_fails_on_one_rank(self):
        path = self.script(SPLIT + 'print "before"\nlet a = iota(i64[8@x])\nlet b = 1 / (a - 5)\nprint "after"\nprint b\n')
        done = self.launch(4, "run", path)
        self.expect(done, 1, "error[division-by-zero]", "at element [5]", "(on rank 2)", "program.tess:4:")
        self.assertEqual(done.out, "before\n")

    def test_a_step_fails_while_another_rank_still_waits_for_a_long_border(self):
        """The stage that fails has sent four borders of 64 MiB, most of which has still to go."""
        path = self.script("""mesh a = [x: 1] on 0:1
mesh b = [x: 1] on 1:2
let t = zeros(f32[4096, 4096] on a)
let z = iota(i64[4] on a)
let s = pipeline p = zeros(f32[] on b) for i < 4 by "gpipe" {
  let k = 5 / (1 - z[i])
  let hb = t + 1.0 as [4096, 4096] on b
  let kb = k as i64[] on b
  p + sum(hb) + f32(kb)
}
print s
""")
        for sharing in ("on", "off"):
            done = self.launch(2, "run", path, env=dict(os.environ, TESSERA_SHARED_MEMORY=sharing))
            self.expect(done, 1, "error[division-by-zero]", "(on rank 0)", "program.tess:6:")

    def test_a_step_fails_on_every_rank(self):
        done = self.launch(3, "run", self.script(SPLIT + 'let a = ones(f32[8@x])\nassert sum(a) < 8.0, "eight"\n'))
        self.expect(done, 1, "error[assertion-failed]", "eight")
        self.assertNotIn("on rank", done.err)

    def test_statistics_up_to_a_failure_on_one_rank(self):
        path = self.script(SPLIT + "let a = iota(i64[8@x])\nlet g = all_gather(a, 0, x)\nprint sum(g)\nlet b = 1 / (a - 5)\n"
                           "print sum(b)\n")
        for ranks in (1, 4):
            done = self.launch(ranks, "run", "--stats", path)
            self.expect(done, 1, "error[division-by-zero]")
            self.assertEqual(done.err.count(" received "), 1, done.err)
            self.assertIn("program.tess:3:1: steps 1, received 192 B in all, ", done.err)

    def test_a_profile_over_ranks(self):
        path = self.script(SPLIT + "let a = random(f32[1024@x, 1024], 1)\nlet b = loop b = a for i < 24 { tanh(b @ (a as [1024, 1024])) }\n"
                           "print sum(b) < 1e9\n")
        for ranks in (1, 2, 3):
            done = self.launch(ranks, "run", "--stats", path)
            self.assertEqual((done.status, done.out), (0, "True\n"), done.err)
            head, *rows = done.err[done.err.index("statement "):].splitlines()
            self.assertEqual(head.split(), ["statement", "line", "time", "computing", "moving", "waiting"])
            row = next(row for row in rows if row.startswith("let b = loop"))
            self.assertEqual(row.endswith(" 0 s"), ranks == 1, row)  # alone nobody waits
            self.assertEqual(" to " in row, ranks > 1, row)

    def test_a_program_that_is_wrong(self):
        self.expect(self.launch(3, "run", self.script("let a = missing\n")), 1, "error[unknown-name]")

    def test_a_file_is_missing_on_one_rank(self):
        for name in ("here", "there"):
            (self.folder / name).mkdir()
        self.launch(1, "run", self.script('save(iota(f32[8]), "here/a.npy")\n', "make.tess"))
        path = self.script(SPLIT + 'let a = load("a.npy", f32[8@x])\nprint a\n')
        done = self.launch_parts((2, self.folder / "here", ["run", path]), (1, self.folder / "there", ["run", path]))
        self.expect(done, 3, "error[file-missing]", "(on rank 2)", "program.tess:2:")

    def test_scripts_differ(self):
        one, other = self.script("print 1\n", "one.tess"), self.script("print 2\n", "other.tess")
        done = self.launch_parts((1, self.folder, ["run", one]), (2, self.folder, ["run", other]))
        self.expect(done, 3, "error[ranks-differ]", "ranks 1, 2 do not")
        self.assertEqual(done.out, "")

    def test_commands_differ(self):
        path = self.script("print 1\n")
        for other in (["check", path], ["--version"], ["nonsense"], []):
            with self.subTest(other=other):
                done = self.launch_parts((1, self.folder, ["run", path]), (1, self.folder, other))
                self.expect(done, 3, "error[ranks-differ]", "rank 1 does not", "the command")
        done = self.launch_parts((1, self.folder, ["check", path]), (1, self.folder, ["run", path]))
        self.expect(done, 3, "error[ranks-differ]")

    def test_a_script_is_missing_on_one_rank(self):
        path = self.script("print 1\n")
        done = self.launch_parts((2, self.folder, ["run", path]), (1, self.folder, ["run", "nowhere.tess"]))
        self.assertIn("error[ranks-differ]", done.err)
        self.assertIn("`tessera run - < FILE` reads the script on rank 0", done.err)
        self.assertNotEqual(done.status, 0)

    def test_the_programs_differ_though_the_text_is_the_same(self):
        path = self.script(SPLIT + "let n = 3\nlet a = iota(f32[n])\nprint a\n")
        done = self.launch_parts((1, self.folder, ["run", path]), (1, self.folder, ["run", path, "--define", "n=4"]))
        self.expect(done, 3, "error[ranks-differ]", "rank 1 does not")

    def test_too_much_memory(self):
        path = self.script(SPLIT + 'let a = ones(f64[400_000, 400_000@x])\nprint sum(a)\n'.replace("_", ""))
        self.expect(self.launch(2, "run", path), 3, "error[out-of-memory-plan]", "program.tess:2:")

    def test_a_target_that_cannot_be_written(self):
        path = self.script(SPLIT + 'save(ones(f32[8@x]), "no-such-folder/a.npy")\n')
        self.expect(self.launch(3, "run", path), 3, "error[cannot-write]", "program.tess:2:")

    def test_memory_that_cannot_be_shared(self):
        # Address space for one process's arrays, but not for what all may share.
        path = self.script(SPLIT + "print sum(iota(f32[8@x]))\n")
        limited = ["bash", "-c", 'ulimit -v 16000000; exec "$@"', "bash", *self.command("run", path)]
        begin = time.monotonic()
        done = self.finish(self.start([self.mpirun, "-np", 3, *limited]), begin)
        self.assertEqual((done.status, done.out), (0, "28.0\n"), done.err)
        self.assertEqual(done.err.count("note[memory-not-shared]"), 1, done.err)

    def test_processors_of_different_kinds(self):
        path = self.script(SPLIT + "print sum(iota(f32[8@x]))\n")
        begin = time.monotonic()
        done = self.finish(self.start([self.mpirun, "-np", 2, *self.command("run", path), ":", "-np", 1, "env",
                                       "OPENBLAS_CORETYPE=Nehalem", *self.command("run", path)]), begin)
        self.assertEqual((done.status, done.out), (0, "28.0\n"), done.err)
        self.assertIn("warning[processors-differ]: ", done.err)
        self.assertRegex(done.err, r" on ranks 0, 1; Nehalem on rank 2\n")
        self.assertEqual(self.launch(3, "run", path).err, "")

    def test_files_that_rank_0_alone_has(self):
        here = self.script("let n = 2.0\nfn twice(v: f32[N]?) = n * v\n", "one/twice.tess").parent
        program = self.script(SPLIT + 'use "twice.tess"\nprint sum(twice(iota(f32[8@x])))\nuse "none.tess"\n', "one/p.tess")
        for text, expected in ((program.read_text().replace('use "none.tess"\n', ""), (0, "56.0\n")), (program.read_text(), (1, ""))):
            begin = time.monotonic()
            words = [self.mpirun, "-np", 1, "env", "-C", here, *self.command("run", "-"), ":", "-np", 2,
                     *self.command("run", "-")]
            process = self.start(words, stdin=subprocess.PIPE)
            process.stdin.write(text)
            process.stdin.close()
            process.stdin = None
            done = self.finish(process, begin)
            self.assertEqual((done.status, done.out), expected, done.err)
            self.assertEqual(done.err.count("error[use-unread]"), 0 if expected[0] == 0 else 1, done.err)

    def test_another_mpis_launcher(self):
        if not shutil.which(OTHER_MPIRUN):
            self.skipTest("there is no other MPI")
        done = self.launch(3, "run", self.script("print 1\n"), mpirun=OTHER_MPIRUN)
        self.assertEqual(done.status, 2, done.err)
        self.assertIn("error[wrong-launcher]", done.err)
        self.assertIn("Open MPI", done.err)
        self.assertIn("MPICH", done.err)
        self.assertEqual(done.out, "")


if __name__ == "__main__":
    RanksTest.mpirun, OTHER_MPIRUN, RanksTest.tessera = sys.argv[1:4]
    run_crowd(waiting(RanksTest.mpirun), sys.argv[4:])
