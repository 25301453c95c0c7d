// Mistakes, by kind and place; every kind that the frontend reports is reported here.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "frontend/parse.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

struct Malformed {
  std::string text;
  std::string error;
};

const std::vector<Malformed> kMalformed = {
    {"a as [8] @ b", "1:10 after-as"},
    {"let x = a as [8] + 1", "1:18 after-as"},
    {"let x = f(a as [8][0])", "1:19 after-as"},
    {"a < b < c", "1:7 chained-comparison"},
    {"let q = a == b == c", "1:16 chained-comparison"},
    {"let x = +3", "1:9 unary-plus"},
    {"let x = a + + b", "1:13 unary-plus"},
    {"let x = a ++ b", "1:12 unary-plus"},
    {"if a = b { 1 } else { 2 }", "1:6 single-equals"},
    {"a = 3", "1:3 missing-let"},
    {"let (a, b) = scan v = 1 for const i < 3 { (v + 1, v) }", "1:29 unrolled-form"},
    {"a[0] = 3", "1:6 missing-let"},
    {"let a == 3", "1:7 syntax-error"},
    {"let x = if c { 1 }", "1:9 missing-else"},
    {"let x = if c { 1 } elif d { 2 } else { 3 }", "1:20 foreign-word"},
    {"while a < 3 { a }", "1:1 syntax-error"},
    {"with m { a }", "1:1 syntax-error"},
    {"let a = b with c", "1:16 syntax-error"},
    {"let a = b with [0]", "1:19 syntax-error"},
    {"let a = loop w = 1 while w < 3, min=4 { w }", "1:33 syntax-error"},
    {"let a = loop w = 1 for i < 3 while w < 3, max=4 { w }", "1:41 syntax-error"},
    {"let a = pipeline w = 1 for i < 3 while w < 3 { w }", "1:34 syntax-error"},
    {"let a = scan w = 1 while w < 3 { (w, w) }", "1:20 syntax-error"},
    {"let a = scan w = 1 for i < 3 by \"auto\" { (w, w) }", "1:30 syntax-error"},
    {"for i in 3 { a }", "1:1 syntax-error"},
    {"let print = 3", "1:5 keyword-as-name"},
    {"let f32 = 3", "1:5 keyword-as-name"},
    {"fn for(a: f32) = a", "1:4 keyword-as-name"},
    {"fn g(let: f32) = a", "1:6 keyword-as-name"},
    {"let a: float32[8] = b", "1:8 unknown-element-type"},
    {"let a: f8[8] = b", "1:8 unknown-element-type"},
    {"let a: Tensor = b", "1:8 unknown-element-type"},
    {"let a = b as float", "1:14 unknown-element-type"},
    {"let a = b as f31[8]", "1:14 unknown-element-type"},
    {"let s = \"abc", "1:9 open-string"},
    {"let s = \"a\\qb\"", "1:11 bad-escape"},
    {"let s = \"a\\u{110000}\"", "1:11 bad-escape"},
    {"let s = \"a\\u12\"", "1:11 bad-escape"},
    {"let n = 9223372036854775808", "1:9 number-too-large"},
    {"let n = 1e999", "1:9 number-too-large"},
    {"let n = 007", "1:9 bad-number"},
    {"let n = 0x10", "1:9 bad-number"},
    {"let n = 3x", "1:9 bad-number"},
    {"let n = 64MiB", "1:9 bad-number"},
    {"let n = 16_", "1:9 bad-number"},
    {"let a = (1, 2)[0]", "1:15 tuple-index"},
    {"let a = t.0", "1:10 tuple-index"},
    {"let a = t.sum(0)", "1:10 unknown-character"},
    {"let a = f(1, 2", "1:10 unclosed-bracket"},
    {"let a = f(1, 2]", "1:15 unmatched-bracket"},
    {"let a = f(1, 2))", "1:16 unmatched-bracket"},
    {"let a = [1, (2, 3]", "1:13 unclosed-bracket"},
    {"let a = {", "1:9 unclosed-bracket"},
    {"fn f(a: f32) -> f32 { plan a }", "1:23 statement-in-block"},
    {"fn f(a: f32) -> f32 { print a }", "1:31 block-without-value"},
    {"fn f(a: f32) -> f32 { let b = a }", "1:33 block-without-value"},
    {"fn f(a: f32) -> f32 { }", "1:23 block-without-value"},
    {"fn f(a: f32) -> f32 { a; let b = 2; b }", "1:23 value-inside-block"},
    {"fn f(a: f32) -> f32 { a; b }", "1:23 value-inside-block"},
    {"let a = f(x)(y)", "1:13 not-callable"},
    {"let a = (f)(x)", "1:12 not-callable"},
    {"let a = 3(x)", "1:10 not-callable"},
    {"let a = f32[8]", "1:9 misplaced-type"},
    {"let a = f32[8] + 1", "1:9 misplaced-type"},
    {"let a = f(f32[8] + 1)", "1:18 syntax-error"},
    {"let a = f(a b)", "1:13 syntax-error"},
    {"let a = f(a, , b)", "1:14 syntax-error"},
    {"let a = [1, 2, , 3]", "1:16 syntax-error"},
    {"let a = [1 2]", "1:12 syntax-error"},
    {"let a b", "1:7 syntax-error"},
    {"let", "1:4 syntax-error"},
    {"let a =", "1:8 syntax-error"},
    {"let a = b +", "1:12 syntax-error"},
    {"print", "1:6 syntax-error"},
    {"print a,", "1:9 syntax-error"},
    {"mesh m = [x 4]", "1:13 syntax-error"},
    {"mesh m = [x: 4 y: 2]", "1:16 syntax-error"},
    {"mesh m = x: 4", "1:10 syntax-error"},
    {"mesh m = [x: 4] on", "1:19 syntax-error"},
    {"mesh m = [x: 4] on 8", "1:21 syntax-error"},
    {"mesh m = [x: 4] on 8:", "1:22 syntax-error"},
    {"mesh m = [x: 4] on (4, 8)", "1:26 syntax-error"},
    {"mesh m = [x: 4] on ()", "1:21 syntax-error"},
    {"mesh m = [x: 4] on 0:8:2", "1:23 syntax-error"},
    {"mesh m = [x: 4] place auto on 0:4", "1:28 syntax-error"},
    {"mesh m = [x: 4] on m2", "1:22 syntax-error"},
    {"mesh m = [x: 4] 8:16", "1:17 syntax-error"},
    {"mesh = [x: 4]", "1:6 syntax-error"},
    {"mesh m = []", "1:11 syntax-error"},
    {"fn f = 3", "1:6 syntax-error"},
    {"fn f(a) = 3", "1:7 syntax-error"},
    {"fn f(a: f32 b: f32) = 3", "1:13 syntax-error"},
    {"fn f() -> = 3", "1:11 syntax-error"},
    {"fn f() -> f32", "1:14 syntax-error"},
    {"fn f()", "1:7 syntax-error"},
    {"let a: f32[8@] = b", "1:14 syntax-error"},
    {"let a: f32[8@(x y)] = b", "1:17 syntax-error"},
    {"let a: f32[, 8] = b", "1:12 syntax-error"},
    {"let a: f32[-8] = b", "1:12 syntax-error"},
    {"let a: f32[2*N] = b", "1:13 syntax-error"},
    {"let a: f32[8]{x} = b", "1:14 syntax-error"},
    {"let a: f32[8]{sum x} = b", "1:14 syntax-error"},
    {"let a: f32[8]{+} = b", "1:16 syntax-error"},
    {"let a: f32[8] on = b", "1:18 syntax-error"},
    {"let a: [8] = b", "1:8 syntax-error"},
    {"save(a)", "1:7 syntax-error"},
    {"save a, \"p\"", "1:6 syntax-error"},
    {"save(\"p\", a)", "1:11 syntax-error"},
    {"assert a, b", "1:11 syntax-error"},
    {"loop i < 3 { a }", "1:8 syntax-error"},
    {"let a = loop w = 1 for i < 3", "1:29 syntax-error"},
    {"let a = loop w = 1 { 2 }", "1:20 syntax-error"},
    {"let a = loop w = 1 for i in 3 { 2 }", "1:26 foreign-word"},
    {"let a = loop w for i < 3 { 2 }", "1:16 syntax-error"},
    {"let (a) = f(x)", "1:7 syntax-error"},
    {"let (a, b): f32 = f(x)", "1:11 syntax-error"},
    {"let a = local b", "1:15 syntax-error"},
    {"let a = a & & b", "1:13 syntax-error"},
    {"let a = a < < b", "1:13 syntax-error"},
    {"let a = ~", "1:10 syntax-error"},
    {"let a = ~!b", "1:10 syntax-error"},
    {"let a = a and b", "1:11 foreign-word"},
    {"let a = not b", "1:9 foreign-word"},
    {"let a = a == !b", "1:14 syntax-error"},
    {"let a = -!b", "1:10 syntax-error"},
    {"// comment", "1:1 syntax-error"},
    {"/* comment */", "1:1 syntax-error"},
    {"let a = b // comment", "1:12 syntax-error"},
    {"let a = b; ; let c = ; print c", "1:21 syntax-error"},
    {")", "1:1 unmatched-bracket"},
    {"let a = b $ c", "1:11 unknown-character"},
    {"let a = x within 64MiB", "1:11 syntax-error"},
    {"let a = x as f32 within 64mb", "1:25 bad-size"},
    {"let a = x as f32 within 1.5GiB", "1:25 bad-size"},
    {"let a = x as f32 within 99999999999GiB", "1:25 number-too-large"},
    {"let a = x as f32 within y", "1:25 syntax-error"},
    {"let a = x as", "1:13 syntax-error"},
    {"return 3", "1:1 foreign-word"},
    {"def f(x): 3", "1:1 foreign-word"},
    {"import foo", "1:1 foreign-word"},
    {"let a = ()", "1:10 syntax-error"},
    {"let a = {b, c}", "1:11 syntax-error"},
    {"let a = \"x\" \"y\"", "1:13 syntax-error"},
    {"let a = a[]", "1:11 syntax-error"},
    {"let a = a[1:2:3:4]", "1:16 syntax-error"},
    {"let a = f(dim=)", "1:15 syntax-error"},
    {"let a = f(dim: 0)", "1:14 syntax-error"},
    {"let f(x) = 3", "1:6 syntax-error"},
    {"let a = b ? c : d", "1:11 syntax-error"},
    {"let a = lambda x: x", "1:9 foreign-word"},
    {"a.b()", "1:2 unknown-character"},
    {"a.", "1:3 syntax-error"},
    {"let a = {\"w\": b}", "1:13 syntax-error"},
    {"let a = {w = b, c = d}", "1:12 syntax-error"},
    {"let a = if b {w: c} else {w: d}", "1:16 syntax-error"},
    {"let a = {w: b, ..c}", "1:16 syntax-error"},
    {"let a = {w: b c: d}", "1:15 syntax-error"},
    {"let a = {..}", "1:12 syntax-error"},
    {"p.w = a", "1:5 missing-let"},
    {"let a = |b|", "1:9 syntax-error"},
    {"let a = 1.2.3", "1:12 syntax-error"},
    {"let a = 'x'", "1:9 unknown-character"},
    {"else { 3 }", "1:1 syntax-error"},
    {"let x = a -> b", "1:11 syntax-error"},
    {"fn f(a: f32) => a", "1:15 syntax-error"},
    {"fn f(a: f32): f32 = a", "1:13 syntax-error"},
    {"let a = é + ñ́", "1:14 unknown-character"},
};

TEST(Malformed, SaysWhatAndWhere) {
  for (const auto& [text, error] : kMalformed) {
    const auto errors = brief(parse_text(text));
    ASSERT_FALSE(errors.empty()) << text;
    EXPECT_EQ(errors[0], error) << text;
  }
}

// The kinds that a text of one line cannot show, or that are tested where they belong.
const std::vector<std::string> kElsewhere = {"let a = b\x01", "\xFF", "let a = " + repeat("(", 300),
                                             repeat("let = 1\n", kSyntaxErrorsMax + 1),
                                             std::string(kSourceBytesMax + 1, ' ')};

TEST(Malformed, EveryKindIsReported) {
  std::set<std::string_view> reported;
  const auto report = [&](const std::string& text) {
    const Parsed parsed = parse_text(text);
    ASSERT_FALSE(parsed.result.ok()) << text.substr(0, 60);
    for (const auto& diagnostic : parsed.result.errors()) reported.insert(diagnostic.kind.slug);
  };
  for (const auto& example : kMalformed) report(example.text);
  for (const auto& text : kElsewhere) report(text);
#define KIND(identifier, slug, severity, blame, message) EXPECT_TRUE(reported.contains(slug)) << slug;
#include "base/diagnostics/frontend.def"
#undef KIND
}

// Message and help in full, where they name what was written.
struct Expectation {
  std::string text;
  std::string message;
  std::string help;
};

const std::vector<Expectation> kTold = {
    {"let b = a as [8] @ b", "`as` ends an expression, so `@` may not follow it",
     "put it in parentheses: `(a as [8]) @ ...`"},
    {"let b = f(x, a as [8][0])", "`as` ends an expression, so `[` may not follow it",
     "put it in parentheses: `(a as [8])[...`"},
    {"if a = b { 1 } else { 2 }", "`=` does not compare", "write `==`"},
    {"a = 3", "a value is named with `let`", "write `let a = ...`"},
    {"let a: float32[8] = b", "`float32` is not an element type", "did you mean `f32`?"},
    {"let a: f8[8] = b", "`f8` is not an element type",
     "the element types are bool, i8 to i64, u8 to u32, f32, f64, f16, bf16, c64 and c128"},
    {"let x = if c { 1 } elif d { 2 }", "Tessera has no `elif`", "write `else if`"},
    {"let print = 3", "`print` is a keyword and cannot be a name", "choose another name, such as `print_`"},
    {"let a b", "expected `:` or `=`, found `b`", "write `let a = ...`, or `let a: f32[8] = ...`"},
    {"let a = f(a b)", "expected `)` or `,`, found `b`", ""},
    {"let a =", "expected an expression, found the end of the line", ""},
    {"let a = [1; 2]", "expected `]` or `,`, found `;`", ""},
    {"let a: = b", "expected a type, found `=`", "write `let a = ...`, or `let a: f32[8] = ...`"},
    {"mesh m = []", "expected a name, found `]`", "write `mesh m = [x: 4, y: 2]`"},
    {"mesh m = [x: 4] on 8", "expected `:`, found the end of the line",
     "a mesh lies on ranges of devices, `on 8:16` or `on (4:8, 0:4)`; one device is `on 8:9`"},
    {"mesh m = [x: 4] place auto on 0:4", "expected the end of the statement, found `on`", "write `on` before `place`"},
    {"mesh m = [x: 4] 8:16", "expected `place`, `on` or the end of the mesh, found `8`",
     "a mesh is placed by `place [[4, 4], [1, 4]]` and lies on devices of its own by `on 8:16`"},
    {"mesh m: [x=4]", "expected `=`, found `:`", "write `mesh m = [x: 4, y: 2]`"},
    {"fn f(a) = a", "expected `:`, found `)`", "write `fn f(a: f32[8]) -> f32[8] = ...`"},
    {"fn f(a: f32) = a b", "expected the end of the statement, found `b`", ""},
    {"fn f(a: f32) { a b }", "expected `}` or the end of the statement, found `b`", ""},
    {"let a = { b c }", "expected `}` or the end of the statement, found `c`", ""},
    {"let a = { b, c }", "expected `}` or the end of the statement, found `,`",
     "several values stand in parentheses, as in `(a, b)`, and a record names its fields, as in `{x: a, y: b}`"},
    {"fn f(a: f32) { let b c; b }", "expected `:` or `=`, found `c`", "write `let a = ...`, or `let a: f32[8] = ...`"},
    {"save(a)", "expected `,`, found `)`", "write `save(a, \"a.npy\")`"},
    {"save_shards(a)", "expected `,`, found `)`", "write `save_shards(a, \"a\")`"},
    {"loop w = 0 for i { w }", "expected `<`, found `{`", "write `loop w = w0 for i < n { ... }`"},
    {"loop w = 0 for i < 3 { w } 4", "expected the end of the statement, found `4`", ""},
    {"loop for i < 3 { i }", "expected a name, found `for`", "a loop carries a value: `loop w = w0 for i < n { ... }`"},
    {"let a: f32 8 = b", "expected `=`, found `8`", "extents stand in square brackets, as in `f32[8]`"},
    {"let a: f32[8]+x = b", "expected `=`, found `+`",
     "a pending reduction is written `{+x}`, `{*x}`, `{max x}` or `{min x}`"},
    {"let a = b -> f32[8]", "expected the end of the statement, found `->`",
     "a value gets another type with `as`, as in `a as f32[8@x]`"},
    {"let a to = b", "expected `:` or `=`, found `to`", "write `let a = ...`, or `let a: f32[8] = ...`"},
    {"let a = b to f32[8]", "expected the end of the statement, found `to`",
     "a value gets another type with `as`, as in `a as f32[8@x]`"},
    {"let a = b c", "expected the end of the statement, found `c`", ""},
    {"let a = b as f32 within 64mib", "`64mib` is not a size", "write `64MiB`"},
    {"let a = f(1, 2", "`(` is never closed", "add the `)` that belongs to it"},
    {"plan let b = a as [8]", "expected an expression, found `let`", "a value stands here: leave `let b =` out"},
    {"let a = let b: f32[8] = c", "expected an expression, found `let`",
     "a value stands here: leave `let b: f32[8] =` out"},
    {"let f = fn(a: f32) = a", "expected an expression, found `fn`",
     "a function is no value; it is declared by `fn f(a: f32) = a`"},
    {"let g = fn(a) => a", "expected an expression, found `fn`",
     "a function is no value; it is declared by `fn g(a: f32[8]) = ...`"},
    {"let g = fn(a: f32) => a", "expected an expression, found `fn`",
     "a function is no value; it is declared by `fn g(a: f32[8]) = ...`"},
    {"let g = fn(a: f32, b: f32[4]) -> f32 = a", "expected an expression, found `fn`",
     "a function is no value; it is declared by `fn g(a: f32, b: f32[4]) -> f32 = a`"},
    {"g(fn(a: f32) = a)", "expected an expression or `)`, found `fn`",
     "a function is no value; it is declared by `fn f(a: f32[8]) = ...`"},
    {"let m = mesh [x: 4]", "expected an expression, found `mesh`",
     "a mesh is no value; it is declared by `mesh m = [x: 4, y: 2]`"},
    {"let a = print b", "expected an expression, found `print`",
     "a value stands here, and `print` is a statement, which has none"},
    {"fn f(a: f32[4]): f32[4] = a", "expected `{`, `->` or `=`, found `:`", "the type of the result stands after `->`"},
    {"let a = load(../a.npy, f32[4])", "`..` has no meaning here",
     "the name of a file stands between quotes: `\"../a.npy\"`"},
    {"let a = load(\"a.npy\")[..., 0]", "`..` has no meaning here",
     "dimensions are not left out: `a[:, :, 0]`; those at the end may be"},
    {"save(a, out/a.npy)", "expected a string, found `out`",
     "the name of a file stands between quotes: `\"out/a.npy\"`"},
    {"save(a, path)", "expected a string, found `path`",
     "the name of a string stands in braces, as in `save(a, \"{path}\")`"},
    {"let a = gradient(loss)(v)", "only a function's name can be called",
     "functions are not values; the gradient of a function `loss` is `let (value, slope) = grad(loss)(v)`"},
    {"gradient(a)(0, b)", "only a function's name can be called",
     "functions are not values; the gradient of a function `a` is `let (value, slope1, slope2) = grad(a)(0, b)`"},
    {"gradient(loss, v)(0)", "only a function's name can be called",
     "`grad` takes the name of a function, which is declared by `fn f(a: f32[8]) = ...`"},
    {"grad(grad(loss))(v, w)", "only a function's name can be called",
     "`grad` takes the name of a function: put the inner gradient into one whose result is a scalar"},
    {"let a = grad(grad(loss))(v)", "only a function's name can be called",
     "`grad` takes the name of a function: put the inner gradient into one, `fn slope(a: T) = { let (y, d) = "
     "grad(loss)(a); sum(d) }` with the type of its parameter for `T`, then write `let (value, second) = "
     "grad(slope)(v)`"},
    {"let a = grad(vmap(loss))(v)", "only a function's name can be called",
     "`grad` takes the name of a function, which is declared by `fn f(a: f32[8]) = ...`"},
    {"let a = gradient()(v)", "only a function's name can be called",
     "`grad` takes the name of a function, which is declared by `fn f(a: f32[8]) = ...`"},
    {"f(a)(b)", "only a function's name can be called",
     "functions are not values: call the function itself, as in `f(a)`; a product is `*`"},
    {"print(a, end=b)", "expected `,` or `)`, found `=`",
     "`print` takes values and texts alone, with blanks between them, and ends its line"},
    {"print(a, b, sep=c)", "expected `,` or `)`, found `=`",
     "`print` takes values and texts alone, with blanks between them, and ends its line"},
    {"print end = 3", "`=` does not compare", "write `==`"},
    {"print a, sep = 3", "`=` does not compare", "write `==`"},
    {"print(file = 3)", "`=` does not compare", "write `==`"},
    {"else { 3 }", "expected a statement, found `else`",
     "`else` belongs directly after the `}` of its `if`; a session takes an input that is complete at the end of its "
     "line, so write `} else {` on one line there"},
};

TEST(Malformed, IsToldInTheWordsOfTheReader) {
  for (const auto& [text, message, help] : kTold) {
    const Parsed parsed = parse_text(text);
    ASSERT_FALSE(parsed.result.ok()) << text;
    EXPECT_EQ(parsed.result.errors()[0].message, message) << text;
    EXPECT_EQ(parsed.result.errors()[0].help, help) << text;
  }
}

// Both culprits are shown.
TEST(Malformed, PointsAtTheOtherCulpritToo) {
  const auto second = [](const std::string& text) {
    const Parsed parsed = parse_text(text);
    return std::string(parsed.sources.text(parsed.result.errors()[0].labels.at(1).span));
  };
  EXPECT_EQ(second("a < b == c"), "<");
  EXPECT_EQ(second("a as f32 + b"), "as");
  EXPECT_EQ(second("f(a]"), "(");
  EXPECT_EQ(second("[1, (2]"), "]");
}

}  // namespace
}  // namespace tessera::frontend::testing
