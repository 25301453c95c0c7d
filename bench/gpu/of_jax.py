"""The rows of rows.py in JAX: one JSON object a line, with the median seconds of a call, `jit`, warm, results left on the card.

    bench/gpu/of_jax.py [SECONDS]"""

import json
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402  (it reads the environment when it is imported)
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402

from rows import CHANGES, ROWS, small  # noqa: E402

jax.config.update("jax_enable_x64", True)
EXACT = lax.DotAlgorithmPreset.F32_F32_F32


def key(number):
    return jax.random.key(number)


def uniform(shape, number, element=jnp.float32):
    return jax.random.uniform(key(number), shape, element)


def normal(shape, number):
    return jax.random.normal(key(number), shape, jnp.float32)


def product(a, b):
    return lax.dot(a, b, precision=EXACT)


def layer_norm(a, scale, shift):
    d = a - jnp.mean(a, axis=1, keepdims=True)
    return d * lax.rsqrt(jnp.mean(d * d, axis=1, keepdims=True) + 1e-5) * scale + shift


def gathered(sizes):
    table = uniform((sizes["V"], 128), 1)
    ids = jax.random.randint(key(2), (sizes["I"],), 0, sizes["V"], jnp.int64)
    return table, ids


def training(x, y, v, w):
    def loss(v, w):
        return jnp.mean((product(jax.nn.relu(product(x, v)), w) - y) ** 2)

    gv, gw = jax.grad(loss, argnums=(0, 1))(v, w)
    return w - 0.01 * gw + jnp.sum(gv) * 0.0


def small_steps(a):
    def turn(_, r):
        b = r * 0.5 + a
        c = b - jnp.mean(b)
        d = c * lax.rsqrt(jnp.mean(c * c) + 1e-5)
        return jax.nn.relu(d) + jnp.cumsum(d) * 0.001

    return lax.fori_loop(0, 1000, turn, a)


def to_columns_and_back(a):
    """Rows of 64 tiles become columns, and rows again, as the 64 tiles lie in memory."""
    extent = a.shape[0]
    columns = lax.optimization_barrier(a.reshape(extent, 64, extent // 64).transpose(1, 0, 2))
    return columns.transpose(1, 0, 2).reshape(extent, extent)


def made(name, s):
    """The function of a row and its arguments."""
    square = lambda: (uniform((s["M"], s["M"]), 1),)  # noqa: E731
    rows = lambda: (normal((s["R"], s["C"]), 1),)  # noqa: E731
    two = lambda element: (uniform((s["N"],), 1, element), uniform((s["N"],), 2, element))  # noqa: E731
    weights = lambda: (normal((4096, s["D4"]), 1), normal((4096, s["D4"]), 2),  # noqa: E731
                       normal((s["D4"], s["H4"]), 3) * 0.01, normal((s["H4"], s["D4"]), 4) * 0.01)
    factors = lambda: (normal((s["K"], s["K"]), 1), normal((s["K"], s["K"]), 2))  # noqa: E731
    table = {
        "relu(a*2+b)": (lambda a, b: jax.nn.relu(a * 2.0 + b), lambda: two(jnp.float32)),
        "exp(a)*tanh(b)": (lambda a, b: jnp.exp(a) * jnp.tanh(b), lambda: two(jnp.float32)),
        "gelu(a)": (lambda a: jax.nn.gelu(a, approximate=False), lambda: (normal((s["N"],), 1),)),
        "f64 sqrt(a*a+b*b)": (lambda a, b: jnp.sqrt(a * a + b * b), lambda: two(jnp.float64)),
        "sum(a)": (jnp.sum, lambda: (uniform((s["N"],), 1),)),
        "sum(a, dim=1)": (lambda a: jnp.sum(a, axis=1), square),
        "max(a, dim=0)": (lambda a: jnp.max(a, axis=0), square),
        "softmax": (lambda a: jax.nn.softmax(a, axis=1), rows),
        "layer norm": (layer_norm, lambda: (*rows(), jnp.ones(s["C"], jnp.float32), jnp.zeros(s["C"], jnp.float32))),
        "transpose(a)+0": (lambda a: a.T + jnp.float32(0), square),
        "argmax(a, dim=1)": (lambda a: jnp.argmax(a, axis=1), square),
        "f32 product": (product, factors),
        "bf16 product, f32 sums": (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32),
                                   lambda: tuple(a.astype(jnp.bfloat16) for a in factors())),
        "take": (lambda t, i: jnp.take(t, i, axis=0), lambda: gathered(s)),
        "take, its gradient": (lambda t, i, g: jax.grad(lambda t: jnp.sum(jnp.take(t, i, axis=0) * g))(t),
                               lambda: (*gathered(s), uniform((s["I"], 128), 3))),
        "a training step": (training, weights),
        "rows to columns, 64 tiles": (to_columns_and_back, square),
        "a transposed, 64 tiles": (jnp.transpose, square),
        "8 small steps": (small_steps, lambda: (uniform((4096,), 1),)),
    }
    return table[name]


def seconds_of(function, arguments):
    compiled = jax.jit(function)
    for _ in range(2):
        jax.block_until_ready(compiled(*arguments))
    begin = time.perf_counter()
    jax.block_until_ready(compiled(*arguments))
    calls = max(1, min(50, int(0.06 / (time.perf_counter() - begin))))
    taken = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(calls):
            result = compiled(*arguments)
        jax.block_until_ready(result)
        taken.append((time.perf_counter() - begin) / calls)
    return statistics.median(taken)


def main():
    end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 120)
    on_card = jax.default_backend() == "gpu"
    print(json.dumps({"jax": jax.__version__, "backend": jax.default_backend(), "device": str(jax.devices()[0])}), flush=True)
    for row in (row for row in ROWS + CHANGES if row.jax):
        if time.monotonic() > end:
            break
        try:
            function, arguments = made(row.name, row.sizes if on_card else small(row))
            seconds = seconds_of(function, arguments())
            if row.name == "8 small steps":
                seconds /= 1000
            print(json.dumps({"name": row.name, "seconds": seconds}), flush=True)
        except Exception as error:  # noqa: BLE001  (a row that fails says so, and the next one is timed)
            print(json.dumps({"name": row.name, "error": str(error)[:300]}), flush=True)


if __name__ == "__main__":
    main()
