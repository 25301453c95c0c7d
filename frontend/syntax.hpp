// The door to ANTLR, seen from this side: text to words, and words to tree. Nothing else of the frontend knows that a
// parser generator is at work.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "base/stop.hpp"
#include "frontend/ast.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

// All tokens of a text, comments and newlines included; characters that belong to no token become `unknown` tokens. The
// text is valid UTF-8.
std::vector<Token> lex(std::string_view text, base::StopToken stop = {});

// The rule by which a row of tokens is read.
enum class Goal : std::uint8_t { statement, type, mesh };

// The token at which reading stopped, and the tokens that could have been there.
struct Stop {
  std::size_t at = 0;   // index of the token; their number where more was wanted
  TokenKinds expected;  // `end` stands for the end of the statement
};

struct Read {};
using ReadResult = std::variant<Read, Stop, base::Diagnostic>;

// Reads the tokens as one statement and appends it to the program, as one type, or as the axes of one mesh (which
// becomes a MeshStatement named `m`). On failure the tree holds pieces that nothing refers to.
ReadResult read(Goal goal, Tokens tokens, std::string_view text, Ast& ast, base::StopToken stop = {});

// The meaning of a word by our tables. The grammar lets through only words that have one.
template <class T>
T known(const std::optional<T>& meaning) {
  TESSERA_CHECK(meaning.has_value(), "the grammar has a word that the tables do not know");
  return *meaning;
}

}  // namespace tessera::frontend
