// The door to ANTLR. Its lexer makes plain tokens; its parser is handed plain tokens, its tree is turned into ours
// (tree_builder.hpp), and its exceptions end here.
//
// A row of tokens is read twice at most: quickly, without looking at the surroundings of a rule (SLL), and, where that
// fails, thoroughly (LL), to be sure and to learn what could have stood at the place of the error.
#include <antlr4-runtime.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "frontend/explain.hpp"
#include "frontend/literal.hpp"
#include "frontend/syntax.hpp"
#include "frontend/text.hpp"
#include "frontend/tree_builder.hpp"
#include "tessera_grammar/TesseraLexer.h"
#include "tessera_grammar/TesseraParser.h"

namespace tessera::frontend {
namespace {

using grammar::TesseraLexer;
using Parser = grammar::TesseraParser;

// ---- Tokens, theirs and ours --------------------------------------------------------------------------------------

constexpr std::array<std::size_t, kTokenKinds> kTheirs = {{
#define THEIRS(identifier, lexer_name, spelling, role) Parser::lexer_name,
    TESSERA_TOKENS(THEIRS)
#undef THEIRS
}};

TokenKind ours(std::size_t type) {
  if (type == antlr4::Token::EOF) return TokenKind::end;
  const auto* found = std::find(kTheirs.begin(), kTheirs.end(), type);
  TESSERA_CHECK(found != kTheirs.end(), "the lexer made a token that the table does not know");
  return static_cast<TokenKind>(found - kTheirs.begin());
}

// Everything that calls generated code goes through here: its classes share caches that grow as they work, so one
// thread at a time; and of its exceptions none is expected, save those that StopAtFirst throws.
template <class F>
auto alone(F&& f) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  try {
    return f();
  } catch (const antlr4::RuntimeException& error) {
    base::fail_check("no exception", __FILE__, __LINE__, std::string("the generated parser failed: ") + error.what());
  }
}

std::vector<std::unique_ptr<antlr4::Token>> theirs(Tokens tokens) {
  std::vector<std::unique_ptr<antlr4::Token>> made;
  const auto put = [&](std::size_t type, std::size_t begin, std::size_t end) {
    auto token = std::make_unique<antlr4::CommonToken>(type);
    token->setStartIndex(begin);
    token->setStopIndex(end - 1);
    made.push_back(std::move(token));
  };
  for (const Token& token : tokens) put(kTheirs[static_cast<std::size_t>(token.kind)], token.begin, token.end);
  const std::size_t end = tokens.empty() ? 0 : tokens.back().end;
  put(antlr4::Token::EOF, end, end);
  return made;
}

// ---- Errors -------------------------------------------------------------------------------------------------------

TokenKinds ours(const antlr4::misc::IntervalSet& types) {
  TokenKinds kinds;
  for (const auto& interval : types.getIntervals()) {
    for (auto type = interval.a; type <= interval.b; ++type) {
      const bool is_token = type == -1 || (type > 0 && type != static_cast<ssize_t>(Parser::BLANK));
      if (is_token) kinds.set(static_cast<std::size_t>(ours(static_cast<std::size_t>(type))));
    }
  }
  return kinds;
}

// Lists the tokens that could have followed where a decision of several tokens came to a dead end.
TokenKinds expected_of(const antlr4::NoViableAltException& error) {
  TokenKinds kinds;
  if (error.getDeadEndConfigs() == nullptr) return kinds;
  for (const auto& config : error.getDeadEndConfigs()->configs) {
    for (const auto* transition : config->state->transitions) {
      if (!transition->isEpsilon()) kinds |= ours(transition->label());
    }
  }
  return kinds;
}

// Only a thorough reading looks for an error before it leaves a loop, where more could have been expected.
enum class Effort : std::uint8_t { quick, thorough };

// Ends the parse at the first error instead of repairing it.
class StopAtFirst : public antlr4::DefaultErrorStrategy {
 public:
  StopAtFirst(Effort effort, base::StopToken interrupt) : effort_(effort), interrupt_(interrupt) {}

  void reportError(antlr4::Parser*, const antlr4::RecognitionException& error) override {
    const auto* dead_end = dynamic_cast<const antlr4::NoViableAltException*>(&error);
    const bool later = dead_end != nullptr && dead_end->getStartToken() != dead_end->getOffendingToken();
    stop(*error.getOffendingToken(), later ? expected_of(*dead_end) : ours(error.getExpectedTokens()));
  }
  void recover(antlr4::Parser*, std::exception_ptr) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    stop(*parser->getCurrentToken(), ours(parser->getExpectedTokens()));
  }
  void sync(antlr4::Parser* parser) override {
    interrupt_.look();
    if (effort_ == Effort::quick) return;
    const auto& automaton = parser->getATN();
    const auto& next = automaton.nextTokens(automaton.states[parser->getState()]);
    const auto here = static_cast<ssize_t>(parser->getTokenStream()->LA(1));
    if (next.contains(here) || next.contains(antlr4::Token::EPSILON)) return;
    stop(*parser->getCurrentToken(), ours(parser->getExpectedTokens()));
  }

 private:
  [[noreturn]] void stop(const antlr4::Token& token, TokenKinds expected) {
    throw Stop{token.getTokenIndex(), expected};
  }
  Effort effort_;
  base::StopToken interrupt_;
};

// ---- Reading ------------------------------------------------------------------------------------------------------

std::optional<Stop> try_read(Goal goal, Tokens tokens, Effort effort, TreeBuilder& builder, base::StopToken interrupt) {
  antlr4::ListTokenSource feed(theirs(tokens));
  antlr4::CommonTokenStream stream(&feed);
  Parser parser(&stream);
  using Simulator = antlr4::atn::ParserATNSimulator;
  using Mode = antlr4::atn::PredictionMode;
  parser.getInterpreter<Simulator>()->setPredictionMode(effort == Effort::quick ? Mode::SLL : Mode::LL);
  parser.setErrorHandler(std::make_shared<StopAtFirst>(effort, interrupt));
  parser.removeErrorListeners();
  try {
    builder.read(goal, parser);
  } catch (const Stop& stop) {
    return stop;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Token> lex(std::string_view text, base::StopToken stop) {
  const std::size_t mark = byte_order_mark_length(text);
  text.remove_prefix(mark);
  const CodePointOffsets offsets(text);
  std::vector<Token> tokens;
  alone([&] {
    antlr4::ANTLRInputStream input{std::string(text)};
    TesseraLexer lexer(&input);
    lexer.removeErrorListeners();
    for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken()) {
      stop.look();
      const auto begin = static_cast<std::uint32_t>(mark) + offsets[token->getStartIndex()];
      const auto end = static_cast<std::uint32_t>(mark) + offsets[token->getStopIndex() + 1];
      tokens.push_back({ours(token->getType()), begin, end});
    }
  });
  return tokens;
}

ReadResult read(Goal goal, Tokens tokens, std::string_view text, Ast& ast, base::StopToken interrupt) {
  return alone([&]() -> ReadResult {
    TreeBuilder builder(text, ast);
    auto stop = try_read(goal, tokens, Effort::quick, builder, interrupt);
    if (stop) stop = try_read(goal, tokens, Effort::thorough, builder, interrupt);
    if (stop) return *stop;
    if (auto error = builder.error()) return std::move(*error);
    return Read{};
  });
}

}  // namespace tessera::frontend
