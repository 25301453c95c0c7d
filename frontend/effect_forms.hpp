// What an expression of the parser's tree may be in a place where only effects count. Private to tree_builder.hpp.
#pragma once

#include <antlr4-runtime.h>

#include <algorithm>

#include "tessera_grammar/TesseraParser.h"

namespace tessera::frontend {

using Parser = grammar::TesseraParser;

// The primary expression that c consists of, if c has no operators, subscripts or parentheses around it.
template <class Context>
Context* alone(antlr4::tree::ParseTree* c) {
  while (dynamic_cast<Context*>(c) == nullptr && c->children.size() == 1) c = c->children.front();
  return dynamic_cast<Context*>(c);
}

// Is there an `else` to the end, and an expression at the end of every block?
inline bool has_value(Parser::IfExpressionContext* c) {
  const auto blocks = c->block();
  const auto ends_in_value = [](Parser::BlockContext* b) { return b->blockItem().back()->expression() != nullptr; };
  if (!std::all_of(blocks.begin(), blocks.end(), ends_in_value)) return false;
  return c->ifExpression() != nullptr ? has_value(c->ifExpression()) : blocks.size() == 2;
}

// Are all expressions in its blocks calls, loops, or `if` of that kind?
inline bool is_effect(Parser::IfExpressionContext* c) {
  const auto good = [](Parser::BlockItemContext* item) {
    if (item->expression() == nullptr) return true;
    if (auto* branch = alone<Parser::IfExpressionContext>(item->expression())) return is_effect(branch);
    if (alone<Parser::LoopExpressionContext>(item->expression()) != nullptr) return true;
    if (alone<Parser::PipelineExpressionContext>(item->expression()) != nullptr) return true;
    if (alone<Parser::ScanExpressionContext>(item->expression()) != nullptr) return true;
    auto* atom = alone<Parser::AtomContext>(item->expression());
    return atom != nullptr && atom->name() != nullptr && atom->arguments() != nullptr;
  };
  for (auto* b : c->block()) {
    const auto items = b->blockItem();
    if (!std::all_of(items.begin(), items.end(), good)) return false;
  }
  return c->ifExpression() == nullptr || is_effect(c->ifExpression());
}

}  // namespace tessera::frontend
