"""What the scripts of .ci make of the words of ctest and of ninja's log."""

import importlib.util
import pathlib
import unittest


def load(name):
    """A script of .ci as a module."""
    path = pathlib.Path(__file__).parents[2] / ".ci" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


slowest = load("slowest")
failed = load("failed")

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


if __name__ == "__main__":
    unittest.main()
