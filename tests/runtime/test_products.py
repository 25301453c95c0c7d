"""Products of floats on every kind of processor that this one can stand in for.

OpenBLAS has code for each kind of processor, which sums the terms of a product in an order of its own; OPENBLAS_CORETYPE
chooses it. A test whose tolerance fits only one kind fails on the machines of others, so the tests of products run with
each kind here. Kinds that the processor cannot run are skipped, and named.

Which tests these are is found out by the first kind, which runs all: MARKS says on standard output when OpenBLAS multiplies. Where
it does not, the kind of processor is nothing to a test.

    test_products.py MARKS EXECUTABLE FILTER [EXECUTABLE FILTER ...]
        the library of product_marks.cpp; GoogleTest executables, and which of their tests to run
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

# The kinds, and the processor's flags that their code needs.
KINDS = {
    "Prescott": {"pni"},
    "Nehalem": {"pni", "ssse3", "sse4_1", "sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"},
}


def flags_of(cpuinfo):
    """The flags of the first processor that Linux describes; none on processors of another family."""
    line = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return set(line[1].split()) if line else set()


def runs(kind, flags):
    return KINDS[kind] <= flags


class Flags(unittest.TestCase):
    def test_a_processor_with_avx2_only(self):
        flags = flags_of("model name : some\nflags\t\t: fpu pni ssse3 sse4_1 sse4_2 avx fma avx2\n\nflags : none\n")
        self.assertEqual([kind for kind in KINDS if runs(kind, flags)],
                         ["Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen"])

    def test_another_family(self):
        self.assertEqual([kind for kind in KINDS if runs(kind, flags_of("Features : fp asimd\n"))], [])


def multiplying(output):
    """The tests of GoogleTest's output in which OpenBLAS multiplied."""
    found, name = [], None
    for line in output.splitlines():
        begun = re.match(r"\[ RUN {6}\] (\S+)", line)
        if begun:
            name = begun[1]
        elif line == "[multiplies]" and name is not None and name not in found[-1:]:
            found.append(name)
    return found


class Marks(unittest.TestCase):
    def test_tests_that_multiply(self):
        output = ("[multiplies]\n[ RUN      ] A.one\n\n[multiplies]\n\n[multiplies]\n[       OK ] A.one (1 ms)\n"
                  "[ RUN      ] A.two\n[       OK ] A.two (1 ms)\n[ RUN      ] B.three/0\n[multiplies]\n")
        self.assertEqual(multiplying(output), ["A.one", "B.three/0"])


class Products(unittest.TestCase):
    # By executable: which of its tests multiply, once a kind has run all.
    selections = {}

    def run_with(self, kind):
        try:
            flags = flags_of(pathlib.Path("/proc/cpuinfo").read_text())
        except OSError as error:
            self.skipTest(f"the processor is unknown: {error}")
        if not runs(kind, flags):
            self.skipTest(f"this processor lacks {' '.join(sorted(KINDS[kind] - flags))}")
        environment = {**os.environ, "OPENBLAS_CORETYPE": kind, "OPENBLAS_VERBOSE": "2", "RC_PARAMS": "seed=20240607"}
        for executable, wanted in TESTS:
            selection = self.selections.get(executable, wanted)
            if executable not in self.selections:
                environment["LD_PRELOAD"] = MARKS
            else:
                environment.pop("LD_PRELOAD", None)
            done = subprocess.run([executable, f"--gtest_filter={selection}", "--gtest_color=no"], env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if "Core:" not in done.stdout:
                self.skipTest("this OpenBLAS has code for one kind of processor only")
            self.assertRegex(done.stdout, rf"(?m)^Core: {kind}$", "OpenBLAS took another kind")
            self.assertEqual(done.returncode, 0, f"{executable}\n{done.stdout}")
            self.assertRegex(done.stdout, r"PASSED  \] [1-9]", f"{executable} has no test named {selection}")
            if executable not in self.selections:
                found = multiplying(done.stdout)
                self.assertNotEqual(found, [], f"no test of {executable} multiplies by OpenBLAS")
                self.selections[executable] = ":".join(found)


def add_kind(kind):
    setattr(Products, f"test_{kind}", lambda self: self.run_with(kind))


for each in KINDS:
    add_kind(each)

MARKS = "".join(sys.argv[1:2])
TESTS = list(zip(sys.argv[2::2], sys.argv[3::2]))
if __name__ == "__main__":
    if not TESTS:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1], verbosity=2)
