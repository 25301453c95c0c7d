"""JAX as the judge of what layouts mean: it writes the texts, and says which part each device holds.

    jax_layouts.py TESSERA COUNT SEED    under a Python that has jax (scripts/setup --peers)

Random PartitionSpecs on meshes of 8 and 12 devices go through their own text, their HLO text, Shardy's and jax.typeof's; random
tilings, as formulas, as lists and by name, through HLO's. Ends with the number of texts, and fails if any is read otherwise."""

import itertools
import json
import math
import os
import random
import subprocess
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=12"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
from jax._src.sharding_impls import GSPMDSharding
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from tiles import Type

HloSharding = type(NamedSharding(jax.make_mesh((1,), ("x",)), PartitionSpec())._to_xla_hlo_sharding(1))
MESHES = [(8,), (4, 2), (2, 2, 2), (2, 4), (12,), (3, 4), (2, 6), (2, 3, 2), (4, 3), (6, 2)]
NAMES = "xyzw"


def boxes(indices, shape):
    """devices_indices_map as the boxes of devices 0, 1, .."""
    found = {}
    for device, slices in indices.items():
        found[device.id] = [(s.start or 0, extent if s.stop is None else s.stop) for s, extent in zip(slices, shape)]
    return [found[i] for i in range(len(found))]


def random_spec(mesh, rank, draw):
    """Entries of a PartitionSpec, and the axes that are unreduced."""
    axes = list(NAMES[: len(mesh)])
    draw.shuffle(axes)
    entries = [[] for _ in range(rank)]
    unreduced = set()
    for axis in axes:
        where = draw.randrange(rank + 2)
        if where < rank:
            entries[where].append(axis)
        elif where == rank and draw.random() < 0.5:
            unreduced.add(axis)
    spec = [None if not e else e[0] if len(e) == 1 and draw.random() < 0.7 else tuple(e) for e in entries]
    while spec and spec[-1] is None and draw.random() < 0.5:
        spec.pop()
    return PartitionSpec(*spec, unreduced=unreduced), entries, unreduced


def shape_for(mesh, entries, draw):
    sizes = dict(zip(NAMES, mesh))
    return [math.prod(sizes[a] for a in entry) * draw.choice([1, 2, 3]) for entry in entries]


def sdy_text(mesh, entries, unreduced):
    """What Shardy's printer writes of it."""
    dims = ", ".join("{" + ", ".join(f'"{a}"' for a in entry) + "}" for entry in entries)
    tail = ", unreduced={" + ", ".join(f'"{a}"' for a in NAMES if a in unreduced) + "}" if unreduced else ""
    axes = ", ".join(f'"{n}"={s}' for n, s in zip(NAMES, mesh))
    return f"#sdy.sharding<@mesh, [{dims}]{tail}>", f"<[{axes}]>"


def of_specs(count, draw):
    """(request, boxes, unreduced devices' groups) of random specs, in all the texts that JAX has for them."""
    for _ in range(count):
        sizes = draw.choice(MESHES)
        mesh = jax.make_mesh(sizes, tuple(NAMES[: len(sizes)]), axis_types=(AxisType.Explicit,) * len(sizes),
                             devices=jax.devices()[: math.prod(sizes)])
        spec, entries, unreduced = random_spec(sizes, draw.randrange(1, 4), draw)
        shape = shape_for(sizes, entries, draw)
        sharding = NamedSharding(mesh, spec)
        want = boxes(NamedSharding(mesh, PartitionSpec(*spec.partitions)).devices_indices_map(tuple(shape)), shape)
        held = f"f32[{','.join(map(str, shape))}]"
        axes = ",".join(f"{n}:{s}" for n, s in zip(NAMES, sizes))
        groups = [math.prod(dict(zip(NAMES, sizes))[a] for a in unreduced)] if unreduced else [1]
        yield {"format": "jax", "text": repr(spec), "shape": held, "mesh": axes}, want, groups
        yield {"format": "jax", "text": repr(sharding), "shape": held}, want, groups
        yield ({"format": "hlo", "text": str(sharding._to_xla_hlo_sharding(len(shape))), "shape": held, "devices": math.prod(sizes)},
               want, groups)
        text, said = sdy_text(sizes, entries, unreduced)
        yield {"format": "sdy", "text": text, "shape": held, "mesh": said}, want, groups
        aval = jax.core.ShapedArray(tuple(shape), np.dtype("float32"), sharding=NamedSharding(mesh.abstract_mesh, spec))
        yield {"format": "jax", "text": str(aval), "mesh": axes}, want, groups


def factored(number, draw):
    found = []
    for prime in (2, 3):
        while number % prime == 0:
            found.append(prime)
            number //= prime
    draw.shuffle(found)
    return found


def grouped(factors, draw):
    """The factors multiplied together in runs."""
    found = []
    for factor in factors:
        if found and draw.random() < 0.5:
            found[-1] *= factor
        else:
            found.append(factor)
    return found or [1]


def of_tilings(count, draw):
    """Random formulas and the lists that they stand for."""
    for _ in range(count):
        devices = draw.choice([8, 12])
        extents = grouped(factored(devices, draw), draw)
        dims = grouped(factored(devices, draw), draw)
        order = list(range(len(dims)))
        draw.shuffle(order)
        replicated = len(extents) > 1 and draw.random() < 0.4
        tail = " last_tile_dim_replicate" if replicated else ""
        head = ",".join(map(str, extents))
        formula = f"<=[{','.join(map(str, dims))}]" + (f"T({','.join(map(str, order))})" if len(dims) > 1 else "")
        listed = np.arange(devices).reshape(dims).transpose(order).reshape(-1)
        shape = [e * draw.choice([1, 2]) for e in (extents[:-1] if replicated else extents)]
        # From the judge's own text: it may say the same in other words.
        sharding = HloSharding.from_string(f"{{devices=[{head}]{','.join(map(str, listed))}{tail}}}")
        want = boxes(GSPMDSharding(jax.devices()[:devices], sharding).devices_indices_map(tuple(shape)), shape)
        for text in (f"{{devices=[{head}]{formula}{tail}}}", f"{{devices=[{head}]{','.join(map(str, listed))}{tail}}}", str(sharding)):
            yield {"format": "hlo", "text": text, "shape": f"f32[{','.join(map(str, shape))}]"}, want, [1]


def of_names(count, draw):
    """XLA's form with names and parts of axes, which XLA itself turns into the form without."""
    for _ in range(count):
        sizes = draw.choice(MESHES)
        parts = []
        for name, size in zip(NAMES, sizes):
            before = 1
            for factor in grouped(factored(size, draw), draw):
                parts.append((name, size, before, factor))
                before *= factor
        draw.shuffle(parts)
        rank = draw.randrange(1, 4)
        entries = [[] for _ in range(rank)]
        for part in parts:
            where = draw.randrange(rank + 1)
            if where < rank and not any(continues(other, part) for other in entries[where][-1:]):
                entries[where].append(part)
        dims = ", ".join("{" + ", ".join(named(p) for p in entry) + "}" for entry in entries)
        axes = ",".join(f"'{n}'={s}" for n, s in zip(NAMES, sizes))
        text = f"{{mesh[{axes}], [{dims}]}}"
        shape = [math.prod(p[3] for p in entry) * draw.choice([1, 2]) for entry in entries]
        try:
            sharding = HloSharding.v3_to_v2_sharding(HloSharding.from_string(text))
        except Exception:  # neighbours that could be one, which XLA wants written as one
            continue
        devices = jax.devices()[: math.prod(sizes)]
        want = boxes(GSPMDSharding(devices, sharding).devices_indices_map(tuple(shape)), shape)
        yield {"format": "hlo", "text": text, "shape": f"f32[{','.join(map(str, shape))}]"}, want, [1]


def continues(a, b):
    return a[0] == b[0] and a[2] * a[3] == b[2]


def named(part):
    name, size, before, factor = part
    return f"'{name}'" if factor == size else f"'{name}':({before}){factor}"


def wrong(answer, want, groups):
    """What is wrong with an answer, or None; a refusal is no mistake, but is counted."""
    found = Type(answer["type"], answer["mesh"])
    got = [found.tile(device) for device in range(found.devices)]
    if found.devices != len(want):
        return f"{found.devices} devices, not {len(want)}"
    if got != want:
        return f"{got}, not {want}"
    parts = len({found.contribution(device) for device in range(found.devices)})
    return None if parts == groups[0] else f"{parts} parts, not {groups[0]}"


def main():
    tessera, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    print(f"seed {seed}, jax {jax.__version__}")
    draw = random.Random(seed)
    known = list(itertools.chain(of_specs(count, draw), of_tilings(count, draw), of_names(count, draw)))
    lines = "\n".join(json.dumps(request) for request, _, _ in known)
    done = subprocess.run([tessera, "convert", "--batch", "-", "--json"], input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(known), done.stderr
    faults, refused = [], {}
    for (request, want, groups), answer in zip(known, answers):
        if "error" in answer:
            refused.setdefault(answer["error"], []).append((request, answer["message"]))
            continue
        fault = wrong(answer, want, groups)
        if fault:
            faults.append((request, answer, fault))
    for slug, texts in refused.items():
        print(f"refused by {slug}: {len(texts)}, such as {texts[0]}")
    for fault in faults[:5]:
        print("wrong:", fault)
    print(f"{len(known)} texts, {sum(map(len, refused.values()))} refused, {len(faults)} wrong")
    return 1 if faults or set(refused) - {"interop-no-mesh"} else 0


if __name__ == "__main__":
    sys.exit(main())
