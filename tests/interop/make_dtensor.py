"""Makes dtensor.json: what torch's own arithmetic says of random placements.

    make_dtensor.py > dtensor.json    under a Python that has torch 2.15; once, since torch is large"""

import itertools
import json
import math
import random

from torch.distributed.tensor._utils import _compute_local_shape_and_global_offset as local
from torch.distributed.tensor.placement_types import Partial, Replicate, Shard, _StridedShard

MESHES = [(4,), (2, 2), (4, 2), (2, 4), (2, 2, 2), (2, 3, 2), (3, 4)]


def random_placements(mesh, rank, draw):
    """Ours are those whose strided shards pass over all the later axes of their dimension."""
    later = [1] * rank
    placements = []
    for size in reversed(mesh):
        kind = draw.randrange(4)
        dimension = draw.randrange(rank)
        if kind == 0:
            placements.append(Replicate())
        elif kind == 1 and draw.random() < 0.5:
            placements.append(Partial("sum"))
        elif kind == 2 and later[dimension] > 1:
            placements.append(_StridedShard(dimension, split_factor=later[dimension]))
            later[dimension] *= size
        else:
            placements.append(Shard(dimension))
            later[dimension] *= size
    return placements[::-1], later


def main():
    draw = random.Random(215)
    cases = []
    while len(cases) < 300:
        mesh = draw.choice(MESHES)
        rank = draw.randrange(1, 4)
        placements, counts = random_placements(mesh, rank, draw)
        shape = [count * draw.choice([1, 2, 3]) for count in counts]
        boxes = []
        for coordinate in itertools.product(*map(range, mesh)):
            extents, offsets = local(shape, mesh, list(coordinate), placements)
            boxes.append([[o, o + e] for o, e in zip(offsets, extents)])
        short, long = [str(p) for p in placements], [repr(p) for p in placements]
        cases.append({"mesh": mesh, "shape": shape, "text": f"[{', '.join(short)}]", "repr": f"({', '.join(long)})",
                      "parts": math.prod(s for s, p in zip(mesh, placements) if isinstance(p, Partial)), "boxes": boxes})
    print("[" + ",\n".join(json.dumps(case) for case in cases) + "]")


if __name__ == "__main__":
    main()
