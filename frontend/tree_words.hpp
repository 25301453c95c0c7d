// The words of the parser's tree, and where they stand. Private to tree_builder.hpp.
#pragma once

#include <antlr4-runtime.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.hpp"
#include "frontend/kinds.hpp"
#include "frontend/literal.hpp"
#include "tessera_grammar/TesseraParser.h"

namespace tessera::frontend {

using Parser = grammar::TesseraParser;

class TreeWords {
 protected:
  TreeWords(std::string_view text, Ast& ast) : text_(text), ast_(ast) {}

  Name name(Parser::NameContext* c) { return {std::string(text(c)), span(c)}; }
  std::vector<Name> names(const std::vector<Parser::NameContext*>& contexts) {
    std::vector<Name> all;
    for (auto* c : contexts) all.push_back(name(c));
    return all;
  }
  // Is the word before a `=` the wanted one? Reports if not.
  bool is_keyword(Parser::NameContext* c, const std::string& wanted) {
    if (text(c) == wanted) return true;
    first_error_.add(base::make(Kind::syntax_error, "`" + wanted + "`", "`" + name(c).text + "`").at(span(c)));
    return false;
  }
  std::string string(antlr4::Token* token) { return first_error_.worth(string_value(text(token), span(token))); }

  Span span(antlr4::Token* token) const { return span(token, token); }
  Span span(antlr4::ParserRuleContext* c) const { return span(c->start, c->stop); }
  // Of a word that may stand there or not.
  std::optional<Span> word(antlr4::tree::TerminalNode* node) const {
    return node == nullptr ? std::nullopt : std::optional(span(node->getSymbol()));
  }
  Span span(antlr4::Token* first, antlr4::Token* last) const {
    const auto begin = static_cast<std::uint32_t>(first->getStartIndex());
    return {ast_.source, begin, static_cast<std::uint32_t>(last->getStopIndex() + 1)};
  }
  template <class Place>
  std::string_view text(Place* place) const {
    const Span where = span(place);
    return text_.substr(where.begin, where.end - where.begin);
  }

  std::string_view text_;
  Ast& ast_;
  FirstError first_error_;
};

}  // namespace tessera::frontend
