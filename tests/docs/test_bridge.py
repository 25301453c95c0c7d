#!/usr/bin/env python3
"""What docs/bridge.md says is the same in NumPy and here is the same, and `:doc` and `explain` know its words.

    test_bridge.py TESSERA BRIDGE.md"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

TESSERA = "tessera"
PAGE = Path("docs/bridge.md")
CODE = re.compile(r"`([^`]+)`")
ROWS_MIN = 60
EXPLAINED = 20  # one of so many words


def tables():
    """Of each table its heading's cells and its rows, each a list of cells."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            found.append([])
        elif found and set(cells[0]) != {"-"}:
            found[-1].append(cells)
    return [(table[0], table[1:]) for table in found if table]


def same():
    """(NumPy's expression, ours) of each row that gives both."""
    for heading, rows in tables():
        if heading[:2] != ["NumPy", "here"]:
            continue
        for cells in rows:
            (ours,) = CODE.findall(cells[1])
            for theirs in CODE.findall(cells[0]):
                yield theirs, ours


def numpys():
    """The page's arrays, as it says that NumPy makes them."""
    names = {"np": np}
    text = PAGE.read_text(encoding="utf-8")
    (told,) = re.findall(r"In NumPy they are(.*?)JAX writes", text, re.DOTALL)
    for statement in CODE.findall(told.replace("\n", " ")):
        exec(statement, names)
    return names


def words():
    """Every name in the columns that speak of other systems, with its last part: `np.sum` and `sum`."""
    for heading, rows in tables():
        others = [column for column, head in enumerate(heading) if not head.startswith(("here", "by hand"))]
        for cells in rows:
            for column in others:
                for code in CODE.findall(cells[column]):
                    for name in re.findall(r"(?<![\w.\"])[A-Za-z]\w*(?:\.[A-Za-z]\w*)*", code):
                        yield name


class Bridge(unittest.TestCase):
    def test_both_sides_of_a_row_are_equal(self):
        names = numpys()
        rows = list(same())
        self.assertGreater(len(rows), ROWS_MIN)
        (program,) = re.findall(r"```tessera\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        for number, (_, ours) in enumerate(rows):
            program += f'save({ours}, "{number}.npy")\n'
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([TESSERA, "run", "-"], input=program, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            for number, (theirs, ours) in enumerate(rows):
                with self.subTest(numpy=theirs, here=ours):
                    wanted = np.asarray(eval(theirs, names))
                    given = np.load(f"{folder}/{number}.npy")
                    self.assertEqual(given.shape, wanted.shape)
                    self.assertEqual(given.dtype.kind, wanted.dtype.kind)
                    np.testing.assert_allclose(given, wanted, rtol=1e-6, atol=1e-12)

    def test_every_word_is_known(self):
        """`:doc` is asked for all of them in one session; a shell's `explain`, which starts anew for each, for some."""
        known = {word: None for name in words() for word in (name, name.rpartition(".")[2]) if len(word) >= 3}
        self.assertGreater(len(known), 2 * ROWS_MIN)
        typed = "".join(f'print "== {word}"\n:doc {word}\n' for word in known)
        done = subprocess.run([TESSERA], input=typed, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = dict(zip(known, re.split(r"(?m)^== .*\n", done.stdout)[1:], strict=True))
        for number, (word, text) in enumerate(told.items()):
            with self.subTest(word=word):
                self.assertIn(word, text)
                # Of a command of that name, `:placements`, a session tells instead; a shell has none.
                if number % EXPLAINED == 0 and not text.lstrip().startswith(f":{word}"):
                    done = subprocess.run([TESSERA, "explain", word], capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, text, ""))


if __name__ == "__main__":
    TESSERA, PAGE = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
