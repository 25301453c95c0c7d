// The door to ANTLR. Its lexer's automaton cuts plain tokens; its parser is handed plain tokens, its tree is turned
// into ours (tree_builder.hpp), and its exceptions end here.
//
// A row of tokens is read twice at most: quickly, without looking at the surroundings of a rule (SLL), and, where that
// fails, thoroughly (LL), to be sure and to learn what could have stood at the place of the error.
#include <antlr4-runtime.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
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

// The lexer's automaton, walked by a table of our own: ANTLR's walk takes locks, looks into maps, makes a token on the
// heap for each word and wants the text as code points. ANTLR makes each state when it is first met; the table grows
// by it.
class WordAutomaton : private antlr4::atn::LexerATNSimulator {
 public:
  struct Word {
    std::size_t length = 0;         // in bytes
    std::optional<TokenKind> kind;  // none of blanks
  };

  WordAutomaton(TesseraLexer& lexer, antlr4::CharStream& nothing) : WordAutomaton(lexer, nothing, of(lexer)) {}

  // The longest word at the beginning of a text that has one.
  Word first_word(std::string_view text) {
    Word word;
    std::size_t row = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      const std::size_t length = byte < kAscii ? 1 : base::valid_sequence_length(text.substr(at));
      row = byte < kAscii ? ascii_target(row, byte) : target(row, decode(text.substr(at, length)));
      if (row == kNowhere) break;
      at += length;
      if (rows_[row].is_word) word = {at, rows_[row].kind};
    }
    TESSERA_CHECK(word.length > 0, "the lexer has no word for a character");
    return word;
  }

 private:
  using State = antlr4::dfa::DFAState;
  static constexpr std::size_t kAscii = 0x80;
  static constexpr std::uint16_t kNowhere = 0xFFFF;
  static constexpr std::uint16_t kNotYet = 0xFFFE;

  struct Row {
    explicit Row(State* of) : state(of), is_word(of->isAcceptState) {
      targets.fill(kNotYet);
      if (is_word && of->prediction != Parser::BLANK) kind = ours(of->prediction);
    }
    State* state;
    bool is_word;
    std::optional<TokenKind> kind;
    std::array<std::uint16_t, kAscii> targets{};
  };

  static LexerATNSimulator& of(TesseraLexer& lexer) { return *lexer.getInterpreter<LexerATNSimulator>(); }

  WordAutomaton(TesseraLexer& lexer, antlr4::CharStream& nothing, LexerATNSimulator& its)
      : LexerATNSimulator(&lexer, its.atn, its._decisionToDFA, its.getSharedContextCache()), nothing_(nothing) {
    match(&nothing_, 0);  // makes the first state
    (void)row_of(_decisionToDFA[0].s0);
  }

  std::uint16_t ascii_target(std::size_t row, unsigned char byte) {
    if (rows_[row].targets[byte] == kNotYet) {
      const std::uint16_t found = target(row, byte);
      rows_[row].targets[byte] = found;
    }
    return rows_[row].targets[byte];
  }

  std::uint16_t target(std::size_t row, std::uint32_t code_point) {
    State* const next = computeTargetState(&nothing_, rows_[row].state, code_point);
    return next == ERROR.get() ? kNowhere : row_of(next);
  }

  std::uint16_t row_of(State* state) {
    const auto [place, is_new] = row_of_.try_emplace(state, static_cast<std::uint16_t>(rows_.size()));
    if (is_new) rows_.emplace_back(state);
    TESSERA_CHECK(rows_.size() < kNotYet, "the lexer has too many states");
    return place->second;
  }

  antlr4::CharStream& nothing_;
  std::vector<Row> rows_;
  std::unordered_map<const State*, std::uint16_t> row_of_;
};

// Tokens of ours as theirs, a thousand at a time: most of a long text may lie behind its first mistake, and those that
// are made together lie together, which a parser of all of them is faster with.
class Feed : public antlr4::TokenSource {
 public:
  explicit Feed(Tokens row) : row_(row) {}

  std::unique_ptr<antlr4::Token> nextToken() override {
    if (next_ == made_.size()) make_more();
    return std::move(made_[next_++]);
  }
  // Nobody asks for these.
  std::size_t getLine() const override { return 0; }
  std::size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream* getInputStream() override { return nullptr; }
  std::string getSourceName() override { return ""; }
  antlr4::TokenFactory<antlr4::CommonToken>* getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

 private:
  void make_more() {
    constexpr std::size_t kTogether = 1024;
    made_.clear();
    next_ = 0;
    const Tokens now = row_.first(std::min(kTogether, row_.size()));
    if (!now.empty()) end_ = now.back().end;
    row_ = row_.subspan(now.size());
    for (const Token& token : now) make(kTheirs[static_cast<std::size_t>(token.kind)], token.begin, token.end);
    if (row_.empty()) make(antlr4::Token::EOF, end_, end_);
  }

  void make(std::size_t type, std::size_t begin, std::size_t end) {
    auto token = std::make_unique<antlr4::CommonToken>(type);
    token->setStartIndex(begin);
    token->setStopIndex(end - 1);
    made_.push_back(std::move(token));
  }

  Tokens row_;  // what is left of it
  std::size_t end_ = 0;
  std::vector<std::unique_ptr<antlr4::Token>> made_;
  std::size_t next_ = 0;
};

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
  Feed feed(tokens);
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
  std::vector<Token> tokens;
  alone([&] {
    static antlr4::ANTLRInputStream nothing;
    static TesseraLexer lexer(&nothing);
    static WordAutomaton automaton(lexer, nothing);
    for (std::size_t begin = byte_order_mark_length(text); begin < text.size();) {
      stop.look();
      const auto word = automaton.first_word(text.substr(begin));
      const std::size_t end = begin + word.length;
      if (word.kind) tokens.push_back({*word.kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      begin = end;
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
