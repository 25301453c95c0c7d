// Which expressions stand in parentheses where. Private to the printer.
#pragma once

#include <variant>

#include "frontend/ast.hpp"

namespace tessera::frontend {

// How tightly an expression holds together, and how tightly its place wants it to. Between these stand the precedences
// of the operators.
inline constexpr int kWholeLevel = 0;        // any expression, `as` and `with` among them
inline constexpr int kOperandOfAsLevel = 1;  // of `with`, too
inline constexpr int kCompoundLevel = 13;    // if, loop, local, again and blocks: an operand, but not indexed
inline constexpr int kAtomLevel = 14;

inline bool is_compound(const Expr& expr) {
  return std::holds_alternative<If>(expr.node) || std::holds_alternative<BlockExpr>(expr.node) ||
         std::holds_alternative<Local>(expr.node) || std::holds_alternative<Again>(expr.node) ||
         std::holds_alternative<Loop>(expr.node);
}

// May it stand on a line of its own behind a `=`? What is made of blocks or lists begins beside the `=`.
inline bool may_hang(const Expr& expr) {
  return std::holds_alternative<Call>(expr.node) || std::holds_alternative<Binary>(expr.node) ||
         std::holds_alternative<Index>(expr.node) || std::holds_alternative<As>(expr.node);
}

inline int level_of(const Expr& expr) {
  if (std::holds_alternative<As>(expr.node) || std::holds_alternative<With>(expr.node)) return kWholeLevel;
  if (const auto* binary = std::get_if<Binary>(&expr.node)) return precedence(binary->op);
  if (const auto* unary = std::get_if<Unary>(&expr.node)) return precedence(unary->op);
  return is_compound(expr) ? kCompoundLevel : kAtomLevel;
}

// A number or `true`, perhaps with a minus.
inline bool is_number_literal(const Ast& ast, ExprId id) {
  const auto& node = ast[id].node;
  if (const auto* unary = std::get_if<Unary>(&node)) return is_number_literal(ast, unary->operand);
  return std::holds_alternative<IntLiteral>(node) || std::holds_alternative<FloatLiteral>(node) ||
         std::holds_alternative<BoolLiteral>(node);
}

inline bool is_comparison(BinaryOp op) { return precedence(op) == precedence(BinaryOp::equal); }

// The operands of an operator must bind at least this tightly.
inline int left_level(BinaryOp op) {
  return is_comparison(op) || op == BinaryOp::power ? precedence(op) + 1 : precedence(op);
}
inline int right_level(BinaryOp op) { return op == BinaryOp::power ? kNegatePrecedence : precedence(op) + 1; }

}  // namespace tessera::frontend
