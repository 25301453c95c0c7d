"""Random changes of layout whose extents divide, as the arguments of `tessera plan`."""

import math

MESHES = {8: [(8,), (4, 2), (2, 2, 2), (2, 4)], 12: [(12,), (3, 4), (2, 6), (2, 3, 2)], 4: [(4,), (2, 2)], 6: [(6,), (2, 3), (3, 2)],
          5: [(5,)], 7: [(7,)]}
NAMES = "xyzw"
NODES = {4: [2, 2], 8: [2, 4], 12: [3, 4], 6: [2, 3]}


def random_layout(mesh, rank, draw, sums):
    axes = list(NAMES[: len(mesh)])
    draw.shuffle(axes)
    splits, pending = [[] for _ in range(rank)], []
    for axis in axes:
        where = draw.randrange(rank + 1 + (1 if sums else 0))
        if where < rank:
            splits[where].append(axis)
        elif where > rank:
            pending.append(axis)
    return splits, pending


def type_text(element, shape, splits, pending, reduce="+"):
    dims = []
    for extent, axes in zip(shape, splits):
        at = "" if not axes else "@" + (axes[0] if len(axes) == 1 else "(" + ",".join(axes) + ")")
        dims.append(f"{extent}{at}")
    tail = "{" + reduce + ",".join(a for a in NAMES if a in pending) + "}" if pending else ""
    return f"{element}[{','.join(dims)}]{tail}"


def random_change(devices, draw, even=True, elements=("f32", "i32", "bf16")):
    """(mesh, from, to) as texts."""
    mesh = draw.choice(MESHES[devices])
    sizes = dict(zip(NAMES, mesh))
    rank = draw.randrange(1, 4)
    sums = draw.random() < 0.35
    source = random_layout(mesh, rank, draw, sums)
    target = random_layout(mesh, rank, draw, False)
    if sums and draw.random() < 0.3:
        kept = [a for a in source[1] if not any(a in split for split in target[0]) and draw.random() < 0.5]
        target = (target[0], kept)
    shape = []
    for a, b in zip(source[0], target[0]):
        unit = math.lcm(math.prod(sizes[x] for x in a), math.prod(sizes[x] for x in b))
        shape.append(unit * draw.choice([1, 1, 2]) if even else draw.randrange(1, 3 * unit + 2))
    element = draw.choice(("f32", "i32") if source[1] or target[1] else elements)
    texts = [type_text(element, shape, *end) for end in (source, target)]
    return ",".join(f"{a}:{sizes[a]}" for a in NAMES[: len(mesh)]), *texts


def nodes_of(devices, slow=8e9):
    """A machine of nodes with slow links between them, on which plans relay and sum by programs."""
    counts = NODES[devices]
    return [{"name": "node", "count": counts[0], "bandwidth": slow, "latency": 5e-6},
            {"name": "gpu", "count": counts[1], "bandwidth": 270e9, "latency": 1e-6}]
