"""README's figures are those of the pages that it names."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
COUNTS = {"sixteen": 16, "seventeen": 17, "eighteen": 18}


def page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


class Figures(unittest.TestCase):
    def one(self, pattern, text=README):
        found = re.findall(pattern, text)
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def test_the_stencil(self):
        four, one = self.one(r"\| (\S+ ms) against (\d\S*) \(two cores")
        row = self.one(r"(?m)^\| jacobi_2d \| (\S+ ms) \| (\S+ ms) ", page("runtime.md"))
        self.assertEqual((one + " ms", four), row)

    def test_gpus(self):
        ratio, count = self.one(r"programs take (\S+) times as long as JAX in the geometric mean of (\w+)")
        self.assertEqual(self.one(r"geometric mean of the first (\w+) ratios is (\d\.\d+)", page("accelerators.md")), (count, ratio))
        rows = re.findall(r"(?m)^\|[^|]*\| [\d.]+ \| [\d.]+ \| ([\d.]+) \|", page("accelerators.md"))[:COUNTS[count]]
        mean = 1.0
        for row in rows:
            mean *= float(row) ** (1 / len(rows))
        self.assertAlmostEqual(mean, float(ratio), delta=0.01)

    def test_what_operations_receive(self):
        told = self.one(r"together receive (\S+ \S+) for `cumsum\(a, 0\)`, (\S+ \S+) for `sort\(a, 0\)` and (\S+ \S+) for `concat\(\[a, a\], 0\)`")
        for operation, figure in zip((r"cumsum\(a, 0\)", r"sort\(a, 0\)", r"concat\(\[a, a\], 0\)"), told):
            self.assertEqual(re.findall(rf"(?m)^\| `{operation}` \| ([^|]*) \|", page("operations.md"))[0], figure)

    def test_programs(self):
        self.assertEqual(int(self.one(r"`examples/programs/` has (\d+) programs")), len(list((ROOT / "examples/programs").glob("*.tess"))))

    def test_what_needs_a_processor_names_it(self):
        for row in re.findall(r"\|[^|]*\| ([^|]*(?:processor time|times as long)[^|]*) \|", README):
            self.assertRegex(row, r"AMD|Intel|H200")


if __name__ == "__main__":
    unittest.main()
