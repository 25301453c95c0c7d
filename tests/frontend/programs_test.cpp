// Programs that parse: every form of the grammar, alone and among others.
#include <gtest/gtest.h>

#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

const std::vector<std::string> kPrograms = {
    "",
    "# nothing but a comment",
    "# Two all-to-alls, or one exchange, where XLA today gathers the whole array.\n"
    "mesh m = [x: 4, y: 2]\n\n"
    "let a = iota(f32[16@y, 16, 16@x])\n"
    "let b = a as [16, 16@(x,y), 16]\n"
    "print \"sum\", sum(b)\n"
    "plan a as [16, 16@(x,y), 16]\n",
    "mesh m = [x: 4]; mesh n = [a: 2, b: N * 2, c: (3)]",
    "let max = min + _",
    "let größe_2 = ñandú + 漢字",
    "let n = 9223372036854775807",
    "let n = 1_000_000 + 0 + 1_0.5_0e1_0",
    "let f = 2.5 + 1e-3 + 1. + .5 + 1E5 + 2.e+3 + 5e-324 + 1e-999",
    "let t = true && false || !true",
    "let l = [[1, 2], [3, -4.5]]",
    "let l = []",
    "let l = [1, 2,]",
    "let s = einsum(\"bij,bjk->bik\", a, b)",
    "print \"\\n\\t\\\"\\\\\\u{e9}\\u{0}\\u{10ffff} é\"",
    "let (a, b) = f(x)",
    "let (a, b, _) = (1, 2, 3)",
    "let n: f32[8@x]{+y} on m = e",
    "let n: f32 = 1",
    "let p = {w: a, b: {c: 1.0, max: min},}",
    "let p = {..q.r, w: a with [0] = 1, [1] = 2, b: q as [8@x]}",
    "let p: {w: f32[8@x]{+y} on m, b: {c: f32?}} = q as {w: f32[8], b: f32}",
    "let n = p.w.max[0].min + (1).e5 + {w: 1}.w + f(x).a",
    "fn f(p: {w: f32[N, K], b: f32[..]?,}) -> ({w: f32}, f32) { (p, {let a = 1; a}) }",
    "let n: f32[] = 1",
    "let n: f32? = 1",
    "let n: bool[N, _, (2*N + 1)@(x,y), K@z]{max x,y} = 1",
    "let n: f64[8]{min x} = 1",
    "let n: i32[8]? on m = 1",
    "let n: bf16[8] = f16(x)",
    "let n: f32[(f(i64[(N)]))] = x",
    "let n: f32[(_)] = x",
    "let n = a as [8, 8@x]",
    "let n = a as [8]{+x} on m as f32 as f64[8] within 64MiB as [8] within 1000",
    "let n = a as [8]?",
    "fn f() = 1",
    "fn f(a: f32[N, K]?, b: f32[N],) -> f32[N] = a",
    "fn f(a: f32) -> (f32, f32[8]{+x}) { (a, a) }",
    "fn f() -> f32[8]{+x} { max }",
    "fn f() -> f32[8] { max(a, b) }",
    "fn f() -> f32[8] { min }",
    "fn f() -> f32 on m { a }",
    "fn f(a: f32) -> f32 {\n  let t = a\n  assert t > 0, \"positive\"\n  assert t < 9\n  t * 2\n}",
    "fn f() = { a }",
    "if c { 1 } else if d { 2 } else { 3 }",
    "let x = if a as bool { 1 } else { 2 }",
    "let x = if { a } { 1 } else { 2 }",
    "let x = { let t = 1; t * 2 }",
    "loop w = w0 for i < 100 { w + i }",
    "pipeline w = w0 for i < 100 { w + i }",
    "pipeline w = w0, v = v0 for i < 100 by \"eager-1f1b\" { (w + i, v) }",
    "let pipeline = by(pipeline) * by",
    "scan w = w0, v = v0 for i < 100 { (w + i, v, w, i) }",
    "let scan = scan(scan) * scan",
    "let (a, b) = loop w = w0, m = m0 for i < n as i64 { let w2 = w; (w2, m) }",
    "let x = loop w = loop v = 1 for j < 2 { v } for i < 3 { w }",
    "let x = local { a + b }",
    "let x = local { a } as [8]",
    "a[0:8, :, 3]",
    "a[i][j:][:k][-1]",
    "a[i:i+8, (i)]",
    "f(x)[0]",
    "(a + b)[0]",
    "[1, 2][0]",
    "let x = f(a, dim=0, axes=(x, y), f32[8@x], f32, bool, f32(3), to=f32[8])",
    "let x = -a**2 + (-a)**2 ** -b ** c",
    "let x = a - b - c - (d - e) / f / (g * h) @ i % j",
    "let x = a == b && c != d || e < f && g <= h || !(i > j) && k >= l",
    "let x = !a == b",
    "let x = (!a) == b",
    "let x = (a == b) == c",
    "let x = !!a && - -b < c",
    "let x = (a as [8]) @ b",
    "let x = (if a { b } else { c }) + 1",
    "let x = if a { b } else { c } + 1",
    "let x = (local { a })[0]",
    "let x = -{ a }",
    "print a, \"b\", c as [8], (1, 2)",
    "show a; plan a as [8]; save(a, \"a.npy\"); save_shards(a as [8], \"p\")",
    "assert all(a)",
    "a",
    "1",
    "\xEF\xBB\xBFlet a = 1",
    "let a = 1\r\nlet b = [\r\n  2\r\n]\r\n",
};

TEST(Programs, AreFixedPointsOfPrintAndParse) {
  for (const std::string& program : kPrograms) expect_fixed_point(program);
}

}  // namespace
}  // namespace tessera::frontend::testing
