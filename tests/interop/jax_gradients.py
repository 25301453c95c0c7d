"""JAX as the judge of gradients: those of every function of tests/cases/gradients/jax_figures.py, in several layouts of its
argument and of the arrays that it is made into, at fresh points, on links with latency and without, are within 1e-12 of JAX's.

    jax_gradients.py TESSERA POINTS SEED    under a Python that has jax (scripts/setup --peers)"""

import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases/gradients"))
import jax_figures

NEAR = 1e-12
MESH = "mesh m = [x: 2, y: 3]"
ARGUMENT = ["[12]", "[12@x]", "[12@y]", "[12@(x,y)]", "[12@(y,x)]"]
# Of the matrix and of the array of three dimensions that functions make of their argument.
MADE = {
    jax_figures.M: ["[3@x, 4]", "[3, 4@x]", "[3@y, 4@x]", "[3, 4@(x,y)]", "[3@(y,x), 4]"],
    jax_figures.T: ["[2@x, 2, 3]", "[2, 2@x, 3@y]", "[2, 2, 3@(y,x)]", "[2@y, 2@x, 3]"],
    jax_figures.L: ["[24000@x]", "[24000@y]", "[24000@(x,y)]", "[24000@(y,x)]"],
    jax_figures.K: ["[600@x, 40]", "[600, 40@y]", "[600@y, 40@x]", "[600, 40@(x,y)]", "[600@(y,x), 40]"],
}
# Links without latency: what moves the fewest bytes is chosen, be arrays as small as they may.
FAST = '[{"name": "link", "count": 6, "bandwidth": 1e9, "latency": 1e-15}]'
# What the points may be without leaving a function's domain; ties and zeros stay where they are.
FACTORS = {"MIXED": (0.8, 1.2), "POSITIVE": (0.5, 2.0), "INSIDE": (0.5, 1.05), "ZEROS": (0.5, 2.0), "TIES": (1.0, 1.0)}


def moved(values, rng):
    kind = next(name for name in FACTORS if getattr(jax_figures, name) is values)
    return [value * rng.uniform(*FACTORS[kind]) for value in values]


def laid_out(text, rng):
    """The text with a layout at each array that is made in it, or at some."""
    for made, layouts in MADE.items():
        parts = text.split(made)
        text = parts[0]
        for part in parts[1:]:
            layout = rng.choice([None, *layouts])
            text += (f"({made} as {layout})" if layout else made) + part
    return text


class Gradient:
    """One gradient: a function at a point, which lie as they were drawn."""

    def __init__(self, number, row, rng):
        self.number, self.rng = number, rng
        self.name, values, self.source, python = row
        self.at = moved(values, rng)
        self.wanted = np.asarray(jax_figures.gradient_of(python, self.at))
        self.draw()

    def draw(self):
        name = f"{self.name}_{self.number}"
        self.text = (jax_figures.function_of(name, laid_out(self.source, self.rng))
                     + f"let at_{self.number}: f64[12] = {jax_figures.numbers(self.at)}\n"
                     + f"let (l_{self.number}, g_{self.number}) = grad(of_{name})(at_{self.number} as {self.rng.choice(ARGUMENT)})\n"
                     + f'save(g_{self.number}, "{self.number}.npy")\n')

    def fault(self, folder):
        own = np.load(f"{folder}/{self.number}.npy")
        error = float(np.max(np.abs(own - self.wanted) / (1 + np.abs(self.wanted))))
        if error < NEAR:
            return None
        return f"{self.name}: off by {error:.3g}\n{self.text}  JAX:  {self.wanted}\n  here: {own}"


def program_of(gradients):
    return MESH + "\n" + "".join(gradient.text for gradient in gradients)


def redraw_what_clashes(tessera, gradients):
    """Layouts that would put an axis on two dimensions are refused: others are drawn in their place."""
    for _ in range(100):
        done = subprocess.run([tessera, "check", "-"], input=program_of(gradients), capture_output=True, text=True)
        faults = re.findall(r"^error\[([a-z-]+)\].*\n +<stdin>:(\d+):", done.stderr, re.MULTILINE)
        if done.returncode == 0:
            return
        if not faults or {kind for kind, _ in faults} != {"axis-used-twice"}:
            sys.exit(done.stderr)
        lines = [gradient for gradient in gradients for _ in gradient.text.splitlines()]
        for gradient in {lines[int(line) - 2] for _, line in faults}:
            gradient.draw()
    sys.exit("no layouts were found that go together")


def main():
    tessera, points, rng = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]))
    checked, faults = 0, []
    for family, rows in jax_figures.FAMILIES.items():
        gradients = [Gradient(number, row, rng) for number, row in enumerate(points * rows)]
        redraw_what_clashes(tessera, gradients)
        with tempfile.TemporaryDirectory() as folder:
            text = program_of(gradients)
            (Path(folder) / "fast.json").write_text(FAST, encoding="utf-8")
            for machine in ([], ["--machine", "fast.json"]):
                done = subprocess.run([tessera, "run", "-", *machine], input=text, cwd=folder, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"{family}: {done.stderr}\n{text}")
                faults += [fault for gradient in gradients if (fault := gradient.fault(folder)) is not None]
                checked += len(gradients)
    print("\n".join(faults))
    print(f"{checked} gradients compared with JAX {jax.__version__}, {len(faults)} are not within {NEAR}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
