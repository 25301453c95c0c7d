"""A resharding that XLA carries out by a gather, and the same with the function that Tessera emits in its place.

    tessera plan --mesh x:4,y:2 'f32[128@y,128,128@x] -> f32[128,128@(x,y),128]' --emit jax > layout_change.py
    XLA_FLAGS=--xla_force_host_platform_device_count=8 python3 jax_reshard.py

Prints whether both give the same values, and time and memory of both, taken by turns."""

import time

import jax
import jax.numpy as jnp
import layout_change as plan  # what Tessera emitted
from jax.sharding import NamedSharding

mesh = plan.make_mesh()
source, target = NamedSharding(mesh, plan.SOURCE), NamedSharding(mesh, plan.TARGET)
a = jax.device_put(jnp.arange(128**3, dtype="float32").reshape(plan.SHAPE), source)
ways = {"XLA": jax.jit(lambda t: jax.sharding.reshard(t, plan.TARGET)), "Tessera": plan.reshard(mesh)}

with jax.set_mesh(mesh):
    results = {name: way(a) for name, way in ways.items()}
    seconds = {name: [] for name in ways}
    for _ in range(15):
        for name, way in ways.items():  # by turns, so that both meet the same machine
            begin = time.perf_counter()
            way(a).block_until_ready()
            seconds[name].append(time.perf_counter() - begin)
    memory = {name: way.lower(a).compile().memory_analysis().temp_size_in_bytes for name, way in ways.items()}

print("equal:", bool((results["XLA"] == results["Tessera"]).all()) and results["Tessera"].sharding.is_equivalent_to(target, 3))
for name in ways:
    print(f"{name}: {sorted(seconds[name])[7] * 1e3:.1f} ms, {memory[name] / 2**20:.2f} MiB of temporary memory")
print(f"times as fast: {sorted(seconds['XLA'])[7] / sorted(seconds['Tessera'])[7]:.2f}")
