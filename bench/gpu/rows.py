"""What is timed on a GPU: programs of Tessera, and beside them the same in JAX. Both sides read this table.

`setup` binds names; `turn` is an expression of them that is computed in every turn of a loop, `again` what the loop
carries (a name and its first value) where a turn goes on from the one before. A size stands for an extent: its letter is
replaced in the text, so that a small run can be made without a card."""

from dataclasses import dataclass, field


@dataclass
class Row:
    name: str
    setup: str
    turn: str
    first: str  # what the loop begins with: a value of the turn's type
    sizes: dict = field(default_factory=dict)
    carried: str = "r"  # the name of the loop's value, that the turn may read
    moved: str = ""  # bytes read and written in a turn, as a formula of the sizes; for the share of a copy
    flops: str = ""  # the same of multiply-adds times two
    jax: bool = True


ROWS = [
    Row("relu(a*2+b)", "let a = random(f32[N], 1)\nlet b = random(f32[N], 2)", "relu(a * 2.0 + b)", "a",
        {"N": 2**28}, moved="12*N"),
    Row("exp(a)*tanh(b)", "let a = random(f32[N], 1)\nlet b = random(f32[N], 2)", "exp(a) * tanh(b)", "a",
        {"N": 2**28}, moved="12*N"),
    Row("gelu(a)", "let a = normal(f32[N], 1)", "gelu(a)", "a", {"N": 2**28}, moved="8*N"),
    Row("f64 sqrt(a*a+b*b)", "let a = random(f64[N], 1)\nlet b = random(f64[N], 2)", "sqrt(a * a + b * b)", "a",
        {"N": 2**27}, moved="24*N"),
    Row("sum(a)", "let a = random(f32[N], 1)", "sum(a)", "f32(0.0)", {"N": 2**28}, moved="4*N"),
    Row("sum(a, dim=1)", "let a = random(f32[M, M], 1)", "sum(a, dim=1)", "zeros(f32[M])", {"M": 16384}, moved="4*M*M"),
    Row("max(a, dim=0)", "let a = random(f32[M, M], 1)", "max(a, dim=0)", "zeros(f32[M])", {"M": 16384}, moved="4*M*M"),
    Row("softmax", "let a = normal(f32[R, C], 1)", "softmax(a, 1)", "a", {"R": 65536, "C": 4096}, moved="8*R*C"),
    Row("layer norm", 'use "std/nn"\nlet a = normal(f32[R, C], 1)\nlet s = ones(f32[C])\nlet h = zeros(f32[C])',
        "layer_norm(a, s, h)", "a", {"R": 65536, "C": 4096}, moved="8*R*C"),
    Row("transpose(a)+0", "let a = random(f32[M, M], 1)", "transpose(a) + 0.0", "a", {"M": 16384}, moved="8*M*M"),
    Row("argmax(a, dim=1)", "let a = random(f32[M, M], 1)", "argmax(a, dim=1)", "zeros(i64[M])", {"M": 16384},
        moved="4*M*M"),
    Row("f32 product", "let a = normal(f32[K, K], 1)\nlet b = normal(f32[K, K], 2)", "a @ b", "a", {"K": 8192}, flops="2*K*K*K"),
    Row("bf16 product, f32 sums", "let a = bf16(normal(f32[K, K], 1))\nlet b = bf16(normal(f32[K, K], 2))",
        "f32(a) @ f32(b)", "zeros(f32[K, K])", {"K": 8192}, flops="2*K*K*K"),
    Row("take", "let t = random(f32[V, 128], 1)\nlet i = i64(random(f32[I], 2) * f32(V)) % V", "take(t, i)",
        "zeros(f32[I, 128])", {"V": 2**20, "I": 2**20}, moved="2*4*128*I"),
    Row("take, its gradient", "let t = random(f32[V, 128], 1)\nlet i = i64(random(f32[I], 2) * f32(V)) % V\n"
        "let g = random(f32[I, 128], 3)\n"
        "fn loss(t: f32[Rows, Columns]?, i: i64[Ids]?, g: f32[Ids, Columns]?) = sum(take(t, i) * g)\n"
        "fn slope(t: f32[Rows, Columns]?, i: i64[Ids]?, g: f32[Ids, Columns]?) = "
        "{ let (l, d) = grad(loss, wrt=t)(t, i, g)\n d }",
        "slope(t, i, g)", "zeros(f32[V, 128])", {"V": 2**20, "I": 2**20}, moved="2*4*128*(I+V)"),
    Row("a training step",
        "fn loss(x: f32[B, D]?, y: f32[B, D]?, v: f32[D, H]?, w: f32[H, D]?) = mean((relu(x @ v) @ w - y) ** 2.0)\n"
        "fn step(x: f32[B, D]?, y: f32[B, D]?, v: f32[D, H]?, w: f32[H, D]?) = "
        "{ let (l, gv, gw) = grad(loss, wrt=[v, w])(x, y, v, w)\n w - 0.01 * gw + sum(gv) * 0.0 }\n"
        "let x = normal(f32[4096, D4], 1)\nlet y = normal(f32[4096, D4], 2)\n"
        "let v = normal(f32[D4, H4], 3) * 0.01\nlet w = normal(f32[H4, D4], 4) * 0.01",
        "step(x, y, v, r)", "w", {"D4": 4096, "H4": 16384}, flops="12*4096*D4*H4"),
    Row("8 small steps", "let a = random(f32[4096], 1)\n"
        "fn turned(r: f32[N4]?, a: f32[N4]?) = { let b = r * 0.5 + a\n let c = b - mean(b)\n"
        " let d = c * rsqrt(mean(c * c) + 1e-5)\n relu(d) + cumsum(d, 0) * 0.001 }",
        "turned(r, a)", "a", {}),
]

# In no mean: changes of layout of 64 tiles on one card, and a product of our own order, which JAX has not.
CHANGES = [
    Row("rows to columns, 64 tiles", "mesh m = [x: 64]\nlet a = random(f32[M@x, M], 1)", "r as [M, M@x] as [M@x, M]", "a",
        {"M": 16384}, moved="2*8*M*M"),
    Row("a transposed, 64 tiles", "mesh m = [x: 64]\nlet a = random(f32[M@x, M], 1)", "transpose(r) as [M@x, M]", "a",
        {"M": 16384}, moved="8*M*M"),
    Row("f32 product, ordered", "let a = normal(f32[K, K], 1)\nlet b = normal(f32[K, K], 2)", "a @ b", "a", {"K": 8192}, flops="2*K*K*K", jax=False),
]


def small(row):
    """The row's sizes, for a run without a card."""
    return {letter: max(64, size // 4096 if size > 2**20 else size // 64) for letter, size in row.sizes.items()}
