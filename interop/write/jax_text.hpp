// Private to the emitter of JAX: what is the same in every module.
#pragma once

#include <string_view>

namespace tessera::interop {

inline constexpr std::string_view kJaxImports = R"(import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P

)";

inline constexpr std::string_view kJaxFunctions = R"(
NAMES = tuple(name for name, _ in AXES)


def make_mesh(devices=None):
    """The mesh that the steps name: DEVICES says which of `devices` (jax.devices()) stands at each place."""
    devices = jax.devices() if devices is None else devices
    grid = np.array([devices[d] for d in DEVICES], dtype=object).reshape([size for _, size in AXES])
    return Mesh(grid, NAMES, axis_types=(AxisType.Explicit,) * len(NAMES))


def _round(source, into, shape, messages, stays=False, adds=False):
    """Sends a box of `shape` for each (from, to, where in from's tile, where in to's), and puts it into the tile `into`."""
    take = np.zeros((len(DEVICES), len(shape)), np.int32)
    put = np.zeros((len(DEVICES), len(shape)), np.int32)
    gets = np.zeros(len(DEVICES), bool)
    for sender, receiver, there, here in messages:
        take[sender], put[receiver], gets[receiver] = there, here, True
    place = lax.axis_index(NAMES)
    box = source if shape == source.shape else lax.dynamic_slice(source, list(jnp.asarray(take)[place]), shape)
    if not stays:
        box = lax.ppermute(box, NAMES, [message[:2] for message in messages])
    if shape == into.shape and gets.all() and not adds:
        return box
    at = list(jnp.asarray(put)[place])
    if adds or not gets.all():
        old = lax.dynamic_slice(into, at, shape)
        box = jnp.where(jnp.asarray(gets)[place], old + box if adds else box, old)
    return lax.dynamic_update_slice(into, box, at)


)";

inline constexpr std::string_view kJaxReshard = R"(def reshard(mesh):
    """A jitted function from an array with the sharding SOURCE on the mesh to the same array with TARGET."""
    if jax.dtypes.canonicalize_dtype(DTYPE) != np.dtype(DTYPE):
        raise ValueError("elements of 64 bits: jax.config.update('jax_enable_x64', True) first")
    return jax.jit(jax.shard_map(_steps, mesh=mesh, in_specs=SOURCE, out_specs=TARGET, check_vma=False))
)";

}  // namespace tessera::interop
