"""JAX as the judge of emitted plans: it runs them, and every shard has to be the one that our types say.

    jax_plans.py TESSERA COUNT SEED    under a Python that has jax (scripts/setup --peers)"""

import json
import os
import random
import subprocess
import sys
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=12"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from random_plans import nodes_of, random_change
from tiles import Type


def emitted(tessera, words):
    """The module that is emitted, and its text; or None and why there is none."""
    done = subprocess.run([tessera, "plan", *words, "--emit", "jax"], capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr
    names = {}
    exec(compile(done.stdout, "emitted", "exec"), names)
    return names, done.stdout


def without_sums(spec):
    return P(*spec.partitions)


def source_array(module, mesh, whole):
    """The array, its pending parts (3 * value + 7 * part) % 13; and what they add up to."""
    spec = module["SOURCE"]
    plain = jax.device_put(whole, NamedSharding(mesh, without_sums(spec)))
    axes = tuple(name for name in mesh.axis_names if name in spec.unreduced)
    if not axes:
        return plain, whole
    parts = jax.jit(jax.shard_map(lambda t: (3 * t + (7 * lax.axis_index(axes)).astype(t.dtype)) % 13, mesh=mesh,
                                  in_specs=without_sums(spec), out_specs=spec, check_vma=False))
    count = int(np.prod([mesh.shape[a] for a in axes]))
    return parts(plain), sum((3 * whole + np.asarray(7 * p, whole.dtype)) % 13 for p in range(count))


def finished(module, mesh, array):
    spec = module["TARGET"]
    axes = tuple(name for name in mesh.axis_names if name in spec.unreduced)
    if not axes:
        return array
    return jax.jit(jax.shard_map(lambda t: lax.psum(t, axes), mesh=mesh, in_specs=spec, out_specs=without_sums(spec), check_vma=False))(array)


def fault_of(module, mesh_text, target):
    """What a run leaves wrong, or None."""
    mesh = module["make_mesh"]()
    whole = (np.arange(np.prod(module["SHAPE"])) % 251).reshape(module["SHAPE"]).astype(jnp.dtype(module["DTYPE"]))
    array, wanted = source_array(module, mesh, whole)
    result = module["reshard"](mesh)(array)
    if not result.sharding.is_equivalent_to(NamedSharding(mesh, module["TARGET"]), result.ndim):
        return f"the sharding is {result.sharding}"
    held = Type(target, mesh_text)
    places = {device: place for place, device in enumerate(mesh.devices.reshape(-1))}
    for shard in finished(module, mesh, result).addressable_shards:
        box = tuple(slice(*side) for side in held.tile(places[shard.device]))
        if not np.array_equal(np.asarray(shard.data), wanted[box]):
            return f"device {shard.device.id} has {np.asarray(shard.data)}, not {wanted[box]}"
    return None


def main():
    tessera, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    print(f"seed {seed}, jax {jax.__version__}")
    draw = random.Random(seed)
    kinds = {"ppermute": 0, "relay": 0, "program": 0, "psum": 0, "one exchange": 0}
    refused, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        for devices in (8, 12):
            with open(f"{folder}/{devices}.json", "w", encoding="utf-8") as file:
                json.dump(nodes_of(devices, 1e9), file)
        for _ in range(count):
            devices = draw.choice([8, 12])
            mesh, source, target = random_change(devices, draw)
            words = ["--mesh", mesh, f"{source} -> {target}"]
            if draw.random() < 0.5:
                words += ["--machine", f"{folder}/{devices}.json"]
            module, text = emitted(tessera, words)
            if module is None:
                refused.append((words, text))
                continue
            for kind, sign in (("ppermute", "_round(s,"), ("relay", "# relay"), ("program", "t.reshape(-1)"), ("psum", "psum"),
                               ("one exchange", "one exchange is written")):
                kinds[kind] += sign in text.split("def reshard")[0]
            try:
                fault = fault_of(module, mesh, target)
            except Exception as problem:  # a module that does not run is as wrong as one that leaves the wrong tiles
                fault = repr(problem)[:500]
            if fault:
                wrong.append((words, fault))
    for fault in wrong[:5]:
        print("wrong:", fault)
    for reason in refused[:3]:
        print("refused:", reason)
    print(f"{count} plans, {len(refused)} refused, {len(wrong)} wrong; of them {kinds}")
    return 1 if wrong or len(refused) * 50 > count else 0


if __name__ == "__main__":
    sys.exit(main())
