"""Convolutions and pools of `std/nn` beside formulas of plain Python: windows, steps and filters of many extents on images that lie in
many ways; and the bytes of their halos, by `run --stats`."""

import itertools
import random
import re

from bounds import MACHINE
from driver import CommandLine, main, received_by

MESHES = [("x: 1", [""]), ("x: 4", ["", "0x", "1x", "2x", "3x"]), ("x: 2, y: 3", ["2x3y", "0x2y", "3x", "2(x,y)"])]


def element(k, factor, period):
    """The k-th element of an array of whole numbers."""
    return k * factor % period - period // 2


def array(shape, factor, period):
    count = iter(range(1_000_000))

    def made(extents):
        return [made(extents[1:]) for _ in range(extents[0])] if extents else element(next(count), factor, period)

    return made(list(shape))


def written(name, shape, split, factor, period):
    """A statement that makes the same array, split as "2x3y" says: dimension 2 over x, and 3 over y."""
    dimensions = [str(extent) for extent in shape]
    for at, axes in re.findall(r"(\d)(\w|\(x,y\))", split):
        dimensions[int(at)] += f"@{axes}"
    return f"let {name} = f32(iota(i64[{', '.join(dimensions)}]) * {factor} % {period} - {period // 2})"


def convolved(x, w, shape, filters, step):
    b, c, h, width = shape
    o, _, p, q = filters
    s, t = step
    top, left = (p - 1) // 2, (q - 1) // 2
    at = lambda n, k, i, j: x[n][k][i][j] if 0 <= i < h and 0 <= j < width else 0
    return [sum(at(n, k, i * s - top + u, j * t - left + v) * w[f][k][u][v] for k in range(c) for u in range(p) for v in range(q))
            for n in range(b) for f in range(o) for i in range(-(-h // s)) for j in range(-(-width // t))]


def gradients(x, w, g, shape, filters, step):
    """Of the sum of a convolution times g: by the image and by the filters."""
    b, c, h, width = shape
    o, _, p, q = filters
    by_x, by_w = array(shape, 0, 1), array(filters, 0, 1)
    for n, f, i, j in itertools.product(range(b), range(o), range(-(-h // step[0])), range(-(-width // step[1]))):
        for k, u, v in itertools.product(range(c), range(p), range(q)):
            row, column = i * step[0] - (p - 1) // 2 + u, j * step[1] - (q - 1) // 2 + v
            if 0 <= row < h and 0 <= column < width:
                by_x[n][k][row][column] += g[n][f][i][j] * w[f][k][u][v]
                by_w[f][k][u][v] += g[n][f][i][j] * x[n][k][row][column]
    return flat(by_x) + flat(by_w)


def flat(numbers):
    return [one for part in numbers for one in flat(part)] if isinstance(numbers, list) else [numbers]


def pooled(x, shape, window, step, of):
    b, c, h, width = shape
    (p, q), (s, t) = window, step
    return [of([x[n][k][i * s + u][j * t + v] for u in range(p) for v in range(q)])
            for n in range(b) for k in range(c) for i in range((h - p) // s + 1) for j in range((width - q) // t + 1)]


class Windows(CommandLine):
    def run_lines(self, mesh, lines):
        self.write("a.tess", "\n".join(['use "std/nn"', f"mesh m = [{mesh}]", *lines]) + "\n")
        self.write("machine.json", MACHINE)
        done = self.tessera("run", "a.tess", "--stats", "--machine", "machine.json")
        self.assertEqual(done.status, 0, (lines, done.err))
        return done

    def gives(self, mesh, lines, expected):
        out = self.run_lines(mesh, [*lines, "print reshape(y, [-1])"]).out
        numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[+-]\d+)?", out)]
        self.assertEqual(len(numbers), len(expected), lines)
        for number, right in zip(numbers, expected):
            self.assertAlmostEqual(number, right, delta=1e-5 * max(1, abs(right)), msg=str(lines))

    def cases(self, seed, count):
        chance = random.Random(seed)
        for _ in range(count):
            mesh, splits = chance.choice(MESHES)
            shape = (chance.randint(1, 2), chance.randint(1, 3), chance.randint(1, 9), chance.randint(1, 9))
            yield chance, mesh, chance.choice(splits), shape

    def test_convolutions(self):
        for chance, mesh, split, shape in self.cases(1, 60):
            filters = (chance.randint(1, 3), shape[1], chance.randint(1, 5), chance.randint(1, 5))
            step = (chance.randint(1, 3), chance.randint(1, 3))
            lines = [written("x", shape, split, 37, 11), written("w", filters, "", 5, 7)]
            if step == (1, 1):
                lines.append("let y = conv2d(x, w)")
            else:
                lines.append(f"let y = conv2d_in_steps(x, w, zeros(bool[{step[0]}, {step[1]}]))")
            self.gives(mesh, lines, convolved(array(shape, 37, 11), array(filters, 5, 7), shape, filters, step))

    def test_gradients(self):
        for chance, mesh, split, shape in self.cases(3, 15):
            filters = (chance.randint(1, 3), shape[1], chance.randint(1, 4), chance.randint(1, 4))
            step = (chance.randint(1, 2), chance.randint(1, 2))
            made = (shape[0], filters[0], -(-shape[2] // step[0]), -(-shape[3] // step[1]))
            call = f"conv2d_in_steps(x, w, zeros(bool[{step[0]}, {step[1]}]))"
            lines = [f"fn loss(x: f32[B, C, H, W]?, w: f32[O, C, P, Q]?, g: f32[B, O, K, L]?) = sum({call} * g)",
                     written("x", shape, split, 37, 11), written("w", filters, "", 5, 7), written("g", made, "", 3, 5),
                     "let (l, dx, dw) = grad(loss, wrt=[x, w])(x, w, g)", "let y = concat([reshape(dx, [-1]), reshape(dw, [-1])], 0)"]
            right = gradients(array(shape, 37, 11), array(filters, 5, 7), array(made, 3, 5), shape, filters, step)
            self.gives(mesh, lines, right)

    def test_pools(self):
        for chance, mesh, split, shape in self.cases(2, 60):
            window = (chance.randint(1, min(4, shape[2])), chance.randint(1, min(4, shape[3])))
            step = (chance.randint(1, 4), chance.randint(1, 4))
            extents = [f"zeros(bool[{a}, {b}])" for a, b in (window, step)]
            x = array(shape, 37, 11)
            for name, of in (("max", max), ("mean", lambda all_of: sum(all_of) / len(all_of))):
                lines = [written("x", shape, split, 37, 11), f"let y = {name}_pool2d(x, {', '.join(extents)})"]
                self.gives(mesh, lines, pooled(x, shape, window, step, of))

    def test_sequences(self):
        x, w = array((2, 3, 11), 37, 11), array((2, 3, 4), 5, 7)
        wide, filters = [[[line] for line in image] for image in x], [[[line] for line in one] for one in w]
        lines = [written("x", (2, 3, 11), "2x", 37, 11), written("w", (2, 3, 4), "", 5, 7)]
        for step in (1, 2, 3):
            call = "conv1d(x, w)" if step == 1 else f"conv1d_in_steps(x, w, zeros(bool[{step}]))"
            right = convolved(wide, filters, (2, 3, 1, 11), (2, 3, 1, 4), (1, step))
            self.gives("x: 3", [*lines, f"let y = {call}"], right)
            for name, of in (("max", max), ("mean", lambda all_of: sum(all_of) / len(all_of))):
                call = f"let y = {name}_pool1d(x, zeros(bool[3]), zeros(bool[{step}]))"
                self.gives("x: 3", [lines[0], call], pooled(wide, (2, 3, 1, 11), (1, 3), (1, step), of))

    def received(self, mesh, lines):
        return sum(received_by(self.run_lines(mesh, lines).err))

    def test_a_halo_moves_once(self):
        """As many channels come in as go out: each inner end of tiles is crossed by window - 1 rows or columns."""
        for extent, window in itertools.product((48, 50), (1, 2, 3, 5)):
            for split in ("2x", "3x"):
                lines = [written("x", (2, 3, extent, extent), split, 37, 11), written("w", (3, 3, window, window), "", 5, 7),
                         "let y = conv2d(x, w)"]
                self.assertEqual(self.received("x: 4", lines), 3 * (window - 1) * extent * 2 * 3 * 4, lines)

    def test_batches_move_nothing(self):
        lines = [written("x", (4, 4, 9, 9), "0x", 37, 11), written("w", (3, 4, 3, 3), "", 5, 7), "let y = conv2d(x, w)",
                 "let z = max_pool2d(x, zeros(bool[3, 3]), zeros(bool[2, 2]))"]
        self.assertEqual(self.received("x: 4", lines), 0)

    def test_windows_beside_each_other_move_nothing(self):
        lines = [written("x", (1, 2, 16, 16), "2x", 37, 11), "let y = max_pool2d(x, zeros(bool[2, 2]), zeros(bool[2, 2]))",
                 "let z = mean_pool2d(x, zeros(bool[4, 4]), zeros(bool[4, 4]))"]
        self.assertEqual(self.received("x: 4", lines), 0)


if __name__ == "__main__":
    main()
