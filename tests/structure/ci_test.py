"""What the scripts of .ci make of the words of ctest and of ninja's log, and that its parts make up the whole."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


def load(name):
    """A script of .ci as a module."""
    path = ROOT / ".ci" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


slowest = load("slowest")
failed = load("failed")
part = load("part")

CTEST = """
  1/13 Test   #1: base_tests.Utf8.Empty ......   Passed    0.02 sec
  2/13 Test  #12: limits.speed ...............***Failed   22.50 sec
 13/13 Test #113: cases.pad.edge .............***Timeout  120.02 sec
92% tests passed, 2 tests failed out of 13
"""

FAILURES = """
    Start   1: base_tests.Utf8.Empty
    Start  12: repl.run
  1/13 Test   #1: base_tests.Utf8.Empty ......   Passed    0.02 sec
    Start 113: cases.pad.edge
 2/13 Test  #12: repl.run ...................***Failed   22.50 sec
..E
Test 3 of 4 ended

    Start   4: repl.fmt
 3/13 Test   #4: repl.fmt ...................   Passed    2.50 sec
what a passing test printed
12/13 Test  #99: host.speed .................***Skipped    0.02 sec
13/13 Test #113: cases.pad.edge .............***Timeout  120.02 sec


92% tests passed, 2 tests failed out of 13

The following tests FAILED:
"""

NINJA = """# ninja log v5
0\t1000\t7\tbase/CMakeFiles/tessera_base.dir/check.cpp.o\ta
0\t9000\t7\truntime/old.o\tb
0\t3000\t7\tgrammar/Lexer.cpp\tc
0\t3000\t7\tgrammar/Parser.cpp\tc
500\t2500\t7\truntime/old.o\tb
0\t4000\t7\ttests/runtime/CMakeFiles/runtime_tests.dir/map_test.cpp.o\td
0\t4000\t7\t/some/where/tests/runtime/again\te
"""


class Slowest(unittest.TestCase):
    def test_tests(self):
        self.assertEqual(slowest.longest_tests(CTEST),
                         [(120.02, "cases.pad.edge"), (22.5, "limits.speed"), (0.02, "base_tests.Utf8.Empty")])
        self.assertEqual(slowest.longest_tests("nothing was tested\n"), [])

    def test_folders(self):
        self.assertEqual(slowest.built(NINJA), [(4, "tests/runtime"), (3, "grammar"), (2, "runtime"), (1, "base")])

    def test_line(self):
        self.assertEqual(slowest.line("longest tests", slowest.longest_tests(CTEST)[:2]),
                         "longest tests: cases.pad.edge 120 s, limits.speed 22 s")


class Failed(unittest.TestCase):
    def test_what_they_said(self):
        self.assertEqual(failed.failures(FAILURES), [
            [" 2/13 Test  #12: repl.run ...................***Failed   22.50 sec", "..E", "Test 3 of 4 ended", ""],
            ["13/13 Test #113: cases.pad.edge .............***Timeout  120.02 sec", "", ""]])
        self.assertEqual(failed.failures(CTEST.replace("***", "   ")), [])

    def test_the_last_lines(self):
        lines = [f"line {number}" for number in range(50)]
        self.assertEqual(failed.shown(["name", *lines, "", " "]), ["name", "(10 lines before)", *lines[10:]])
        self.assertEqual(failed.shown(["name", ""]), ["name"])


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                          capture_output=True, text=True).stdout.strip()


class Parts(unittest.TestCase):
    ALL = set(range(1, len(part.PARTS) + 1))

    def test_as_many_in_turn_as_there_are_take_all(self):
        for first in range(20):
            self.assertEqual({part.part(first + turn) for turn in self.ALL}, self.ALL)

    def test_of_a_hash(self):
        self.assertEqual({part.part_of_hash(f"{value:040x}") for value in self.ALL}, self.ALL)

    def test_of_a_clone_and_of_a_shallow_one(self):
        with tempfile.TemporaryDirectory() as folder:
            git(folder, "init", "-q", "whole")
            whole = f"{folder}/whole"
            seen = []
            for number in range(4):
                git(whole, "commit", "-q", "--allow-empty", "-m", str(number))
                seen.append(part.part_of(whole))
            self.assertEqual(seen, [part.part(number) for number in (1, 2, 3, 4)])
            git(folder, "clone", "-q", "--depth", "1", f"file://{whole}", "shallow")
            self.assertEqual(part.part_of(f"{folder}/shallow"), part.part_of_hash(git(whole, "rev-parse", "HEAD")))

    def test_of_a_folder_without_history(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn(part.part_of(folder), self.ALL)

    def test_of_who_asks(self):
        most = len(part.PARTS)
        for asked, status in [("1", 0), (str(most), 0), ("0", 1), (str(most + 1), 1), ("all", 1)]:
            done = subprocess.run([sys.executable, ROOT / ".ci" / "part.py"], env={**os.environ, "CI_PART": asked},
                                  capture_output=True, text=True, check=False)
            said = f"{asked} {most} {part.PARTS[int(asked) - 1]}\n" if status == 0 else ""
            self.assertEqual((done.returncode, done.stdout), (status, said), done.stderr)


def executables(name):
    """The executables of a list of scripts/test-checked."""
    script = (ROOT / "scripts" / "test-checked").read_text(encoding="utf-8")
    return [word for words in re.findall(rf"^{name}\+?=\(([^)]*)\)", script, re.MULTILINE) for word in words.split()]


class Checked(unittest.TestCase):
    """Every quick executable is in one part of the tests under AddressSanitizer, and every part is taken."""

    LISTS = ("planning", "running", "programs", "cases", "command")
    # What only other tests start.
    STARTED = {"tessera", "tessera_cases", "emulated_cuda", "emulated_nvrtc", "emulated_cublas"}

    # Not with sanitizers, says tests/runtime/CMakeLists.txt.
    WITHOUT = {"own_blas_tests", "no_blas_tests"}

    def declared(self):
        for listing in sorted((ROOT / "tests").glob("**/CMakeLists.txt")):
            text = listing.read_text(encoding="utf-8")
            for name, words in re.findall(r"tessera_test\((\w+)([^)]*)\)", text):
                labels = re.search(r"LABELS\s+(\w+)", words)
                if labels is None or labels[1] == "fast":
                    yield name
            for name in re.findall(r"^tessera_fuzz\((\w+)", text, re.MULTILINE):
                yield f"{name}_fuzz"

    def test_every_quick_executable_has_one_part(self):
        parts = [name for each in self.LISTS for name in executables(each)]
        self.assertEqual(len(parts), len(set(parts)))
        declared = set(self.declared())
        self.assertGreater(len(declared), 20)
        self.assertEqual(declared - self.WITHOUT, set(parts) - self.STARTED)

    def test_every_part_is_taken(self):
        for words in [f"scripts/test-checked asan {name}" for name in (*self.LISTS, "gpus")] + [
                "scripts/test-checked tsan running", "scripts/test-checked tsan programs", "scripts/tidy --half 1",
                "scripts/tidy --half 2"]:
            self.assertEqual(part.PARTS.count(words), 1, words)


if __name__ == "__main__":
    unittest.main()
