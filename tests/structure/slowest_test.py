"""What .ci/slowest.py makes of the words of ctest and of ninja's log."""

import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).parents[2] / ".ci" / "slowest.py"
SPEC = importlib.util.spec_from_file_location("slowest", PATH)
slowest = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(slowest)

CTEST = """
  1/13 Test   #1: base_tests.Utf8.Empty ......   Passed    0.02 sec
  2/13 Test  #12: limits.speed ...............***Failed   22.50 sec
 13/13 Test #113: cases.pad.edge .............***Timeout  120.02 sec
92% tests passed, 2 tests failed out of 13
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


if __name__ == "__main__":
    unittest.main()
