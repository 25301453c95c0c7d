// Source -> Ast: the text is checked, cut into words and statements, and each statement is read by itself.

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/explain.hpp"
#include "frontend/kinds.hpp"
#include "frontend/literal.hpp"
#include "frontend/parse.hpp"
#include "frontend/recovery.hpp"
#include "frontend/statements.hpp"
#include "frontend/syntax.hpp"
#include "frontend/text.hpp"

namespace tessera::frontend {

using base::Diagnostic;
using base::Diagnostics;
using base::make;
using base::Result;
using base::SourceId;

namespace {

std::vector<Comment> comments_of(Tokens tokens, std::string_view text, SourceId source) {
  std::vector<Comment> comments;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::comment) continue;
    auto words = text.substr(token.begin, token.end - token.begin);
    words = words.substr(0, words.find_last_not_of(" \t") + 1);
    const auto before = text.substr(0, token.begin);
    const auto last = before.find_last_not_of(" \t");
    const bool own_line = last == std::string_view::npos || before[last] == '\n' || last < byte_order_mark_length(text);
    const auto end = token.begin + static_cast<std::uint32_t>(words.size());
    comments.push_back({std::string(words), {source, token.begin, end}, own_line});
  }
  return comments;
}

struct Asked {
  base::StopToken interrupt = {};
  FunctionNames functions = nullptr;
};

// Reads a row of tokens; what is wrong with it, if anything.
std::optional<Diagnostic> read_row(Goal goal, Tokens tokens, std::string_view text, Ast& ast, const Asked& asked = {}) {
  const ReadResult result = read(goal, tokens, text, ast, asked.interrupt);
  if (const auto* why = std::get_if<Diagnostic>(&result)) return *why;
  if (const auto* stop = std::get_if<Stop>(&result))
    return explain({goal, tokens, text, ast.source, asked.functions}, *stop);
  return std::nullopt;
}

std::optional<Diagnostic> read_piece(Goal goal, Piece& piece, std::string_view text, Ast& ast,
                                     const Asked& asked = {}) {
  if (piece.error) return std::move(piece.error);
  return read_row(goal, piece.tokens, text, ast, asked);
}

// Reads one statement. Where it fails inside a block, the statements after the error are looked at too.
void read_statement(Piece& piece, std::string_view text, Ast& ast, Diagnostics& errors, const Asked& asked) {
  const bool in_brackets = !piece.error;
  auto error = read_piece(Goal::statement, piece, text, ast, asked);
  if (!error) return;
  const auto place = error->labels.front().span.begin;
  errors.push_back(std::move(*error));
  if (!in_brackets) return;
  const auto reached = [&](const Token& token) { return token.end > place; };
  const auto at = std::find_if(piece.tokens.begin(), piece.tokens.end(), reached) - piece.tokens.begin();
  Ast scratch;
  scratch.source = ast.source;
  for (const Tokens row : later_statements(piece.tokens, static_cast<std::size_t>(at))) {
    if (errors.size() > kSyntaxErrorsMax) return;
    if (auto more = read_row(Goal::statement, row, text, scratch, asked)) errors.push_back(std::move(*more));
  }
}

// In order of position. A text of too many errors is given up, with a note where.
Diagnostics read_statements(StatementCutter cutter, std::string_view text, Ast& ast, const Asked& asked) {
  Diagnostics errors;
  while (auto piece = cutter.next()) {
    asked.interrupt.look();
    read_statement(*piece, text, ast, errors, asked);
    if (errors.size() <= kSyntaxErrorsMax) continue;
    const base::Span first_unsaid = errors[kSyntaxErrorsMax].labels.front().span;
    errors.resize(kSyntaxErrorsMax, errors.front());
    errors.push_back(make(Kind::too_many_syntax_errors, kSyntaxErrorsMax).at(first_unsaid));
    return errors;
  }
  return errors;
}

Diagnostic too_many_tokens(Tokens tokens, std::size_t tokens_max, SourceId source) {
  const Token& first = tokens[tokens_max];
  return make(Kind::source_too_large, std::to_string(tokens.size()) + " words and signs", std::to_string(tokens_max))
      .at({source, first.begin, first.end});
}

Result<PartlyRead> read_program(const base::SourceMap& sources, SourceId source, const Asked& asked,
                                std::size_t nesting_max, std::size_t tokens_max) {
  const auto text = sources[source].text();
  if (auto refused = refuse_text(text, source)) return std::move(*refused);
  auto tokens = lex(text, asked.interrupt);
  if (tokens.size() > tokens_max) return too_many_tokens(tokens, tokens_max, source);
  Ast ast;
  ast.source = source;
  ast.comments = comments_of(tokens, text, source);
  ast.tokens = tokens.size();
  auto errors = read_statements(StatementCutter(tokens, text, source, nesting_max), text, ast, asked);
  return PartlyRead{std::move(ast), std::move(tokens), std::move(errors)};
}

// The whole text as one piece: newlines around it are nothing, inside it they are what they always are.
Result<Piece> only_piece(Tokens tokens, std::string_view text, SourceId source, std::string_view wanted) {
  StatementCutter cutter(tokens, text, source);
  auto piece = cutter.next();
  if (!piece) return make(Kind::syntax_error, wanted, "nothing").at({source, 0, 0});
  auto more = cutter.next();
  if (piece->error) return std::move(*piece->error);
  if (!more) return std::move(*piece);
  const Token& extra = more->tokens.front();
  return make(Kind::syntax_error, "the end", "more").at({source, extra.begin, extra.end});
}

Result<Ast> read_alone(Goal goal, const base::SourceMap& sources, SourceId source, std::string_view wanted) {
  const auto text = sources[source].text();
  if (auto refused = refuse_text(text, source)) return std::move(*refused);
  const auto tokens = lex(text);
  TESSERA_TRY(piece, only_piece(tokens, text, source, wanted));
  Ast ast;
  ast.source = source;
  if (auto error = read_piece(goal, piece, text, ast)) return std::move(*error);
  return ast;
}

Result<std::int64_t> read_size(const base::SourceMap& sources, SourceId source) {
  const auto text = sources[source].text();
  if (auto refused = refuse_text(text, source)) return std::move(*refused);
  const auto tokens = lex(text);
  TESSERA_TRY(piece, only_piece(tokens, text, source, "a size"));
  const Token& first = piece.tokens.front();
  const bool is_size = first.kind == TokenKind::integer || first.kind == TokenKind::size;
  if (!is_size || piece.tokens.size() > 1) {
    const base::Span whole{source, first.begin, piece.tokens.back().end};
    return make(Kind::bad_size, shortened(sources.text(whole)))
        .at(whole)
        .suggest("write a number of bytes, or one like 64MiB");
  }
  const base::Span span{source, first.begin, first.end};
  auto worth = size_value(sources.text(span), span);
  if (auto* why = std::get_if<Diagnostic>(&worth)) return std::move(*why);
  return std::get<std::int64_t>(worth);
}

// Does this piece lack an `else` only, and could one follow?
bool wants_else(Piece piece, std::string_view text) {
  Ast scratch;
  scratch.source = SourceId{0};
  const ReadResult result = read(Goal::statement, piece.tokens, text, scratch);
  const auto* why = std::get_if<Diagnostic>(&result);
  if (why == nullptr || why->kind != Kind::missing_else) return false;
  const auto end = piece.tokens.back().end;
  piece.tokens.push_back({TokenKind::else_, end, end});
  const ReadResult with = read(Goal::statement, piece.tokens, text, scratch);
  const auto* stop = std::get_if<Stop>(&with);
  return stop != nullptr && stop->at == piece.tokens.size();
}

bool read_is_incomplete(std::string_view text) {
  const SourceId source{0};
  if (refuse_text(text, source)) return false;
  const auto tokens = lex(text);
  StatementCutter cutter(tokens, text, source);
  std::optional<Piece> last;
  while (auto piece = cutter.next()) {
    if (piece->open_at_end) return true;
    last = std::move(piece);
  }
  return last && !last->error && wants_else(*std::move(last), text);
}

}  // namespace

Result<Ast> parse(const base::SourceMap& sources, SourceId source, base::StopToken stop, std::size_t nesting_max,
                  FunctionNames functions, std::size_t tokens_max) {
  const std::size_t nesting = std::min(nesting_max, kNestingMax);
  return base::guarded_until_stopped([&]() -> Result<Ast> {
    TESSERA_TRY(read, read_program(sources, source, {stop, functions}, nesting, tokens_max));
    if (!read.errors.empty()) return std::move(read.errors);
    return std::move(read.ast);
  });
}

Result<PartlyRead> parse_partly(const base::SourceMap& sources, SourceId source, base::StopToken stop,
                                FunctionNames functions) {
  return base::guarded_until_stopped(
      [&] { return read_program(sources, source, {stop, functions}, kNestingMax, kTokensMax); });
}

bool is_incomplete(std::string_view text) {
  const auto answer = base::guarded([&]() -> Result<bool> { return read_is_incomplete(text); });
  return answer.ok() && *answer;
}

Result<Ast> parse_type(const base::SourceMap& sources, SourceId source) {
  return base::guarded([&] { return read_alone(Goal::type, sources, source, "a type"); });
}

Result<Ast> parse_mesh(const base::SourceMap& sources, SourceId source) {
  return base::guarded([&] { return read_alone(Goal::mesh, sources, source, "the axes of a mesh"); });
}

Result<std::int64_t> parse_size(const base::SourceMap& sources, SourceId source) {
  return base::guarded([&] { return read_size(sources, source); });
}

}  // namespace tessera::frontend
