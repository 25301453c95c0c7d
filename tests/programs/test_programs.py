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

TESSERA = "tessera"
FOLDER = Path("examples/programs")
DEVICES = (1, 3, 4)


def jacobi_2d(a0, b0):
    a, b = a0.copy(), b0.copy()
    for _ in range(10):
        for source, target in ((a, b), (b, a)):
            target[1:-1, 1:-1] = 0.2 * (
                source[1:-1, 1:-1] + source[1:-1, :-2] + source[1:-1, 2:] + source[2:, 1:-1] + source[:-2, 1:-1]
            )
    return {"a": a, "b": b}


def heat_3d(a0):
    a = a0.copy()
    for _ in range(20):
        inner = a[1:-1, 1:-1, 1:-1]
        a[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * inner + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * inner + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * inner + a[1:-1, 1:-1, :-2])
            + inner
        )
    return {"a": a}


def fdtd_2d(ex0, ey0, hz0, drive):
    ex, ey, hz = ex0.copy(), ey0.copy(), hz0.copy()
    for driven in drive:
        ey[0, :] = driven
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def adi(u0):
    u, n, turns = u0.copy(), u0.shape[0], 5
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    a = -2.0 * (1.0 / turns) * n * n / 2.0
    d = -1.0 * (1.0 / turns) * n * n / 2.0
    b, e = 1.0 - 2.0 * a, 1.0 - 2.0 * d
    for _ in range(turns):
        v[0, 1:-1], p[1:-1, 0] = 1.0, 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            rest = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:] - a * q[1:-1, j - 1]
            q[1:-1, j] = rest / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0], p[1:-1, 0] = 1.0, 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -d / (d * p[1:-1, j - 1] + e)
            rest = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j] - d * q[1:-1, j - 1]
            q[1:-1, j] = rest / (d * p[1:-1, j - 1] + e)
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return {"u": u}


def deriche(picture):
    alpha = 0.25
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a2, a3 = k * np.exp(-alpha) * (alpha - 1.0), k * np.exp(-alpha) * (alpha + 1.0)
    a4, b1, b2 = -k * np.exp(-2.0 * alpha), 2.0**-alpha, -np.exp(-2.0 * alpha)

    def filtered(u):
        there, back = np.zeros_like(u), np.zeros_like(u)
        there[:, 0] = k * u[:, 0]
        there[:, 1] = k * u[:, 1] + a2 * u[:, 0] + b1 * there[:, 0]
        for j in range(2, u.shape[1]):
            there[:, j] = k * u[:, j] + a2 * u[:, j - 1] + b1 * there[:, j - 1] + b2 * there[:, j - 2]
        back[:, -2] = a3 * u[:, -1]
        for j in range(u.shape[1] - 3, -1, -1):
            back[:, j] = a3 * u[:, j + 1] + a4 * u[:, j + 2] + b1 * back[:, j + 1] + b2 * back[:, j + 2]
        return there + back

    return {"edges": filtered(filtered(picture).T).T}


def cholesky(a):
    return {"l": np.linalg.cholesky(a)}


def lu(a):
    n, l, u = len(a), np.eye(len(a)), a.copy()
    for k in range(n):
        l[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :] -= np.outer(l[k + 1 :, k], u[k])
    return {"l": l, "u": np.triu(u)}


def conjugate_gradients(b):
    n = len(b)
    one = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    return {"u": np.linalg.solve(np.kron(one, np.eye(n)) + np.kron(np.eye(n), one), b.ravel()).reshape(n, n)}


def atax(a, x):
    return {"y": a.T @ (a @ x)}


def k_means(points, start):
    centers = start
    for turns in range(1, 101):
        ids = np.argmin(((points[:, None] - centers[None]) ** 2).sum(axis=2), axis=1)
        after = np.array([points[ids == k].mean(axis=0) for k in range(len(centers))])
        moved, centers = np.abs(after - centers).max(), after
        if moved <= 1e-12:
            break
    return {"centers": centers, "turns": turns}


PROGRAMS = (jacobi_2d, heat_3d, fdtd_2d, adi, deriche, cholesky, lu, conjugate_gradients, atax, k_means)


def lines_of_code(text):
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def functions(text):
    """The text of all functions of a program, which is all that is indented and the lines that begin with `fn`."""
    return "\n".join(line for line in lines_of_code(text) if line.startswith(("fn ", " ", "}")))


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
