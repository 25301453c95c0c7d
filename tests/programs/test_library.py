#!/usr/bin/env python3
"""The functions of the library that is written in the language compute what NumPy does, on 1, 3 and 4 devices, however their
arguments lie.

    test_library.py TESSERA FOLDER"""

import itertools
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

TESSERA = "tessera"
FOLDER = Path("embed/library")
DEVICES = (1, 3, 4)
RANDOM = np.random.default_rng(7)


def drawn(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def extents(*shape):
    """Extents stand for themselves as an array of them, whose elements are not read."""
    return np.zeros(shape, bool)


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, scale, shift):
    d = x - x.mean(axis=1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * scale + shift


def attention(q, k, v, seen=True):
    scores = np.einsum("btd,bsd->bts", q, k) / np.sqrt(q.shape[2])
    return softmax(np.where(seen, scores, -np.inf)) @ v


def causal_attention(q, k, v):
    return attention(q, k, v, np.tril(np.ones((q.shape[1], q.shape[1]), bool)))


def cross_entropy(scores, labels):
    return -np.log(softmax(scores)[np.arange(len(labels)), labels]).mean()


def adam(w, g, m, v, turn, rate):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    mean, square = m / (1 - 0.9 ** (turn + 1)), v / (1 - 0.999 ** (turn + 1))
    return w - rate * mean / (np.sqrt(square) + 1e-8 / np.sqrt(1 - 0.999 ** (turn + 1))), m, v


def conv2d_in_steps(x, w, step):
    """Windows stand `step` apart, with half of their rows and columns before where they stand; outside of an image is 0."""
    (rows, columns), (p, q) = step.shape, w.shape[2:]
    ends = [(0, 0), (0, 0), ((p - 1) // 2, p), ((q - 1) // 2, q)]
    around = np.pad(x, ends)
    every = np.lib.stride_tricks.sliding_window_view(around, (p, q), axis=(2, 3))
    return np.einsum("bchwpq,ocpq->bohw", every[:, :, : x.shape[2] : rows, : x.shape[3] : columns], w)


def conv1d_in_steps(x, w, step):
    return conv2d_in_steps(x[..., None], w[..., None], step[:, None])[..., 0]


def pooled(x, window, step, of):
    axes = tuple(range(2, x.ndim))
    every = np.lib.stride_tricks.sliding_window_view(x, window.shape, axis=axes)
    every = every[(slice(None), slice(None), *(slice(None, None, n) for n in step.shape))]
    return of(every, axis=tuple(range(x.ndim, every.ndim)))


def positive(n):
    a = RANDOM.standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


def power_iteration(a, guess, tolerance):
    values, vectors = np.linalg.eigh(a)
    at = np.argmax(np.abs(values))
    return values[at], vectors[:, at] * np.sign(vectors[:, at] @ guess)


def symmetric(n):
    """A matrix whose greatest eigenvalue is far from the others."""
    a = positive(n)
    return a + 3 * np.trace(a) * np.ones((n, n)) / n


# The arguments, and what NumPy says of them; words behind a name tell two rows of a function apart.
NN = {
    "linear": ((drawn(6, 5), drawn(5, 4), drawn(4)), lambda x, w, b: x @ w + b),
    "layer_norm": ((drawn(6, 5), drawn(5), drawn(5)), layer_norm),
    "rms_norm": ((drawn(6, 5), drawn(5)), lambda x, s: x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * s),
    "attention": ((drawn(2, 6, 4), drawn(2, 5, 4), drawn(2, 5, 3)), attention),
    "causal_attention": ((drawn(2, 6, 4), drawn(2, 6, 4), drawn(2, 6, 3)), causal_attention),
    "cross_entropy": ((drawn(6, 5), RANDOM.integers(0, 5, 6)), cross_entropy),
    "squared_error": ((drawn(6, 5), drawn(6, 5)), lambda a, b: ((a - b) ** 2).mean()),
    "adam": ((drawn(6, 5), drawn(6, 5), drawn(6, 5), drawn(6, 5) ** 2, 3, np.float32(0.1)), adam),
    "adam of vectors": ((drawn(6), drawn(6), drawn(6), drawn(6) ** 2, 0, np.float32(0.1)), adam),
    "conv2d": ((drawn(2, 2, 7, 5), drawn(3, 2, 3, 2)), lambda x, w: conv2d_in_steps(x, w, extents(1, 1))),
    "conv2d_in_steps": ((drawn(2, 2, 7, 5), drawn(3, 2, 3, 3), extents(2, 3)), conv2d_in_steps),
    "conv1d": ((drawn(2, 3, 9), drawn(2, 3, 4)), lambda x, w: conv1d_in_steps(x, w, extents(1))),
    "conv1d_in_steps": ((drawn(2, 3, 9), drawn(2, 3, 3), extents(2)), conv1d_in_steps),
    "max_pool2d": ((drawn(2, 3, 7, 6), extents(3, 2), extents(2, 2)), lambda x, window, step: pooled(x, window, step, np.max)),
    "mean_pool2d": ((drawn(2, 3, 7, 6), extents(2, 3), extents(1, 3)), lambda x, window, step: pooled(x, window, step, np.mean)),
    "max_pool1d": ((drawn(2, 3, 9), extents(4), extents(2)), lambda x, window, step: pooled(x, window, step, np.max)),
    "mean_pool1d": ((drawn(2, 3, 9), extents(2), extents(3)), lambda x, window, step: pooled(x, window, step, np.mean)),
}
# What these are made of, and nobody calls.
PARTS = {"nn": {"window_steps", "window_products", "windows_on", "windows_back", "window_max", "window_sum"}, "linalg": set()}
LINALG = {
    "conjugate_gradients": (
        (positive(9), RANDOM.standard_normal(9), 1e-12),
        lambda a, b, tolerance: (np.linalg.solve(a, b), None),
    ),
    "power_iteration": ((symmetric(9), RANDOM.standard_normal(9), 1e-10), power_iteration),
}
TEXTS = {"nn": NN, "linalg": LINALG}


def type_of(argument, split):
    """Split in so many ways: not at all, or along one dimension."""
    dimensions = [f"{n}@x" if d == split else str(n) for d, n in enumerate(argument.shape)]
    element = {"i": "i64", "b": "bool", "f": f"f{8 * argument.dtype.itemsize}"}[argument.dtype.kind]
    return f"{element}[{', '.join(dimensions)}]"


def program(name, function, arguments, splits, devices, results):
    lines = [f"mesh m = [x: {devices}]", f'use "std/{name}"']
    given = []
    for number, (argument, split) in enumerate(zip(arguments, splits, strict=True)):
        if np.ndim(argument) == 0:
            given.append(repr(argument.item()) if isinstance(argument, np.generic) else repr(argument))
        else:
            lines.append(f'let a{number} = load("a{number}.npy", {type_of(argument, split)})')
            given.append(f"a{number}")
    names = [f"r{number}" for number in range(results)]
    lines.append(f"let {names[0] if results == 1 else '(' + ', '.join(names) + ')'} = {function.split()[0]}({', '.join(given)})")
    lines += [f'save({one}, "{one}.npy")' for one in names]
    return "\n".join(lines) + "\n"


class Library(unittest.TestCase):
    def run_one(self, name, function, splits, devices):
        arguments, reference = TEXTS[name][function]
        wanted = reference(*(a.astype(np.float64) if np.ndim(a) and a.dtype == np.float32 else a for a in arguments))
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        with tempfile.TemporaryDirectory() as folder:
            for number, argument in enumerate(arguments):
                np.save(f"{folder}/a{number}.npy", argument)
            text = program(name, function, arguments, splits, devices, len(wanted))
            done = subprocess.run([TESSERA, "run", "-"], input=text, cwd=folder, capture_output=True, text=True, check=False)
            # Both operands of a product may be split alike along the dimensions of the result: no machine could do that.
            if "error[axis-used-twice]" in done.stderr:
                return
            self.assertEqual(done.returncode, 0, text + done.stderr)
            near = 1e-4 if name == "nn" else 1e-8
            for number, one in enumerate(wanted):
                if one is not None:
                    np.testing.assert_allclose(np.load(f"{folder}/r{number}.npy"), one, rtol=near, atol=near)

    def test_they_compute_what_numpy_does(self):
        for name, functions in TEXTS.items():
            for function, (arguments, _) in functions.items():
                ways = [[None, *range(np.ndim(a))] for a in arguments]
                for number, splits in enumerate(itertools.product(*ways)):
                    if number > 0 and RANDOM.random() > 4 / np.prod([len(way) for way in ways]):
                        continue
                    devices = DEVICES[number % len(DEVICES)]
                    with self.subTest(function=function, splits=splits, devices=devices):
                        self.run_one(name, function, splits, devices)

    def test_every_function_is_here(self):
        texts = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.tess")}
        self.assertEqual(set(texts), set(TEXTS))
        for name, text in texts.items():
            self.assertEqual(set(re.findall(r"^fn (\w+)", text, re.M)), {row.split()[0] for row in TEXTS[name]} | PARTS[name])

    def test_the_reference_lists_them(self):
        reference = (FOLDER.parent.parent / "docs" / "language.md").read_text(encoding="utf-8")
        for name, functions in TEXTS.items():
            row = re.search(rf"^\| `std/{name}` \| (.*)$", reference, re.M).group(1)
            self.assertEqual(re.findall(r"`(\w+)`", row)[:-1], list(dict.fromkeys(one.split()[0] for one in functions)))

    def test_explain_prints_them(self):
        for path in FOLDER.glob("*.tess"):
            told = subprocess.run([TESSERA, "explain", f"std/{path.stem}"], capture_output=True, text=True, check=True)
            lines = [line.strip() for line in told.stdout.splitlines() if line.strip()]
            text = path.read_text(encoding="utf-8")
            self.assertEqual(lines, [line.strip() for line in text.splitlines() if line.strip()])


if __name__ == "__main__":
    TESSERA, FOLDER = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
