"""The least bytes that operations on split arrays can receive, counted from the types alone: for each device the elements that its tile
of a result is made of and its tiles of the operands do not hold; of reductions and running sums what a device cannot do without."""

import itertools
import math

MACHINE = '[{"name": "link", "count": 8, "bandwidth": 1e9, "latency": 1e-15}]'
MESHES = [{"x": 4, "y": 2}, {"x": 3}, {"x": 2, "y": 3}]


def positions(mesh):
    """The coordinates of every device."""
    return [dict(zip(mesh, at)) for at in itertools.product(*(range(size) for size in mesh.values()))]


def tile(mesh, at, shape, splits):
    """The box of an array that a device holds: `splits` has the axes of every dimension, `"xy"`."""
    box = []
    for extent, axes in zip(shape, splits):
        parts, number = 1, 0
        for axis in axes:
            parts, number = parts * mesh[axis], number * mesh[axis] + at[axis]
        box.append((number * extent // parts, (number + 1) * extent // parts))
    return box


def volume(box):
    return math.prod(max(0, end - begin) for begin, end in box)


def common(a, b):
    return [(max(i[0], j[0]), min(i[1], j[1])) for i, j in zip(a, b)]


def lacking(mesh, operand, result, shift):
    """Elements that the devices' tiles of the result take out of the operand, element r being the operand's r + shift, and do not
    hold. Operand and result are pairs of shape and splits."""
    count = 0
    for at in positions(mesh):
        wanted = [(begin + by, end + by) for (begin, end), by in zip(tile(mesh, at, *result), shift)]
        wanted = common(wanted, [(0, extent) for extent in operand[0]])
        count += volume(wanted) - volume(common(wanted, tile(mesh, at, *operand)))
    return count


def lacking_picked(mesh, shape, splits, rows):
    """Elements that the devices' tiles lack of an array of these rows of another one, which is split alike."""
    count = 0
    for at in positions(mesh):
        (begin, end), columns = tile(mesh, at, (len(rows), shape[1]), splits)
        own, _ = tile(mesh, at, shape, splits)
        count += sum(not own[0] <= row < own[1] for row in rows[begin:end]) * (columns[1] - columns[0])
    return count


def text(shape, splits):
    """`f32[8@(x,y), 4]`"""
    dimensions = [f"{extent}@({','.join(axes)})" if axes else str(extent) for extent, axes in zip(shape, splits)]
    return f"f32[{', '.join(dimensions)}]"


def reduced(mesh, shape, own):
    """What devices receive that finish a reduction of the rows: each column has a contributor for every part of the rows, and that many
    devices times its copies want it."""
    contributors = math.prod(mesh[axis] for axis in own[0])
    copies = math.prod(size for axis, size in mesh.items() if axis not in own[0] + own[1])
    return (contributors - 1 + contributors * copies - 1) * shape[1]


def carried(mesh, shape, own, block=256, of_blocks=2):
    """Of running sums down the rows: a device whose tile begins inside the array needs of each line the sum of the blocks before, what its
    additions rounded off, if there are two, and the sum inside the block that its tile cuts. Of products nothing is rounded off that could
    be added: one value of the blocks before is all."""
    count = 0
    for at in positions(mesh):
        (begin, end), columns = tile(mesh, at, shape, own)
        if begin < end and begin > 0:
            count += (min(begin // block, of_blocks) + (begin % block > 0)) * (columns[1] - columns[0])
    return count
