// Makes trees at random: any the parser could make.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/ast.hpp"

namespace tessera::frontend::testing {

class TreeMaker {
 public:
  // `draw(n)` gives a number from 0 to n - 1; small numbers make small trees.
  explicit TreeMaker(std::function<std::uint32_t(std::uint32_t)> draw) : draw_(std::move(draw)) {}

  Ast program();

 private:
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[draw_(static_cast<std::uint32_t>(choices.size()))];
  }
  // One or more, seldom many.
  template <class F>
  auto some(F&& make) {
    std::vector<decltype(make())> all{make()};
    while (all.size() < 12 && draw_(3) == 2) all.push_back(make());
    return all;
  }
  template <class F>
  auto at_least_two(F&& make) {
    auto all = some(make);
    all.push_back(make());
    return all;
  }

  Name name();
  std::string text();
  IntLiteral integer();
  StatementId statement();
  enum class Where : std::uint8_t { block, alone };
  StatementId in_block(Where where = Where::block);
  StatementId if_statement(Where where);
  Call call();
  StatementId add(decltype(Statement::node) node) { return ast_.statements.add(Statement{{}, std::move(node)}); }
  Let let();
  Fn fn();
  BlockId block();

  enum class Element : std::uint8_t { written, may_lack };
  TypeId type(Element element = Element::written);
  TypeId any_type();
  AxisUse axis_use();
  MeshAxis mesh_axis();
  std::optional<Placement> placement();
  std::optional<OnDevices> on_devices();
  Dimension dimension();

  ExprId add(decltype(Expr::node) node) { return ast_.exprs.add(Expr{{}, false, std::move(node)}); }
  ExprId expr();
  ExprId atom();
  ExprId operation();
  ExprId compound();
  ExprId indexed();
  Subscript subscript();
  ExprId with();
  Argument argument();
  ExprId record();
  ExprId gradient();
  ExprId loop();

  std::function<std::uint32_t(std::uint32_t)> draw_;
  Ast ast_;
  std::size_t left_ = 60;  // expressions that may still branch
  std::size_t depth_ = 0;
};

}  // namespace tessera::frontend::testing
