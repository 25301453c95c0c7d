#!/usr/bin/env python3
"""Writes values_of_jax_*.case: gradients of f64 functions as JAX computes them, to be met within 1e-12.

    pip install --target /tmp/jax jax
    PYTHONPATH=/tmp/jax JAX_PLATFORMS=cpu python3 tests/cases/gradients/jax_figures.py

The tests need the files only, not JAX. Each row below is one function of a vector of twelve numbers, twice: as
Tessera and as Python. The loss is the sum of the sines of its elements, so that elements are told apart.
"""

import os
import sys

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

MIXED = [0.31, -0.72, 1.25, -1.6, 0.5, 0.9, -0.05, 1.75, -0.4, 0.66, -1.1, 0.2]
POSITIVE = [0.31, 0.72, 1.25, 1.6, 0.5, 0.9, 0.05, 1.75, 0.4, 0.66, 1.1, 0.2]
ZEROS = [0.0, 2.0, 3.0, -1.5, 0.0, 0.7, 0.0, 1.2, 0.0, 0.4, 0.6, 0.8]
INSIDE = [0.31, -0.72, 0.25, -0.6, 0.5, 0.9, -0.05, 0.75, -0.4, 0.66, -0.1, 0.2]
TIES = [1.0, 2.0, 2.0, 0.5, 0.5, 3.0, 1.0, 1.0, 2.0, 0.25, 2.0, 2.0]


def mat(v):
    return v.reshape(3, 4)


def third(v):
    return v.reshape(2, 2, 3)


def running_products(v):
    """Along the first dimension, with a gradient where elements are 0, too."""
    return jnp.stack([jnp.prod(v[: k + 1], 0) for k in range(v.shape[0])])


def recurred(a, b):
    """y[i] = a[i] * y[i-1] + b[i] along the first dimension."""
    y = [b[0]]
    for i in range(1, b.shape[0]):
        y.append(a[i] * y[-1] + b[i])
    return jnp.stack(y)


def loop(v):
    c = v
    for i in range(4):
        c = jnp.sin(c + v) * (i + 1)
    return c


def nested_loops(v):
    c = v
    for i in range(3):
        d = c
        for k in range(2):
            d = jnp.tanh(d * v + (i + k))
        c = c + d
    return c


def mlp(v):
    x, w1, w2 = v[0:6].reshape(3, 2), v[4:8].reshape(2, 2), v[8:12].reshape(2, 2)
    return jax.nn.gelu(x @ w1, approximate=False) @ w2 - x


def near_identity(v):
    return v[0:9].reshape(3, 3) + 4.0 * jnp.eye(3)


def squared(v):
    return v[0:9].reshape(3, 3) @ v[0:9].reshape(3, 3).T + 2.0 * jnp.eye(3)


def line(v):
    """24,000 numbers, no two of them equal."""
    return (jnp.broadcast_to(v, (2000, 12)) * jnp.cos(jnp.arange(2000.0).reshape(2000, 1))).reshape(24000)


def lines(v):
    return line(v).reshape(600, 40)


def scanned(v):
    c, kept = v, []
    for _ in range(3):
        kept.append(c * v)
        c = jnp.sin(c + v)
    return c + kept[1]


def slopes(f):
    return jax.grad(lambda v: jnp.sum(f(v)))


M = "reshape(v, [3, 4])"
T = "reshape(v, [2, 2, 3])"
A = "(reshape(v[0:9], [3, 3]) + eye(f64[3, 3]) * 4.0)"
L = "reshape(broadcast(v, [2000, 12]) * cos(iota(f64[2000, 1])), [24000])"
K = "reshape(broadcast(v, [2000, 12]) * cos(iota(f64[2000, 1])), [600, 40])"

# family: (name, values, Tessera, Python)
FAMILIES = {
    "one_operand": [
        ("exp", MIXED, "exp(v)", jnp.exp),
        ("exp2", MIXED, "exp2(v)", jnp.exp2),
        ("log", POSITIVE, "log(v)", jnp.log),
        ("sqrt", POSITIVE, "sqrt(v)", jnp.sqrt),
        ("rsqrt", POSITIVE, "rsqrt(v)", jax.lax.rsqrt),
        ("tanh", MIXED, "tanh(v)", jnp.tanh),
        ("sigmoid", MIXED, "sigmoid(v)", jax.nn.sigmoid),
        ("gelu", MIXED, "gelu(v)", lambda v: jax.nn.gelu(v, approximate=False)),
        ("erf", MIXED, "erf(v)", jax.scipy.special.erf),
        ("sin", MIXED, "sin(v)", jnp.sin),
        ("cos", MIXED, "cos(v)", jnp.cos),
        ("abs", MIXED, "abs(v)", jnp.abs),
        ("relu", MIXED, "relu(v)", jax.nn.relu),
        ("relu_of_zeros", ZEROS, "relu(v)", jax.nn.relu),
        ("negate", MIXED, "-v", jnp.negative),
    ],
    "curves": [
        ("log2", POSITIVE, "log2(v)", jnp.log2),
        ("log10", POSITIVE, "log10(v)", jnp.log10),
        ("log1p", INSIDE, "log1p(v)", jnp.log1p),
        ("expm1", MIXED, "expm1(v)", jnp.expm1),
        ("tan", MIXED, "tan(v * 0.5)", lambda v: jnp.tan(v * 0.5)),
        ("arctan", MIXED, "arctan(v)", jnp.arctan),
        ("arcsin", INSIDE, "arcsin(v)", jnp.arcsin),
        ("arccos", INSIDE, "arccos(v)", jnp.arccos),
        ("sinh", MIXED, "sinh(v)", jnp.sinh),
        ("cosh", MIXED, "cosh(v)", jnp.cosh),
        ("arcsinh", MIXED, "arcsinh(v)", jnp.arcsinh),
        ("arccosh", POSITIVE, "arccosh(v + 1.5)", lambda v: jnp.arccosh(v + 1.5)),
        ("arctanh", INSIDE, "arctanh(v)", jnp.arctanh),
        ("angle", MIXED, "arctan2(v, v * v - 0.5)", lambda v: jnp.arctan2(v, v * v - 0.5)),
        ("longer_side", MIXED, "hypot(v, sin(v))", lambda v: jnp.sqrt(v * v + jnp.sin(v) * jnp.sin(v))),
    ],
    "powers": [
        ("squares", MIXED, "v**2.0", lambda v: v**2.0),
        ("cubes", MIXED, "v**3.0", lambda v: v**3.0),
        ("fourth", MIXED, "v**4.0", lambda v: v**4.0),
        ("seventh", MIXED, "v**7.0", lambda v: v**7.0),
        ("inverse", MIXED, "v**(-1.0)", lambda v: v**-1.0),
        ("inverse_square", MIXED, "v**(-2.0)", lambda v: v**-2.0),
        ("half", POSITIVE, "v**0.5", lambda v: v**0.5),
        ("odd", POSITIVE, "v**2.3", lambda v: v**2.3),
        ("both", POSITIVE, "v**sin(v)", lambda v: v ** jnp.sin(v)),
        ("of_a_constant", MIXED, "f64(1.7)**v", lambda v: 1.7**v),
    ],
    "two_operands": [
        ("times", MIXED, "v * cos(v)", lambda v: v * jnp.cos(v)),
        ("over", MIXED, "cos(v) / (v + 3.0)", lambda v: jnp.cos(v) / (v + 3.0)),
        ("remainder", MIXED, "(v * 5.0) % (v * v + 0.7)", lambda v: jnp.mod(v * 5.0, v * v + 0.7)),
        ("greater", TIES, "max(v, v * v)", lambda v: jnp.maximum(v, v * v)),
        ("lesser", TIES, "min(v, v * v)", lambda v: jnp.minimum(v, v * v)),
        ("clip", TIES, "clip(v, f64(0.5), f64(2.0))", lambda v: jnp.clip(v, 0.5, 2.0)),
        ("where", MIXED, "where(v > 0.3, v * v, exp(v))", lambda v: jnp.where(v > 0.3, v * v, jnp.exp(v))),
        ("repeated", MIXED, f"{M} * v[0:4] + reshape(v[4:7], [3, 1])",
         lambda v: mat(v) * v[0:4] + v[4:7].reshape(3, 1)),
    ],
    "reductions": [
        ("sums", MIXED, f"sum({M}, dim=0)", lambda v: jnp.sum(mat(v), 0)),
        ("means", MIXED, f"mean({M}, dim=1)", lambda v: jnp.mean(mat(v), 1)),
        ("greatest", TIES, f"max({M}, dim=1)", lambda v: jnp.max(mat(v), 1)),
        ("least", TIES, f"min({M}, dim=0)", lambda v: jnp.min(mat(v), 0)),
        ("products", MIXED, f"prod({M}, dim=1)", lambda v: jnp.prod(mat(v), 1)),
        ("products_of_zeros", ZEROS, f"prod({M}, dim=0)", lambda v: jnp.prod(mat(v), 0)),
        ("running_sums", MIXED, f"cumsum({M}, 1)", lambda v: jnp.cumsum(mat(v), 1)),
        ("running_sums_down", MIXED, f"cumsum({M}, 0)", lambda v: jnp.cumsum(mat(v), 0)),
        ("running_products", MIXED, f"cumprod({M}, 1)", lambda v: jnp.cumprod(mat(v), 1)),
        ("running_products_of_zeros", ZEROS, f"cumprod({M}, 0) + cumprod(v, 0)[:4]",
         lambda v: running_products(mat(v)) + running_products(v)[:4]),
        ("recurrence", MIXED, f"recur({M}, sin({M}), 1)", lambda v: recurred(mat(v).T, jnp.sin(mat(v)).T).T),
        ("recurrence_down", MIXED, f"recur(v[0:4], {M} * v[0], 0)", lambda v: recurred(mat(v) * 0.0 + v[0:4], mat(v) * v[0])),
        ("masked_sums", MIXED, f"sum({M}, dim=0, where={M} > 0.3)", lambda v: jnp.sum(mat(v), 0, where=mat(v) > 0.3)),
        ("masked_means", MIXED, f"mean({M}, dim=1, where={M} > 0.1)", lambda v: jnp.mean(mat(v), 1, where=mat(v) > 0.1)),
        ("variances", MIXED, f"var({M}, dim=0, ddof=1)", lambda v: jnp.var(mat(v), 0, ddof=1)),
        ("deviations", MIXED, f"std({M}, dim=1)", lambda v: jnp.std(mat(v), 1)),
        ("norms", MIXED, f"norm({M}, dim=1)", lambda v: jnp.sqrt(jnp.sum(mat(v) ** 2.0, 1))),
        ("covariances", MIXED, f"cov({M})", lambda v: jnp.cov(mat(v))),
        ("softmax", MIXED, f"softmax({M}, 1)", lambda v: jax.nn.softmax(mat(v), 1)),
        ("log_softmax", MIXED, f"log_softmax({M}, 1)", lambda v: jax.nn.log_softmax(mat(v), 1)),
        ("log_sums", TIES, f"logsumexp({M}, dim=0)", lambda v: jax.nn.logsumexp(mat(v), 0)),
        ("log_sum", MIXED, f"logsumexp({M})", lambda v: jax.nn.logsumexp(mat(v))),
        ("softmax_of_ties", TIES, f"softmax({M}, 0)", lambda v: jax.nn.softmax(mat(v), 0)),
    ],
    "products": [
        ("matmul", MIXED, "reshape(v, [3, 4]) @ reshape(v, [4, 3])", lambda v: mat(v) @ v.reshape(4, 3)),
        ("of_vectors", MIXED, f"{M} @ v[2:6]", lambda v: mat(v) @ v[2:6]),
        ("einsum", MIXED, f"einsum(\"abc,cd->bad\", {T}, {M})",
         lambda v: jnp.einsum("abc,cd->bad", third(v), mat(v))),
        ("diagonal", MIXED, "einsum(\"ii->i\", reshape(v[0:9], [3, 3]))",
         lambda v: jnp.einsum("ii->i", v[0:9].reshape(3, 3))),
        ("trace", MIXED, "v[0:9] * einsum(\"ii->\", reshape(v[0:9], [3, 3]))",
         lambda v: v[0:9] * jnp.trace(v[0:9].reshape(3, 3))),
        ("diagonals", MIXED, f"einsum(\"iij->ij\", {T})", lambda v: jnp.einsum("iij->ij", third(v))),
        ("diagonal_times", MIXED, "einsum(\"ii,ij->j\", reshape(v[0:4], [2, 2]), reshape(v[4:10], [2, 3]))",
         lambda v: jnp.einsum("ii,ij->j", v[0:4].reshape(2, 2), v[4:10].reshape(2, 3))),
        ("onto_a_diagonal", MIXED, "diag(v[0:3]) @ diag(reshape(v[3:12], [3, 3]))",
         lambda v: jnp.diag(v[0:3]) @ jnp.diag(v[3:12].reshape(3, 3))),
        ("three_at_once", MIXED, f"einsum(\"ij,jk,k->i\", {M}, reshape(v, [4, 3]), v[2:5])",
         lambda v: jnp.einsum("ij,jk,k->i", mat(v), v.reshape(4, 3), v[2:5])),
        ("outer_and_inner", MIXED, "outer(v[0:3] as [3], v[3:7]) * dot(v, cos(v))",
         lambda v: jnp.outer(v[0:3], v[3:7]) * jnp.dot(v, jnp.cos(v))),
        ("network", MIXED, "gelu(reshape(v[0:6], [3, 2]) @ reshape(v[4:8], [2, 2])) @ reshape(v[8:12], [2, 2])"
         " - reshape(v[0:6], [3, 2])", mlp),
    ],
    "moves": [
        ("transposed", MIXED, f"transpose({M}) * sin(reshape(v, [4, 3]))",
         lambda v: mat(v).T * jnp.sin(v.reshape(4, 3))),
        ("parts", MIXED, "v[2:9] * v[5:12]", lambda v: v[2:9] * v[5:12]),
        ("joined", MIXED, "concat([v, v[3:7] * v[4:8], v], 0)",
         lambda v: jnp.concatenate([v, v[3:7] * v[4:8], v])),
        ("padded", MIXED, f"pad({M}, [[1, 0], [0, 2]], sum(v))",
         lambda v: jnp.pad(mat(v), [(1, 0), (0, 2)], constant_values=jnp.sum(v))),
        ("updated", MIXED, "update(v, 4, v[0:3] * v[0:3])", lambda v: v.at[4:7].set(v[0:3] * v[0:3])),
        ("with_steps", MIXED, f"{M}[::2, ::-1] * {M}[1:, :]", lambda v: mat(v)[::2, ::-1] * mat(v)[1:, :]),
        ("turned", MIXED, f"reverse({M}, 0) * {M}", lambda v: mat(v)[::-1] * mat(v)),
        ("rolled", MIXED, f"roll({M}, 3, 1) * {M} + roll({M}, -1, 0)",
         lambda v: jnp.roll(mat(v), 3, 1) * mat(v) + jnp.roll(mat(v), -1, 0)),
        ("updated_in_both", MIXED, f"update({M}, [1, 2], reshape(v[0:4] * v[4:8], [2, 2]))",
         lambda v: mat(v).at[1:3, 2:4].set((v[0:4] * v[4:8]).reshape(2, 2))),
        ("changed", MIXED, f"({M} with [1] = v[0:4] * v[8:12])", lambda v: mat(v).at[1].set(v[0:4] * v[8:12])),
        ("triangles", MIXED, f"tril({M}, 1) * triu({M}, -1)", lambda v: jnp.tril(mat(v), 1) * jnp.triu(mat(v), -1)),
        ("repeated_in_front", MIXED, f"broadcast(v[0:4], [3, 4]) * {M}", lambda v: jnp.broadcast_to(v[0:4], (3, 4)) * mat(v)),
        ("reshaped", MIXED, f"reshape(reshape(transpose({M}), [6, 2]) * reshape(v, [6, 2]), [12])",
         lambda v: (mat(v).T.reshape(6, 2) * v.reshape(6, 2)).reshape(12)),
        ("counted", MIXED, "bincount([2, 0, 2, 3, 1, 0, 0, 3, 2, 2, 1, 0], 5, weights=v * v)",
         lambda v: jnp.zeros(5).at[jnp.array([2, 0, 2, 3, 1, 0, 0, 3, 2, 2, 1, 0])].add(v * v)),
        ("counted_between", MIXED, "histogram(v, f64([-2.0, -0.5, 0.3, 0.6, 2.2]), weights=v * v)",
         lambda v: jnp.histogram(v, jnp.array([-2.0, -0.5, 0.3, 0.6, 2.2]), weights=v * v)[0]),
        ("taken_elements", MIXED, "take(v, [[3, -1], [3, 0]])", lambda v: v[jnp.array([[3, -1], [3, 0]])]),
        ("taken", MIXED, f"take({M}, [2, 0, 2, 2, 1])", lambda v: mat(v)[jnp.array([2, 0, 2, 2, 1])]),
    ],
    "ordered": [
        ("sorted", MIXED, "sort(v, 0) * v", lambda v: jnp.sort(v) * v),
        ("equal", TIES, "sort(v, 0) * v", lambda v: jnp.sort(v) * v),
        ("columns", MIXED, f"sort({M}, 0) * {M}", lambda v: jnp.sort(mat(v), 0) * mat(v)),
        ("lines", MIXED, f"sort({T}, 1) * {T}", lambda v: jnp.sort(third(v), 1) * third(v)),
        ("greatest", MIXED, "topk(v, 5, 0) * v[0:5]", lambda v: jax.lax.top_k(v, 5)[0] * v[0:5]),
        ("greatest_of_equal", TIES, "topk(v, 4, 0) * v[0:4]", lambda v: jax.lax.top_k(v, 4)[0] * v[0:4]),
        ("greatest_of_columns", MIXED, f"topk({M}, 1, 0) * {M}", lambda v: jnp.max(mat(v), 0) * mat(v)),
        ("greatest_of_rows", MIXED, f"topk({M}, 2, 1) * {M}[:, 1:3]", lambda v: jax.lax.top_k(mat(v), 2)[0] * mat(v)[:, 1:3]),
    ],
    "long": [
        ("sorted_line", MIXED, f"sort({L}, 0)[7::1999]", lambda v: jnp.sort(line(v))[7::1999]),
        ("greatest_of_a_line", MIXED, f"topk({L}, 9, 0)", lambda v: jax.lax.top_k(line(v), 9)[0]),
        ("sorted_columns", MIXED, f"sort({K}, 0)[3::97, 5:]", lambda v: jnp.sort(lines(v), 0)[3::97, 5:]),
        ("sorted_rows", MIXED, f"sort({K}, 1)[::173, 1::3]", lambda v: jnp.sort(lines(v), 1)[::173, 1::3]),
        ("greatest_of_long_columns", MIXED, f"topk({K}, 5, 0)[:, ::4]",
         lambda v: jax.lax.top_k(lines(v).T, 5)[0].T[:, ::4]),
        ("greatest_of_short_rows", MIXED, f"topk({K}, 2, 1)[::99]", lambda v: jax.lax.top_k(lines(v), 2)[0][::99]),
        ("taken_of_many", MIXED, f"take({K}, [599, 0, 17, -3, 17, 301])",
         lambda v: lines(v)[jnp.array([599, 0, 17, -3, 17, 301])]),
        ("running_sums_of_a_line", MIXED, f"cumsum({L}, 0)[::3001] / 100.0", lambda v: jnp.cumsum(line(v))[::3001] / 100.0),
        ("turned_line", MIXED, f"({L}[::-1] * roll({L}, 5, 0))[::1501]",
         lambda v: (line(v)[::-1] * jnp.roll(line(v), 5))[::1501]),
        ("reshaped_lines", MIXED, f"reshape({K}, [40, 600])[::7, ::131]", lambda v: lines(v).reshape(40, 600)[::7, ::131]),
    ],
    "matrices": [
        ("solved", MIXED, f"solve({A}, reshape(v[3:12], [3, 3]))",
         lambda v: jnp.linalg.solve(near_identity(v), v[3:12].reshape(3, 3))),
        ("solved_above", MIXED, f"solve_triangular({A}, v[9:12])",
         lambda v: jax.scipy.linalg.solve_triangular(near_identity(v), v[9:12])),
        ("solved_below", MIXED, f"solve_triangular({A}, v[9:12], lower=true)",
         lambda v: jax.scipy.linalg.solve_triangular(near_identity(v), v[9:12], lower=True)),
        ("inverted", MIXED, f"inv({A})", lambda v: jnp.linalg.inv(near_identity(v))),
        ("determinant", MIXED, f"det({A}) * v * 0.01", lambda v: jnp.linalg.det(near_identity(v)) * v * 0.01),
        ("factored", MIXED, "cholesky((reshape(v[0:9], [3, 3]) as [3, 3]) @ transpose(reshape(v[0:9], [3, 3]) as [3, 3]) + eye(f64[3, 3]) * 2.0)",
         lambda v: jnp.linalg.cholesky(squared(v))),
    ],
    "transforms": [
        ("transformed", MIXED, f"re(fft({M}, dims=0)) * im(fft({M}, dims=1))",
         lambda v: jnp.real(jnp.fft.fft(mat(v), axis=0)) * jnp.imag(jnp.fft.fft(mat(v), axis=1))),
        ("transformed_back", MIXED, f"im(ifft(fft({M}, dims=[0, 1]) * complex({M}, sin({M})), dims=[0, 1]))",
         lambda v: jnp.imag(jnp.fft.ifft2(jnp.fft.fft2(mat(v)) * (mat(v) + 1j * jnp.sin(mat(v)))))),
        ("of_reals", MIXED, "re(rfft(v, dims=0)) * im(rfft(v * v, dims=0))",
         lambda v: jnp.real(jnp.fft.rfft(v)) * jnp.imag(jnp.fft.rfft(v * v))),
        ("of_a_matrix", MIXED, f"re(rfft({M}, dims=[0, 1]))",
         lambda v: jnp.real(jnp.fft.rfft2(mat(v)))),
        ("back_to_reals", MIXED, f"irfft(complex({M}, sin({M})), dims=1, n=7)",
         lambda v: jnp.fft.irfft(mat(v) + 1j * jnp.sin(mat(v)), 7, axis=1)),
        ("back_to_an_even_length", MIXED, f"irfft(complex({M}, sin({M})), dims=1)",
         lambda v: jnp.fft.irfft(mat(v) + 1j * jnp.sin(mat(v)), axis=1)),
    ],
    "control": [
        ("kept_of_turns", MIXED, "again { let (c, kept) = scan c = v for i < 3 { (sin(c + v), c * v) }; c + kept[1] }", scanned),
        ("turns", MIXED, "loop c = v for i < 4 { sin(c + v) * f64(i + 1) }", loop),
        ("turns_in_turns", MIXED,
         "loop c = v for i < 3 { c + (loop d = c for k < 2 { tanh(d * v + f64(i + k)) }) }", nested_loops),
        ("branch", MIXED, "if sum(v) > 0.0 { v * v } else { exp(v) }", lambda v: v * v),
        ("again", MIXED, "again { let u = exp(v); u * sin(u) }", lambda v: jnp.exp(v) * jnp.sin(jnp.exp(v))),
    ],
}

SECOND = [
    ("tanh", "tanh(v)", jnp.tanh),
    ("powers", "v**3.0 * exp(v)", lambda v: v**3.0 * jnp.exp(v)),
    ("gelu", "gelu(v)", lambda v: jax.nn.gelu(v, approximate=False)),
    ("product", f"{M} @ tanh(reshape(v, [4, 3]))", lambda v: mat(v) @ jnp.tanh(v.reshape(4, 3))),
    ("sorted", f"sort({M} * {M}, 0) * {M}", lambda v: jnp.sort(mat(v) * mat(v), 0) * mat(v)),
    ("greatest", f"topk({M} * {M}, 2, 1) * {M}[:, 1:3]", lambda v: jax.lax.top_k(mat(v) * mat(v), 2)[0] * mat(v)[:, 1:3]),
    ("softmax", f"softmax({M}, 1) * {M}", lambda v: jax.nn.softmax(mat(v), 1) * mat(v)),
]

HEAD = """# {what}, as JAX {version} computes them; made by jax_figures.py.
--- tolerance 1e-12
--- source
mesh m = [x: 2, y: 3]
"""


def numbers(values):
    return "[" + ", ".join(repr(float(x)) for x in values) + "]"


def checks(name, values, gradient):
    return f"""let at_{name}: f64[12] = {numbers(values)}
let jax_{name}: f64[12] = {numbers(gradient)}
let (l_{name}, g_{name}) = grad(of_{name})(at_{name})
assert max(abs(g_{name} - jax_{name}) / (1.0 + abs(jax_{name}))) < 1e-12
let (s_{name}, h_{name}) = grad(of_{name})(at_{name} as [12@(y,x)])
assert max(abs(h_{name} - jax_{name}) / (1.0 + abs(jax_{name}))) < 1e-12
"""


def write(family, what, text):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"values_of_jax_{family}.case")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD.format(what=what, version=jax.__version__) + text + "\n--- run\n")


def gradient_of(python, values):
    return jax.grad(lambda v: jnp.sum(jnp.sin(python(v))))(jnp.array(values))


def function_of(name, tessera):
    body = tessera if tessera.startswith(("if ", "loop ", "again ")) else f"({tessera})"
    return f"fn of_{name}(v: f64[N]?) = {{\n  let e = {body}\n  sum(sin(e))\n}}\n"


def first(name, values, tessera, python):
    return function_of(name, tessera) + checks(name, values, gradient_of(python, values))


def second(name, tessera, python):
    inner = slopes(lambda v: jnp.sin(python(v)))
    gradient = jax.grad(lambda v: jnp.sum(inner(v) * jnp.cos(v)))(jnp.array(MIXED))
    return f"""fn loss_{name}(v: f64[N]?) = sum(sin({tessera}))
fn of_{name}(v: f64[N]?) = {{
  let (l, g) = grad(loss_{name})(v)
  sum(g * cos(v))
}}
""" + checks(name, MIXED, gradient)


def main():
    for family, rows in FAMILIES.items():
        what = "Gradients: " + ", ".join(row[0].replace("_", " ") for row in rows)
        write(family, what, "\n".join(first(*row) for row in rows))
    write("second_derivatives", "Gradients of gradients", "\n".join(second(*row) for row in SECOND))


if __name__ == "__main__":
    sys.exit(main())
