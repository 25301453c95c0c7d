"""The loops of functions such as exp are vectors where the processor has them: the compiler makes none of a loop when it cannot take a
value apart, says nothing, and the function takes four times as long.

    test_vectors.py OBJECT    the object file of kernels/vector_functions.cpp
"""

import re
import subprocess
import sys
import unittest

TARGETS = ("avx2", "avx512")


def loops(listing):
    """The text of each loop for vectors, by its name."""
    found = {}
    for part in re.split(r"\n(?=[0-9a-f]+ <)", listing):
        head = re.match(r"[0-9a-f]+ <(.*)>:\n", part)
        if head and re.search(rf"::({'|'.join(TARGETS)})\(", head[1]):
            found[head[1]] = part
    return found


def has_vectors(text):
    return re.search(r"\bv(f[a-z]+|mul)\d*p[sd]\b", text) is not None


class Vectors(unittest.TestCase):
    def setUp(self):
        self.loops = loops(subprocess.run(["objdump", "-dC", "--no-show-raw-insn", OBJECT], check=True, capture_output=True, text=True).stdout)

    def test_every_function_has_a_loop_for_each_target(self):
        for function in ("Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Tanh", "Sigmoid", "Gelu", "Erf", "Arctan", "Circular", "Powers"):
            for target in TARGETS:
                for element in ("float", "double"):
                    names = [name for name in self.loops
                             if re.search(rf"\b{function}\b", name) and f"::{target}(" in name and f"{element} const*" in name]
                    self.assertTrue(names, f"no loop of {function} for {element} and {target}")

    def test_every_loop_multiplies_vectors(self):
        scalar = [name for name, text in self.loops.items() if not has_vectors(text)]
        self.assertEqual(scalar, [])

    def test_a_loop_without_vectors_is_seen(self):
        self.assertFalse(has_vectors("  10:\tvmulsd %xmm1,%xmm0,%xmm0\n  14:\tvaddsd %xmm1,%xmm0,%xmm0\n"))
        self.assertTrue(has_vectors("  10:\tvmulpd %ymm1,%ymm0,%ymm0\n"))


if __name__ == "__main__":
    OBJECT = sys.argv.pop(1)
    unittest.main()
