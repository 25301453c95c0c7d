// The places of a tree's nodes in the text.
#include <gtest/gtest.h>

#include "frontend/parse.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

// The text of every expression, in the order of the store.
std::vector<std::string> expressions(const std::string& text) {
  const Parsed parsed = parse_text(text);
  EXPECT_TRUE(parsed.result.ok()) << text;
  std::vector<std::string> all;
  if (!parsed.result.ok()) return all;
  for (const Expr& expr : parsed.result->exprs.items()) all.emplace_back(parsed.sources.text(expr.span));
  return all;
}

TEST(Spans, CoverWhatWasWritten) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(expressions("let x = a + (b * c)"), (Texts{"a", "b", "c", "(b * c)", "a + (b * c)"}));
  EXPECT_EQ(expressions("x as [8] as f32 within 1KB"), (Texts{"x", "8", "x as [8]", "x as [8] as f32 within 1KB"}));
  EXPECT_EQ(expressions("a[0][1:]"), (Texts{"a", "0", "a[0]", "1", "a[0][1:]"}));
  EXPECT_EQ(expressions("-f(x, y)"), (Texts{"x", "y", "f(x, y)", "-f(x, y)"}));
  EXPECT_EQ(expressions("(a, b)"), (Texts{"a", "b", "(a, b)"}));
  EXPECT_EQ(expressions("é + ñ"), (Texts{"é", "ñ", "é + ñ"}));
  EXPECT_EQ(expressions("\xEF\xBB\xBF"
                        "a"),
            (Texts{"a"}));
  EXPECT_EQ(expressions("zeros(f32[(2*N)@x])"), (Texts{"2", "N", "(2*N)", "zeros(f32[(2*N)@x])"}));
}

TEST(ExampleOf, TreeBuilder) {
  const Parsed parsed = parse_text("let y = -a.w[0]");
  ASSERT_TRUE(parsed.result.ok());
  const Ast& ast = *parsed.result;
  const auto is_at = [&](ExprId id, std::size_t begin, std::size_t end) {
    EXPECT_EQ(parsed.sources.text(ast[id].span), std::string("let y = -a.w[0]").substr(begin, end - begin));
  };
  const ExprId value = std::get<Let>(ast[ast.program[0]].node).value;
  const auto& negation = std::get<Unary>(ast[value].node);
  const auto& index = std::get<Index>(ast[negation.operand].node);
  EXPECT_EQ(std::get<FieldOf>(ast[index.base].node).field.text, "w");
  is_at(value, 8, 15);
  is_at(negation.operand, 9, 15);
  is_at(index.base, 9, 12);
}

TEST(Spans, OfTheParts) {
  const Parsed parsed = parse_text("let a: f32[8@(x,y)]{+z} on m = b @ c within_not\n");
  EXPECT_FALSE(parsed.result.ok());
  const Parsed good = parse_text("let a: f32[8@(x,y)]{+z} on m = b @ c as [8] within 64MiB # d\n");
  ASSERT_TRUE(good.result.ok());
  const Ast& ast = *good.result;
  const auto text = [&](base::Span span) { return std::string(good.sources.text(span)); };
  const TypeExpr& type = ast.types.items()[0];
  EXPECT_EQ(text(type.span), "f32[8@(x,y)]{+z} on m");
  EXPECT_EQ(text(type.element_span), "f32");
  EXPECT_EQ(text(type.dimensions[0].span), "8@(x,y)");
  EXPECT_EQ(text(type.dimensions[0].axes[1].axis.span), "y");
  EXPECT_EQ(text(type.pending->span), "{+z}");
  EXPECT_EQ(text(type.mesh->span), "m");
  const auto& let = std::get<Let>(ast[ast.program[0]].node);
  EXPECT_EQ(text(let.names[0].span), "a");
  EXPECT_EQ(text(std::get<As>(ast[let.value].node).within_span), "64MiB");
  EXPECT_EQ(text(ast[ast.program[0]].span), "let a: f32[8@(x,y)]{+z} on m = b @ c as [8] within 64MiB");
  EXPECT_EQ(text(ast.comments[0].span), "# d");
}

TEST(Spans, OfElseIfIsThatOfItsIf) {
  const Parsed parsed = parse_text("if a { b } else if c { d } else { e }");
  ASSERT_TRUE(parsed.result.ok());
  const Ast& ast = *parsed.result;
  const auto& first = std::get<If>(ast[std::get<ExprStatement>(ast[ast.program[0]].node).value].node);
  EXPECT_EQ(parsed.sources.text(ast[first.then_block].span), "{ b }");
  EXPECT_EQ(parsed.sources.text(ast[first.else_block].span), "if c { d } else { e }");
}

}  // namespace
}  // namespace tessera::frontend::testing
