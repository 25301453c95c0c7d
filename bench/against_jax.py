#!/usr/bin/env python3
"""Changes of layout beside JAX's: the same array of 64 MiB on 8 devices of this machine, from each of six layouts to every
other that needs communication.

    pip install jax
    bench/against_jax.py [PATH/TO/tessera]

Each side carries a change out again and again for half a second, compiled and warm, the two in turns; the best time of each
counts. A ratio above 1 means that JAX took longer. A change that a slice alone makes is left out."""

import math
import os
import re
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

DEVICES = "--xla_force_host_platform_device_count=8"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {DEVICES}".strip()

import jax  # noqa: E402  (it reads XLA_FLAGS when it is imported)
import numpy  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec  # noqa: E402

EXTENT = 4096
MESH = {"x": 4, "y": 2}
# Which axes split each of the two dimensions.
LAYOUTS = [(("x",), ()), ((), ("x",)), (("x", "y"), ()), ((), ("x", "y")), (("x",), ("y",)), (("y",), ("x",))]
SECONDS = 0.5
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def tessera_type(layout):
    """`f32[4096@(x,y), 4096]`"""
    def side(axes):
        names = ",".join(axes)
        return f"{EXTENT}@({names})" if len(axes) > 1 else f"{EXTENT}@{names}" if axes else str(EXTENT)

    sides = [side(axes) for axes in layout]
    return f"f32[{', '.join(sides)}]"


def is_free(source, target):
    """Do the axes of each dimension only go on, so that a device cuts what it holds?"""
    return all(after[:len(before)] == before for before, after in zip(source, target))


def seconds_of_tessera(executable, source, target):
    """The best time that a session's :time finds; on a busy machine its only one."""
    mesh = ", ".join(f"{axis}: {size}" for axis, size in MESH.items())
    text = f"mesh m = [{mesh}]\nlet a = iota({tessera_type(source)})\n:time a as {tessera_type(target)}\n"
    said = subprocess.run([executable], input=text, capture_output=True, text=True, check=True).stdout
    value, unit = re.search(r"(?:best|run:) ([0-9.e+-]+) (ns|us|ms|s)\b", said).groups()
    return float(value) * UNITS[unit]


def seconds_of_jax(mesh, source, target):
    def sharding(layout):
        return NamedSharding(mesh, PartitionSpec(*(axes or None for axes in layout)))

    array = jax.device_put(numpy.arange(EXTENT * EXTENT, dtype=numpy.float32).reshape(EXTENT, EXTENT), sharding(source))
    change = jax.jit(lambda a: a, out_shardings=sharding(target))
    jax.block_until_ready(change(array))
    best, end = math.inf, time.monotonic() + SECONDS
    while time.monotonic() < end:
        begin = time.perf_counter()
        jax.block_until_ready(change(array))
        best = min(best, time.perf_counter() - begin)
    return best


def main():
    here = Path(__file__).resolve().parent.parent / "build/release/tessera"
    executable = sys.argv[1] if len(sys.argv) > 1 else str(here)
    mesh = jax.sharding.Mesh(numpy.array(jax.devices()[:8]).reshape(tuple(MESH.values())), tuple(MESH))
    ratios = []
    print(f"{'from':<26}{'to':<26}{'tessera':>10}{'JAX':>10}{'ratio':>8}")
    for source, target in permutations(LAYOUTS, 2):
        if is_free(source, target):
            continue
        times = [(seconds_of_tessera(executable, source, target), seconds_of_jax(mesh, source, target)) for _ in range(2)]
        ours, theirs = (min(side) for side in zip(*times))
        ratios.append(theirs / ours)
        print(f"{tessera_type(source):<26}{tessera_type(target):<26}{ours * 1e3:>8.1f}ms{theirs * 1e3:>8.1f}ms{ratios[-1]:>8.2f}")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} changes: JAX {jax.__version__} takes {mean:.2f} times as long in the geometric mean, "
          f"{min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
