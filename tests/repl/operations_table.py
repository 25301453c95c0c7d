"""The tables of docs/operations.md: what operations on split arrays receive, by `run --stats`, beside the least that they can.

    python3 tests/repl/operations_table.py build/release/tessera

prints them; `test_bounds.py` compares them with the page."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bounds import MACHINE, MESHES, carried, lacking, lacking_picked, positions, reduced, text, tile

# Of each mesh an array whose extents all its axes divide, and one whose extents none divides.
EVEN = [(4096, 1024), (3072, 1536), (3072, 1536)]
UNEVEN = [(4097, 1023), (3073, 1535), (3073, 1535)]
SLACK = 1.05
UNITS = {"MiB": 1 << 20, "KiB": 1 << 10, "B": 1}
ROWS, COLUMNS = ("x", ""), ("", "x")


def moved(mesh, operand, result, *shift):
    return 4 * lacking(mesh, operand, result, shift or (0, 0))


def picked(mesh, shape, rows):
    return 4 * lacking_picked(mesh, shape, ROWS, rows)


def multiplied(extent):
    """A factor that numbers can be multiplied by to permute them."""
    return next(f for f in range(extent // 3 | 1, extent) if extent % f and all(extent % d or f % d for d in range(2, extent + 1)))


def sorted_line(mesh, extent):
    """Elements that a device's tile of a sorted line is made of and its tile of the line lacks."""
    factor = multiplied(extent)
    line = ((extent,), ("x",))
    holders = [tile(mesh, at, *line)[0] for at in positions(mesh)]
    at = {value * factor % extent: value for value in range(extent)}
    return 4 * sum(not begin <= at[k] < end for begin, end in holders for k in range(begin, end))


def taken_rows(mesh, shape, count):
    """Distinct rows that the devices' tiles of `a[37 i % rows]` name and their tiles of the table lack."""
    missing = 0
    for at in positions(mesh):
        own = tile(mesh, at, shape, ROWS)[0]
        begin, end = tile(mesh, at, (count,), ("x",))[0]
        missing += len({37 * i % shape[0] for i in range(begin, end) if not own[0] <= 37 * i % shape[0] < own[1]})
    return 4 * missing * shape[1]


def delivered(mesh, lines, count):
    """Bytes of cotangents and of their places' numbers, where the greatest of every line lie in the last tile: of each line they
    are where the line was dealt to."""
    missing = 0
    for at in positions(mesh):
        begin, end = tile(mesh, at, (lines,), ("x",))[0]
        missing += lines - (end - begin) if at["x"] == mesh["x"] - 1 else 0
    return 8 * count * missing


def rows_of(mesh, shape):
    """Of each operation: its name, the statement, the least bytes, and what devices hold beside operands and result."""
    n, m = shape
    a, flat = (shape, ROWS), n * m
    line = 1 << 17 if n % 2 == 0 else (1 << 17) + 1
    sums = 4 * reduced(mesh, shape, ROWS)
    half = (n // 2, m // 2)
    doubled, padded = ((2 * n, m), ROWS), ((n + 16, m), ROWS)
    shards = mesh["x"]
    ids = f"iota(i64[{m}@x]) * 37 % {n}"
    counts = 8 * reduced(mesh, (n, m), ROWS)
    image = (1, 2, n, 64)
    return [
        ("`concat([a, a], 0)`", "concat([a, a], 0)", moved(mesh, a, doubled) + moved(mesh, a, doubled, -n, 0)),
        ("`a[::3]`", "a[::3]", picked(mesh, shape, range(0, n, 3))),
        ("`a[::-1]`", "a[::-1]", picked(mesh, shape, range(n - 1, -1, -1))),
        ("`roll(a, 1, 0)`", "roll(a, 1, 0)", moved(mesh, a, a, -1, 0) + moved(mesh, a, a, n - 1, 0)),
        ("`pad(a, [[8, 8], [0, 0]])`", "pad(a, [[8, 8], [0, 0]])", moved(mesh, a, padded, -8, 0)),
        ("`update(a, [9, 9], u)`, u half as long and wide", f"update(a, [9, 9], iota({text(half, ROWS)}))",
         moved(mesh, (half, ROWS), a, -9, -9)),
        ("`reshape(b, [-1])` of columns, `b: f32[n, m@x]`", f"reshape(iota({text(shape, COLUMNS)}), [{flat}])", reshaped(mesh, shape)),
        ("`cumsum(a, 0)`", "cumsum(a, 0)", 4 * carried(mesh, shape, ROWS)),
        ("`cumprod(a, 0)`", "cumprod(a, 0)", 4 * carried(mesh, shape, ROWS, of_blocks=1)),
        ("`cummax(a, 0)`", "cummax(a, 0)", 4 * carried(mesh, shape, ROWS, block=n)),
        ("`recur(0.5, a, 0)`", "recur(0.5, a, 0)", 4 * carried(mesh, shape, ROWS, block=n)),
        ("`prod(a, dim=0)` on all devices", f"prod(a, dim=0) as [{m}]", sums),
        ("`argmax(a, dim=0)` on all devices", f"argmax(a, dim=0) as [{m}]", 3 * sums),
        ("`topk(a, 8, 0)`", "topk(a, 8, 0)", moved(mesh, ((8 * shards, m), ROWS), ((8 * shards, m), COLUMNS))),
        ("`grad` of `topk(a, 8, 0)`: records and what is delivered", "{ let (kept, g) = grad(greatest)(a); g }",
         2 * moved(mesh, ((8 * shards, m), ROWS), ((8 * shards, m), COLUMNS)) + delivered(mesh, m, 8)),
        ("`sort(a, 0)`", "sort(a, 0)", moved(mesh, a, (shape, COLUMNS))),
        ("`einsum(\"ii->i\", d)` of `d: f32[m@x, m]`", f"einsum(\"ii->i\", iota({text((m, m), ROWS)}))", 0),
        ("`softmax(a, 0)`", "softmax(a, 0)", 2 * sums),
        ("`take(a, ids) as [m@x, m]`, m ids split over x", f"take(a, iota(i64[{m}@x]) * 37 % {n}) as [{m}@x, {m}]",
         taken_rows(mesh, shape, m)),
        ("`grad` of it by `a`: `take` and `scatter_add`", f"{{ let (sum_of_rows, g) = grad(rows)(a, {ids}); g }}",
         2 * taken_rows(mesh, shape, m)),
        ("`sort(v, 0)` of one line, `v: f32[131072@x]`",
         f"sort(f32(iota(i64[{line}@x]) * {multiplied(line)} % {line}), 0)", sorted_line(mesh, line)),
        ("`searchsorted(edges, values)`, `edges: f32[n@x]`, m values on all devices",
         f"searchsorted(iota(f32[{n}@x]), iota(f32[{m}])) as [{m}]", counts),
        ("`bincount(ids, m)`, `ids: i64[n@x]`, on all devices", f"bincount(iota(i64[{n}@x]) % {m}, {m}) as [{m}]", counts),
        ("`conv2d(x, w)`, `x: f32[1, 2, n@x, 64]`, `w: f32[2, 2, 3, 3]`",
         f"conv2d(iota(f32[1, 2, {n}@x, 64]), ones(f32[2, 2, 3, 3]))", halo(mesh, image, 3)),
        ("`max_pool2d` of it, 3 by 3 a step apart",
         f"max_pool2d(iota(f32[1, 2, {n}@x, 64]), zeros(bool[3, 3]), zeros(bool[1, 1]))", halo_of_pool(mesh, image, 3)),
    ]


def halo(mesh, shape, rows):
    """Elements of an image's rows that the windows of the devices' results reach beside their tiles."""
    missing = 0
    for at in positions(mesh):
        begin, end = tile(mesh, at, (shape[2],), ("x",))[0]
        above, below = (rows - 1) // 2, rows // 2
        missing += min(above, begin) + min(below, shape[2] - end)
    return 4 * missing * shape[0] * shape[1] * shape[3]


def halo_of_pool(mesh, shape, rows):
    """The same of windows inside of an image, of which there are fewer than rows."""
    missing = 0
    for at in positions(mesh):
        begin, end = tile(mesh, at, (shape[2],), ("x",))[0]
        first, last = tile(mesh, at, (shape[2] - rows + 1,), ("x",))[0]
        missing += max(0, begin - first) + max(0, last + rows - 1 - end)
    return 4 * missing * shape[0] * shape[1] * shape[3]


def reshaped(mesh, shape):
    """Elements of a run of row-major numbers that a device's columns lack."""
    missing = 0
    for at in positions(mesh):
        begin, end = tile(mesh, at, (shape[0] * shape[1],), ("x",))[0]
        first, last = tile(mesh, at, shape, COLUMNS)[1]
        rows = (end - 1) // shape[1] - begin // shape[1] + 1
        held = rows * (last - first)
        for edge, outside in ((begin, range(begin // shape[1] * shape[1], begin)), (end, range(end, -(-end // shape[1]) * shape[1]))):
            held -= sum(first <= number % shape[1] < last for number in outside)
        missing += end - begin - held
    return 4 * missing


def figure(name, line):
    """The bytes behind a name: `peak 8 MiB`, `peak 5.336 MiB (5595136 bytes)`."""
    count, unit, exact = re.search(name + r" ([0-9.]+) (\w+)(?: \((\d+) bytes\))?", line).groups()
    return int(exact) if exact else round(float(count) * UNITS[unit])


def measured(executable, mesh, shape):
    """What each of the operations receives, and the most that a device holds at once on the way."""
    declared = ", ".join(f"{axis}: {size}" for axis, size in mesh.items())
    n, m = shape
    lines = ['use "std/nn"', f"mesh m = [{declared}]", f"let a = iota({text(shape, ROWS)})",
             f"fn rows(t: f32[{n}@x, {m}], i: i64[{m}@x]) -> f32 = sum(take(t, i) as [{m}@x, {m}])",
             f"fn greatest(t: f32[{n}@x, {m}]) -> f32 = sum(topk(t, 8, 0))"]
    first = len(lines) + 1
    lines += [f"let b{k} = {statement}" for k, (_, statement, _) in enumerate(rows_of(mesh, shape))]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "machine.json").write_text(MACHINE, encoding="utf-8")
        (Path(folder) / "a.tess").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([executable, "run", "a.tess", "--stats", "--machine", "machine.json"], cwd=folder, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = dict.fromkeys(range(first, len(lines) + 1), (0, 0))
    for line in done.stderr.decode().splitlines():
        if ": steps " not in line:
            continue  # of the profile
        at = int(line.split(":")[1])
        told[at] = (figure("received", line), figure("peak", line))
    return [told[at] for at in range(first, len(lines) + 1)]


def bytes_text(count):
    unit = next(unit for unit, size in UNITS.items() if count >= size or size == 1)
    return f"{count / UNITS[unit]:.4g} {unit}"


def cell(received, bound):
    if bound <= received <= SLACK * bound:
        return bytes_text(received)
    return f"**{bytes_text(received)}**, least {bytes_text(bound)}"


def table(executable, shapes):
    """The lines of one table."""
    columns = []
    peaks = []
    for mesh, shape in zip(MESHES, shapes):
        told = measured(executable, mesh, shape)
        columns.append([cell(received, bound) for (received, _), (_, _, bound) in zip(told, rows_of(mesh, shape))])
        peaks.append([bytes_text(peak) if peak else "-" for _, peak in told])
    columns.append(peaks[0])
    names = [",".join(f"{axis}:{size}" for axis, size in mesh.items()) for mesh in MESHES]
    titles = [f"`f32[{n}@x, {m}]` on `{name}`" for (n, m), name in zip(shapes, names)]
    lines = [f"| `a` is | {' | '.join(titles)} | there held at most, on `{names[0]}` |", f"|---|{'---|' * len(columns)}"]
    for (name, _, _), *cells in zip(rows_of(MESHES[0], shapes[0]), *columns):
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    for shapes_of_table in (EVEN, UNEVEN):
        print("\n".join(table(str(Path(sys.argv[1]).resolve()), shapes_of_table)), end="\n\n")
