// The canonical layout: what a text becomes.
#include "frontend/print.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

struct Printed {
  std::string text;
  std::string layout;
};

const std::vector<Printed> kPrinted = {
    // Blanks.
    {"let  a=iota( f32[ 16@y,16 , 16 @ x ] )", "let a = iota(f32[16@y, 16, 16@x])\n"},
    {"let b=a as[16,16@( x , y ),16]", "let b = a as [16, 16@(x,y), 16]\n"},
    {"let b: f32[512@(x)]{ + y , x }? = a", ""},
    {"let b:f32[ (3 * N) @x,K ]{ max x , y } on  m=a", "let b: f32[(3*N)@x, K]{max x,y} on m = a\n"},
    {"let c = a[ i : i + 8,:, - 1 ]", "let c = a[i:i+8, :, -1]\n"},
    {"let c = a[f(i + 8, [j * 2]):]", "let c = a[f(i + 8, [j * 2]):]\n"},
    {"let d = -a ** 2*b", "let d = -a**2 * b\n"},
    {"print\"x\",  a", "print \"x\", a\n"},
    {"let e = f( a , dim = 0 )", "let e = f(a, dim=0)\n"},
    {"mesh m=[x:4,y :2]", "mesh m = [x: 4, y: 2]\n"},
    {"mesh m=[x:4]on(4 : 8)", "mesh m = [x: 4] on 4:8\n"},
    {"mesh m=[x:4]on (4:N+ 2,0:(2*1),)place auto", "mesh m = [x: 4] on (4:N+2, 0:2*1) place auto\n"},
    {"mesh m=[x:4]on\n(2+2)*1 : 8", "mesh m = [x: 4] on (2+2)*1:8\n"},
    {"fn f(a:f32[N,K]?)->f32[N]=a", "fn f(a: f32[N, K]?) -> f32[N] = a\n"},
    {"let a = b as f32 within 1024", "let a = b as f32 within 1KiB\n"},
    {"let a = b as f32 within 1000", "let a = b as f32 within 1KB\n"},
    {"let a = b as f32 within 1500", "let a = b as f32 within 1500\n"},
    {"let a = b as f32 within 0", "let a = b as f32 within 0\n"},
    {"let a = b with[ 0 ,1 : - 1 ]=c+1,[ : ]=2 with [1]=3", "let a = b with [0, 1:-1] = c + 1, [:] = 2 with [1] = 3\n"},
    {"let a = (b with [0] = 1) as f32 with [1] = (c as f32)", "let a = b with [0] = 1 as f32 with [1] = (c as f32)\n"},
    {"let a = (b with [0] = 1)[0] + c", "let a = (b with [0] = 1)[0] + c\n"},
    {"let a = [(b with [0] = 1), [1]]", "let a = [b with [0] = 1, [1]]\n"},
    {"loop w=1 for i<9 while w<3{w}", "loop w = 1 for i < 9 while w < 3 { w }\n"},
    {"loop w=1,v=2 while(w<3),max = 5{(w,v)}", "loop w = 1, v = 2 while w < 3, max=5 { (w, v) }\n"},
    // Parentheses: those that are needed, and those around an operation within another, which help to read.
    {"let a = ((b) + ((c * d)))", "let a = b + (c * d)\n"},
    {"let a = ((b * c) + d) + (e)", "let a = (b * c) + d + e\n"},
    {"let a = f((b + c), [(d)])", "let a = f(b + c, [d])\n"},
    {"let a = (b + c) * d", "let a = (b + c) * d\n"},
    {"let a = b - (c - d) - e", "let a = b - (c - d) - e\n"},
    {"let a = (b ** c) ** d ** (e ** f)", "let a = (b**c)**d**(e**f)\n"},
    {"let a = (-b) ** (-c)", "let a = (-b)**-c\n"},
    {"let a = !(b == c)", "let a = !(b == c)\n"},
    {"let a = (!b) == c", "let a = (!b) == c\n"},
    {"let a = (b || c) && !(d && e)", "let a = (b || c) && !(d && e)\n"},
    {"let a = (b as [8]) + c", "let a = (b as [8]) + c\n"},
    {"let a = ((b as [8]) as [8])", "let a = b as [8] as [8]\n"},
    {"let a = (b[0])[1]", "let a = b[0][1]\n"},
    {"let a = (b + c)[1]", "let a = (b + c)[1]\n"},
    {"let a = local { b } + 1", "let a = local { b } + 1\n"},
    {"let a = (local { b }) + 1", "let a = (local { b }) + 1\n"},
    {"let a = (local { b })[0]", "let a = (local { b })[0]\n"},
    {"let a: f32[(8), (N), (N + 1), (_)] = b", "let a: f32[8, N, (N+1), (_)] = b\n"},
    {"fn f(a: f32[(N)@x, N, (3)]) -> f32[(N)] = a", "fn f(a: f32[(N)@x, N, 3]) -> f32[N] = a\n"},
    // Blocks.
    {"let a = { let b = 1; b }", "let a = {\n  let b = 1\n  b\n}\n"},
    {"if c {\n  a\n} else {\n  b\n}", "if c { a } else { b }\n"},
    {"let a = if c { 1 } else { if d { 2 } else { 3 } }", "let a = if c { 1 } else if d { 2 } else { 3 }\n"},
    {"if c { let d = 1; d } else { e }", "if c {\n  let d = 1\n  d\n} else {\n  e\n}\n"},
    {"loop w = w0 for i < 100 { w }", "loop w = w0 for i < 100 { w }\n"},
    {"pipeline  w=w0 for i<100 by\"1f1b\" {w}", "pipeline w = w0 for i < 100 by \"1f1b\" { w }\n"},
    {"pipeline w = w0 for by < by { pipeline }", "pipeline w = w0 for by < by { pipeline }\n"},
    {"scan  v=v0,w=w0 for scan<3 {(v,w,scan)}", "scan v = v0, w = w0 for scan < 3 { (v, w, scan) }\n"},
    {"a; b", "a\nb\n"},
    // Empty lines: one is kept between statements, none elsewhere.
    {"\n\na\n\n\n\nb\nc\n\n", "a\n\nb\nc\n"},
    {"let a = {\n\n\n  let b = 1\n\n\n  b\n\n}", "let a = {\n  let b = 1\n\n  b\n}\n"},
    {"let a = [\n\n1,\n\n2]\nb", "let a = [1, 2]\nb\n"},
    // Literals: as written, but for strings, and groups of digits, which are of three.
    {"let a: f32[6_5536@x, 1_2] = b[1_00_00]", "let a: f32[65_536@x, 12] = b[10_000]\n"},
    {"print 1_000, 1_0.5e1, .5, \"\\u{41}\\u{7}\"", "print 1_000, 1_0.5e1, .5, \"A\\u{7}\"\n"},
};

TEST(Print, LaysOutInOneWay) {
  for (const auto& [text, layout] : kPrinted) {
    if (layout.empty()) {
      EXPECT_FALSE(parse_text(text).result.ok()) << text;
      continue;
    }
    EXPECT_EQ(printed(text), layout) << text;
    expect_fixed_point(text);
  }
}

const std::string kLong = repeat("a_long_name", 3);

const std::vector<Printed> kPrintedLong = {
    {"let a = { ..b,w:c  ,\n b :d.  e, }", "let a = {..b, w: c, b: d.e}\n"},
    {"let a = {" + kLong + ": 1, b: " + kLong + ", c: " + kLong + "}",
     "let a = {\n  " + kLong + ": 1,\n  b: " + kLong + ",\n  c: " + kLong + "\n}\n"},
    {"fn f(p: {w:f32[ .. ]?}) -> {w : f32} = {w: p.w}", "fn f(p: {w: f32[..]?}) -> {w: f32} = {w: p.w}\n"},
    {"let a = f(" + kLong + ", " + kLong + ", " + kLong + ")",
     "let a = f(\n  " + kLong + ",\n  " + kLong + ",\n  " + kLong + "\n)\n"},
    {"let a = " + kLong + " + " + kLong + " * b + " + kLong,
     "let a = " + kLong + " +\n  " + kLong + " * b +\n  " + kLong + "\n"},
    // What stands behind a `=` comes on a line of its own, if that keeps it on one; blocks and lists begin beside it.
    {"fn " + kLong + "(a: f32[8]?) = f(" + kLong + ", " + kLong + ")",
     "fn " + kLong + "(a: f32[8]?) =\n  f(" + kLong + ", " + kLong + ")\n"},
    {"let " + kLong + " = " + kLong + " + " + kLong + " * b",
     "let " + kLong + " =\n  " + kLong + " + " + kLong + " * b\n"},
    {"let " + kLong + " = [" + kLong + ", " + kLong + "]",
     "let " + kLong + " = [\n  " + kLong + ",\n  " + kLong + "\n]\n"},
    // The count of a loop is not broken.
    {"let x = loop " + kLong + " = 0.0, " + kLong + "2 = " + kLong + " for i < (n - 1) / 2 / t { (1.0, 2.0) }",
     "let x = loop " + kLong + " = 0.0,\n  " + kLong + "2 = " + kLong +
         " for i < (n - 1) / 2 / t {\n  (1.0, 2.0)\n}\n"},
    {"print " + kLong + ", " + kLong + ", " + kLong, "print " + kLong + ",\n  " + kLong + ",\n  " + kLong + "\n"},
    {"fn f(" + kLong + ": f32[8], " + kLong + ": f32[8], c: f32) = c",
     "fn f(\n  " + kLong + ": f32[8],\n  " + kLong + ": f32[8],\n  c: f32\n) = c\n"},
    {"let a = if " + kLong + " { " + kLong + " } else if b { " + kLong + " } else { c }",
     "let a = if " + kLong + " {\n  " + kLong + "\n} else if b {\n  " + kLong + "\n} else {\n  c\n}\n"},
    {"let a = { " + kLong + " + " + kLong + " + " + kLong + " }",
     "let a = {\n  " + kLong + " +\n    " + kLong + " +\n    " + kLong + "\n}\n"},
};

TEST(Print, BreaksLongLines) {
  for (const auto& [text, layout] : kPrintedLong) {
    EXPECT_EQ(printed(text), layout);
    expect_fixed_point(text);
  }
}

TEST(Print, FillsLinesWithNumbers) {
  const std::string text = "let a = [" + repeat("1, ", 60) + "1]";
  const std::string out = printed(text);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 4);
  expect_fixed_point(text);
}

TEST(Print, KeepsLinesWithinAHundredColumns) {
  for (std::size_t length = 60; length < 140; ++length) {
    const std::string name(length / 4, 'x');
    const std::string out = printed("let a = f(" + name + ", [" + name + ", " + name + "], b + " + name + ")");
    std::size_t begin = 0;
    for (std::size_t end = out.find('\n'); end != std::string::npos; end = out.find('\n', begin)) {
      EXPECT_LE(end - begin, 100U) << out;
      begin = end + 1;
    }
  }
}

TEST(Print, OfPartsOfATree) {
  const Parsed parsed = parse_text("let a: f32[8@(x,y), (N+1)]{+z} on m = -b ** 2 + (c as [8])");
  ASSERT_TRUE(parsed.result.ok());
  const auto& let = std::get<Let>((*parsed.result)[parsed.result->program[0]].node);
  EXPECT_EQ(print_type(*parsed.result, *let.type), "f32[8@(x,y), (N+1)]{+z} on m");
  EXPECT_EQ(print_expr(*parsed.result, let.value), "-b**2 + (c as [8])");
}

TEST(Print, HooksShowWhatALaterStageAdded) {
  const Parsed parsed = parse_text("let a = b + c as [8]\nlet (d, e) = f(x)\nlet g: f32 = h");
  ASSERT_TRUE(parsed.result.ok());
  const Ast& ast = *parsed.result;
  PrintHooks hooks;
  hooks.as_type = [&](ExprId id) -> std::optional<std::string> {
    const auto* name = std::get_if<NameRef>(&ast[id].node);
    if (name != nullptr && name->name == "c") return "f32[8@x]";
    return std::holds_alternative<As>(ast[id].node) ? std::optional<std::string>("f32[8]") : std::nullopt;
  };
  hooks.let_type = [](StatementId) -> std::optional<std::string> { return "T"; };
  EXPECT_EQ(print(ast, nullptr, hooks),
            "let a: T = b + (c as f32[8@x]) as [8] as f32[8]\nlet (d, e) = f(x)\nlet g: f32 = h\n");
}

}  // namespace
}  // namespace tessera::frontend::testing
