#!/usr/bin/env python3
"""A step of training of a transformer's block (f32, one device) beside the same with JAX: milliseconds of a step.

    block.py TESSERA [--batch 8] [--length 256] [--heads 8] [--width 512] [--goes 5]

Of Tessera a step is the difference of two runs that take more and fewer of them, over the steps between; of JAX one of as many
compiled and warm. They go by turns, and the median of each counts. Their losses after the steps have to agree."""

import argparse
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import jax
import jax.numpy as np
import numpy

FEW, MANY = 2, 8
RATE = 0.1
WEIGHTS = "q k v o up down".split()

PROGRAM = """mesh m = [x: 1]

fn normed(x: f32[B, S, E]?) = {
  let centred = x - mean(x, dim=2, keep=true)
  centred * rsqrt(mean(centred * centred, dim=2, keep=true) + 1e-5)
}

fn attention(x: f32[B, S, E]?, q: f32[E, H, K]?, k: f32[E, H, K]?, v: f32[E, H, K]?, o: f32[H, K, E]?) = {
  let scores = einsum("bshk,bthk->bhst", einsum("bse,ehk->bshk", x, q), einsum("bse,ehk->bshk", x, k))
  let mixed = einsum("bhst,bthk->bshk", softmax(scores * 0.125, 3), einsum("bse,ehk->bshk", x, v))
  einsum("bshk,hke->bse", mixed, o)
}

fn loss(
  x: f32[B, S, E]?, q: f32[E, H, K]?, k: f32[E, H, K]?, v: f32[E, H, K]?, o: f32[H, K, E]?, up: f32[E, F]?, down: f32[F, E]?,
  target: f32[B, S, E]?
) = {
  let y = x + attention(normed(x), q, k, v, o)
  mean((y + gelu(normed(y) @ up) @ down - target)**2.0)
}

let x = normal(f32[BATCH, LENGTH, WIDTH], 1)
let target = normal(f32[BATCH, LENGTH, WIDTH], 2)
let q = normal(f32[WIDTH, HEADS, 64], 3) * 0.05
let k = normal(f32[WIDTH, HEADS, 64], 4) * 0.05
let v = normal(f32[WIDTH, HEADS, 64], 5) * 0.05
let o = normal(f32[HEADS, 64, WIDTH], 6) * 0.05
let up = normal(f32[WIDTH, (4 * WIDTH)], 7) * 0.05
let down = normal(f32[(4 * WIDTH), WIDTH], 8) * 0.02
"""

TRAINED = """let (q2, k2, v2, o2, up2, down2) = loop q = q, k = k, v = v, o = o, up = up, down = down for step < {steps} {{
  let (l, gq, gk, gv, go, gup, gdown) = grad(loss, wrt=[q, k, v, o, up, down])(x, q, k, v, o, up, down, target)
  (q - {rate} * gq, k - {rate} * gk, v - {rate} * gv, o - {rate} * go, up - {rate} * gup, down - {rate} * gdown)
}}
print loss(x, q2, k2, v2, o2, up2, down2, target)
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tessera", type=lambda path: Path(path).resolve())  # runs are in a folder of their own
    for name, default in (("batch", 8), ("length", 256), ("heads", 8), ("width", 512), ("goes", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


class Ours:
    """The program as a file; each run is a process."""

    def __init__(self, args, folder):
        self.tessera, self.folder, self.text = args.tessera, folder, PROGRAM
        for name in ("batch", "length", "heads", "width"):
            self.text = self.text.replace(name.upper(), str(getattr(args, name)))

    def run(self, more):
        """The seconds by the wall's clock and of the processor, and what is printed."""
        path = Path(self.folder, "block.tess")
        path.write_text(self.text + more, encoding="utf-8")
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([self.tessera, "run", path], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def steps(self, count):
        return self.run(TRAINED.format(steps=count, rate=RATE))

    def step(self):
        few, many = self.steps(FEW), self.steps(MANY)
        return [(more - less) / (MANY - FEW) for less, more in zip(few[:2], many[:2])]

    def arrays(self):
        names = [*WEIGHTS, "x", "target"]
        self.run("".join(f'save({name}, "{name}.npy")\n' for name in names))
        return [np.asarray(numpy.load(Path(self.folder, f"{name}.npy"))) for name in names]


def normed(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def attention(x, q, k, v, o):
    scores = np.einsum("bshk,bthk->bhst", np.einsum("bse,ehk->bshk", x, q), np.einsum("bse,ehk->bshk", x, k))
    mixed = np.einsum("bhst,bthk->bshk", jax.nn.softmax(scores * 0.125, -1), np.einsum("bse,ehk->bshk", x, v))
    return np.einsum("bshk,hke->bse", mixed, o)


def loss(weights, x, target):
    *heads, up, down = weights
    y = x + attention(normed(x), *heads)
    return ((y + jax.nn.gelu(normed(y) @ up, approximate=False) @ down - target) ** 2).mean()


@jax.jit
def stepped(weights, x, target):
    return [w - RATE * g for w, g in zip(weights, jax.grad(loss)(weights, x, target))]


class Theirs:
    def __init__(self, arrays):
        *self.weights, self.x, self.target = arrays
        self.after(1)

    def after(self, steps):
        weights = self.weights
        for _ in range(steps):
            weights = stepped(weights, self.x, self.target)
        return jax.block_until_ready(weights)

    def step(self):
        wall, processor = time.perf_counter(), time.process_time()
        self.after(MANY - FEW)
        return [(time.perf_counter() - wall) / (MANY - FEW), (time.process_time() - processor) / (MANY - FEW)]


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(args, folder)
        theirs = Theirs(ours.arrays())
        losses = float(ours.steps(FEW)[2]), float(loss(theirs.after(FEW), theirs.x, theirs.target))
        if abs(losses[0] - losses[1]) > 1e-4 * losses[1]:
            raise SystemExit(f"they disagree after {FEW} steps: {losses[0]} and {losses[1]}")
        goes = [(ours.step(), theirs.step()) for _ in range(args.goes)]
    medians = [[statistics.median(go[side][clock] for go in goes) for clock in (0, 1)] for side in (0, 1)]
    print(f"{'':8} {'ms a step':>10} {'cpu ms':>8}")
    for name, (wall, processor) in zip(("tessera", "JAX"), medians):
        print(f"{name:8} {wall * 1e3:>10.1f} {processor * 1e3:>8.1f}")
    print("over JAX", " ".join(f"{a / b:.2f}" for a, b in zip(*medians)))


if __name__ == "__main__":
    main()
