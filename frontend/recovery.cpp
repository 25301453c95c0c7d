#include "frontend/recovery.hpp"

#include <algorithm>

namespace tessera::frontend {

namespace {

// The index after the bracket that closes the one at `open`.
std::size_t past_bracket(Tokens tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (role(tokens[i].kind) == TokenRole::open) ++depth;
    if (role(tokens[i].kind) == TokenRole::close && --depth == 0) return i + 1;
  }
  return tokens.size();
}

// The next token at or after `from`, in the same brackets, that ends a statement or closes those brackets.
std::size_t row_end(Tokens tokens, std::size_t from) {
  std::size_t i = from;
  while (i < tokens.size()) {
    if (tokens[i].kind == TokenKind::end || role(tokens[i].kind) == TokenRole::close) return i;
    i = role(tokens[i].kind) == TokenRole::open ? past_bracket(tokens, i) : i + 1;
  }
  return i;
}

}  // namespace

std::vector<Tokens> later_statements(Tokens statement, std::size_t at) {
  std::vector<Tokens> rows;
  bool is_row = false;  // does a whole statement begin at `at`?
  while (at < statement.size()) {
    const std::size_t end = row_end(statement, at);
    if (is_row && end > at) rows.push_back(statement.subspan(at, end - at));
    // Past a closing bracket the rest of a statement follows that has begun before the error.
    is_row = end < statement.size() && statement[end].kind == TokenKind::end;
    at = end + 1;
  }
  return rows;
}

}  // namespace tessera::frontend
