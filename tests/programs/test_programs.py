#!/usr/bin/env python3
"""The programs of examples/programs compute what NumPy does, on 1, 3 and 4 devices, in few lines and without axes in functions.

    test_programs.py TESSERA FOLDER"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "programs"))
import numpy_programs  # noqa: E402

TESSERA = "tessera"
FOLDER = Path("examples/programs")
DEVICES = (1, 3, 4)


def conjugate_gradients(b):
    """By elimination, which needs no tolerance."""
    n = len(b)
    one = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    return {"u": np.linalg.solve(np.kron(one, np.eye(n)) + np.kron(np.eye(n), one), b.ravel()).reshape(n, n)}


OTHERS = """
    adi atax attention bicg cholesky correlation covariance deriche doitgen fdtd_2d floyd_warshall gemver gesummv go_fast
    gramschmidt hdiff heat_3d jacobi_2d k_means lu mandelbrot mlp moving_mean mvt nbody softmax syrk
"""
PROGRAMS = (conjugate_gradients, *(getattr(numpy_programs, name) for name in OTHERS.split()))


def lines_of_code(text):
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def functions(text):
    """The text of all functions of a program, which is all that is indented and the lines that begin with `fn`."""
    return "\n".join(line for line in lines_of_code(text) if line.startswith(("fn ", " ", "}", ")")))


class Programs(unittest.TestCase):
    def run_on(self, text, devices, names):
        text = re.sub(r"mesh m = \[x: \d+\]", f"mesh m = [x: {devices}]", text)
        text += "".join(f'\nsave({name}, "value_{name}.npy")' for name in names) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([TESSERA, "run", "-"], input=text, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return {name: np.load(f"{folder}/value_{name}.npy") for name in names}

    def test_they_compute_what_numpy_does(self):
        for reference in PROGRAMS:
            text = (FOLDER / f"{reference.__name__}.tess").read_text(encoding="utf-8")
            inputs = reference.__code__.co_varnames[: reference.__code__.co_argcount]
            outputs = sorted(reference(*self.sample(reference, text, inputs)))
            for devices in DEVICES:
                with self.subTest(program=reference.__name__, devices=devices):
                    values = self.run_on(text, devices, [*inputs, *outputs])
                    wanted = reference(*(values[name] for name in inputs))
                    for name in outputs:
                        # A solver that ends at a tolerance is no nearer.
                        near = 1e-7 if reference is conjugate_gradients else 1e-9
                        np.testing.assert_allclose(values[name], wanted[name], rtol=1e-9, atol=near)

    def test_all_examples_are_in_the_canonical_layout(self):
        for path in sorted(FOLDER.parent.rglob("*.tess")):
            with self.subTest(path=str(path)):
                done = subprocess.run([TESSERA, "fmt", "--check", str(path)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_their_functions_may_stand_in_another_file(self):
        for path in FOLDER.glob("*.tess"):
            text = path.read_text(encoding="utf-8")
            own = [line for line in lines_of_code(text) if line not in functions(text).splitlines()]
            constants = [line for line in own if re.fullmatch(r"let N = \d+", line)]
            with self.subTest(program=path.stem), tempfile.TemporaryDirectory() as folder:
                layers = "\n".join([*constants, functions(text)]) + "\nassert false\n"
                Path(folder, "parts.tess").write_text(layers, encoding="utf-8")
                rest = [line for line in own if line not in constants]
                rest.insert(1, 'use "parts.tess"')
                printed = [
                    subprocess.run([TESSERA, "run", "-"], input=one, cwd=folder, capture_output=True, text=True, check=True)
                    for one in (text, "\n".join(rest) + "\n")
                ]
                self.assertEqual(printed[0].stdout, printed[1].stdout)

    def sample(self, reference, text, inputs):
        return self.run_on(text, 1, inputs).values()

    def test_no_program_of_the_folder_is_left_out(self):
        self.assertEqual({path.stem for path in FOLDER.glob("*.tess")}, {one.__name__ for one in PROGRAMS})

    def test_they_need_no_masks_for_triangles_nor_pieces_of_borders(self):
        for path in FOLDER.glob("*.tess"):
            with self.subTest(program=path.stem):
                text = "\n".join(lines_of_code(path.read_text(encoding="utf-8")))
                self.assertNotRegex(text, r"\b(where|update|concat)\(")
                if path.stem != "conjugate_gradients":  # its laplacian says how the grid lies
                    self.assertNotRegex(functions(text), r"@[a-z(]")


if __name__ == "__main__":
    TESSERA, FOLDER = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
