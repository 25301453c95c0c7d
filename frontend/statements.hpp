// Between lexer and parser: finds which newlines end a statement, where each statement of a text begins and ends,
// whether its brackets match, and whether it is nested too deeply for the stages after this.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/source.hpp"
#include "frontend/nesting.hpp"
#include "frontend/parse.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

// One statement. Its tokens hold no comments and no newlines: those that count, and `;`, have become `end`.
struct Piece {
  std::vector<Token> tokens;
  std::optional<base::Diagnostic> error;  // the parser must not be asked
  bool open_at_end = false;               // the text ended inside it: another line could complete it
};

// Hands out the statements of a text, one by one.
class StatementCutter {
 public:
  // `tokens` (as the lexer made them) and `text` must outlive the cutter.
  StatementCutter(Tokens tokens, std::string_view text, base::SourceId source, std::size_t nesting_max = kNestingMax)
      : tokens_(tokens), text_(text), source_(source), nesting_max_(nesting_max) {}

  std::optional<Piece> next();

 private:
  bool skip_to_statement();
  // Takes one token into the piece; false where the statement has ended.
  bool take(const Token& token);
  bool take_separator(const Token& token);
  void take_open(const Token& token);
  void take_close(const Token& token);
  void take_other(const Token& token);
  void pop();
  void skip_space();
  bool leave_unclosed();
  void end_of_text();

  // Directly in the braces of a block, where newlines count.
  bool directly_in_brace() const {
    return !open_.empty() && open_.back().kind == TokenKind::left_brace && !is_record_.back();
  }
  // Does what follows make the brace that was just taken a record's: `name :` or `..`?
  bool begins_record() const;
  bool newline_is_space() const;
  bool first_on_line(const Token& token) const;
  void fail(base::Diagnostic why);
  void fail_unclosed(const Token& bracket, std::optional<Token> instead = std::nullopt);
  base::Span span(const Token& token) const { return {source_, token.begin, token.end}; }

  Tokens tokens_;
  std::string_view text_;
  base::SourceId source_;
  std::size_t nesting_max_;
  std::size_t at_ = 0;
  std::size_t restarts_ = 0;  // after brackets that were open to the end

  // The statement at hand.
  Piece piece_;
  std::vector<Token> open_;                              // its open brackets
  std::vector<bool> is_record_;                          // of each of them: is it a record's brace?
  std::array<std::size_t, kTokenKinds> open_of_kind_{};  // how many of them each closing bracket could close
  NestingMeter nesting_;
  std::optional<Token> bad_;  // its first token that no program holds
};

}  // namespace tessera::frontend
