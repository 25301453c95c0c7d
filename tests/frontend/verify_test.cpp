// Trees that the parser does not make are found out.
#include "frontend/verify.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

ExprId integer(Ast& ast, std::int64_t value) { return ast.exprs.add(Expr{{}, false, IntLiteral{value}}); }

// A program of one statement.
template <class Node>
Ast only(Ast ast, Node node) {
  ast.program.push_back(ast.statements.add(Statement{{}, std::move(node)}));
  return ast;
}
// One that shows an expression made by `make`.
Ast shown(const std::function<decltype(Expr::node)(Ast&)>& make) {
  Ast ast;
  auto node = make(ast);
  const ExprId id = ast.exprs.add(Expr{{}, false, std::move(node)});
  return only(std::move(ast), Show{id});
}
Ast cast_to(TypeExpr type) {
  return shown([&](Ast& ast) { return As{integer(ast, 1), ast.types.add(std::move(type)), std::nullopt, {}}; });
}
TypeExpr shape(std::vector<Dimension> dimensions) {
  TypeExpr type;
  type.has_shape = true;
  type.dimensions = std::move(dimensions);
  return type;
}

TEST(Verify, AcceptsATreeMadeByHand) {
  EXPECT_TRUE(verify(Ast{}).ok());
  EXPECT_TRUE(verify(shown([](Ast&) { return IntLiteral{1}; })).ok());
  EXPECT_TRUE(verify(cast_to(shape({Dimension{{}, true, {}, {}}}))).ok());
}

void expect_refused(const std::vector<Ast>& bad) {
  for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_FALSE(verify(bad[i]).ok()) << "tree " << i;
}

TEST(Verify, RefusesWordsThatAreNone) {
  expect_refused({
      shown([](Ast&) { return IntLiteral{-1}; }),
      shown([](Ast&) { return FloatLiteral{1, "1"}; }),
      shown([](Ast&) { return FloatLiteral{1, "2.0"}; }),
      shown([](Ast&) { return FloatLiteral{1, "1.0x"}; }),
      shown([](Ast&) { return StringLiteral{"\xFF"}; }),
      shown([](Ast&) { return NameRef{""}; }),
      shown([](Ast&) { return NameRef{"a b"}; }),
      shown([](Ast&) { return NameRef{"1a"}; }),
      shown([](Ast&) { return NameRef{"let"}; }),
      shown([](Ast&) { return NameRef{"f32"}; }),
  });
}

TEST(Verify, RefusesWhatIsNoTree) {
  expect_refused({
      shown([](Ast&) { return Unary{UnaryOp::negate, ExprId{}}; }),
      shown([](Ast&) { return Unary{UnaryOp::negate, ExprId{7}}; }),
      shown([](Ast&) { return Unary{UnaryOp::negate, ExprId{0}}; }),  // its own operand
      shown([](Ast& ast) {
        const ExprId one = integer(ast, 1);
        return Binary{BinaryOp::add, {}, one, one};
      }),
  });
}

TEST(Verify, RefusesNodesWithTooFewParts) {
  expect_refused({
      shown([](Ast& ast) { return Tuple{{integer(ast, 1)}}; }),
      shown([](Ast& ast) { return Index{integer(ast, 1), {}}; }),
      shown([](Ast& ast) { return Index{integer(ast, 1), {Subscript{}}}; }),
      shown([](Ast& ast) {
        return Index{integer(ast, 1), {{Subscript::Kind::single, integer(ast, 1), integer(ast, 2), {}, {}}}};
      }),
      shown([](Ast& ast) {
        const ExprId tuple = ast.exprs.add(Expr{{}, false, Tuple{{integer(ast, 1), integer(ast, 2)}}});
        return Index{tuple, {{Subscript::Kind::single, integer(ast, 1), {}, {}, {}}}};
      }),
      shown([](Ast& ast) { return With{integer(ast, 1), {}}; }),
      shown([](Ast& ast) { return With{integer(ast, 1), {{{}, {}, integer(ast, 2)}}}; }),
      shown([](Ast& ast) {
        return Loop{{{{"w", {}}, integer(ast, 1)}}, {}, {}, ast.blocks.add({{}, integer(ast, 1), {}})};
      }),
      shown(
          [](Ast& ast) { return Loop{{}, Name{"i", {}}, integer(ast, 1), ast.blocks.add({{}, integer(ast, 1), {}})}; }),
      shown([](Ast& ast) { return As{integer(ast, 1), ast.types.add(shape({})), -1, {}}; }),
      shown([](Ast& ast) {
        const StatementId plan = ast.statements.add(Statement{{}, PlanStatement{integer(ast, 1)}});
        return BlockExpr{ast.blocks.add({{plan}, integer(ast, 1), {}})};
      }),
      shown([](Ast& ast) { return Call{{"f", {}}, {{std::nullopt, ast.types.add(shape({})), {}}}}; }),
      cast_to(TypeExpr{}),
      cast_to(shape({Dimension{}})),
      only(Ast{}, Print{}),
      only(Ast{}, MeshStatement{{"m", {}}, {}}),
      only(Ast{}, Let{{}, std::nullopt, ExprId{}}),
  });
}

TEST(Verify, RefusesTypesThatSayTwoThings) {
  TypeExpr both = shape({});
  both.any_layout = true;
  both.pending = Pending{PendingKind::sum, {{"x", {}}}, {}};
  EXPECT_FALSE(verify(cast_to(both)).ok());
  TypeExpr nothing_pending = shape({});
  nothing_pending.pending = Pending{};
  EXPECT_FALSE(verify(cast_to(nothing_pending)).ok());
}

TEST(Verify, RefusesTreesThatAreTooDeep) {
  Ast ast;
  ExprId id = integer(ast, 1);
  for (int i = 0; i < 100000; ++i) id = ast.exprs.add(Expr{{}, false, Unary{UnaryOp::negate, id}});
  EXPECT_FALSE(verify(only(std::move(ast), Show{id})).ok());
}

TEST(Verify, BlamesUs) {
  const auto status = verify(shown([](Ast&) { return IntLiteral{-1}; }));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.errors()[0].kind.blame, base::Blame::us);
}

// Each differs from all others.
// clang-format off
const std::vector<std::string> kDifferentPrograms = {
    "a", "b", "1", "1.0", "1.00", "true", "false", "\"a\"", "\"b\"", "[1]", "[1, 2]", "(1, 2)", "-a", "!a",
    "a + b", "a - b", "b + a", "a[0]", "a[0:]", "a[:0]", "a[0:1]", "f(a)", "f(a, b)", "f(x=a)", "f(f32)", "f32(a)",
    "f64(a)", "a as f32", "a as f64", "a as f32[]", "a as [8]", "a as [8@x]", "a as [8@y]", "a as [8@(x,y)]",
    "a as [N]", "a as [8]{+x}", "a as [8]{max x}", "a as [8]{+y}", "a as [8]?", "a as [8] on m",
    "a as [8] within 8", "a as [8] within 9", "f(f32[_])", "if a { b } else { c }", "if a { c } else { b }",
    "{ a }", "{ let a = b; a }", "{ assert a; a }", "{ assert a, \"\"; a }", "local { a }",
    "loop w = a for i < n { w }", "loop v = a for i < n { w }", "loop w = a for j < n { w }", "let a = b",
    "scan w = a for i < n { w }", "pipeline w = a for i < n { w }", "pipeline w = a for i < n by \"x\" { w }", "pipeline w = a for i < n by \"\" { w }",
    "let b = b", "let a: f32 = b", "let (a, c) = b", "fn f() = a", "fn g() = a", "fn f() { a }",
    "fn f(a: f32) = a", "fn f(a: f64) = a", "fn f() -> f32 = a", "print a", "print a, b", "show a", "plan a",
    "assert a", "save(a, \"p\")", "save(a, \"q\")", "save_shards(a, \"p\")", "mesh m = [x: 1]", "mesh m = [y: 1]",
    "mesh m = [x: 1] on 0:1", "mesh m = [x: 1] on 0:2", "mesh m = [x: 1] on (0:1, 0:1)",
    "mesh m = [x: 2]", "mesh n = [x: 1]", "a; a",
};
// clang-format on

TEST(Equal, SeesEveryDifference) {
  for (std::size_t i = 0; i < kDifferentPrograms.size(); ++i) {
    for (std::size_t j = 0; j < kDifferentPrograms.size(); ++j) {
      const Parsed a = parse_text(kDifferentPrograms[i]);
      const Parsed b = parse_text("\n" + kDifferentPrograms[j] + " # comment");
      ASSERT_TRUE(a.result.ok() && b.result.ok()) << kDifferentPrograms[i] << " " << kDifferentPrograms[j];
      EXPECT_EQ(equal(*a.result, *b.result), i == j) << kDifferentPrograms[i] << " against " << kDifferentPrograms[j];
    }
  }
}

}  // namespace
}  // namespace tessera::frontend::testing
