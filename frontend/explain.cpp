// Each rule below looks at the place where reading stopped and knows one mistake; the first that recognises it speaks.
// If none does, the message sets what was expected against what was found.

#include "frontend/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "frontend/expected.hpp"
#include "frontend/explain_python.hpp"
#include "frontend/explain_records.hpp"
#include "frontend/foreign.hpp"
#include "frontend/foreign_layouts.hpp"
#include "frontend/kinds.hpp"
#include "frontend/meant.hpp"
#include "frontend/place.hpp"
#include "frontend/text.hpp"

namespace tessera::frontend {

using base::Diagnostic;
using base::make;
using base::Span;

namespace {

using Answer = std::optional<Diagnostic>;

// ---- Words --------------------------------------------------------------------------------------------------------

Answer bad_word(const Place& p) {
  const bool is_point = p.is(TokenKind::dot) || p.is(TokenKind::spread);
  if (role(p.found().kind) != TokenRole::bad && !is_point) return std::nullopt;
  if (p.is(TokenKind::dot) && p.expects(TokenKind::right_brace) && !p.expects_expression() &&
      p.expects(TokenKind::comma)) {
    return make(Kind::syntax_error, "`,` or `}`", "`.`").at(p.span()).suggest("pending axes are whole, without a cut");
  }
  auto why = explain_word(p.found(), p.sentence_text(), p.span().source);
  if (p.is(TokenKind::spread) && p.before().kind == TokenKind::comma && p.expects_name())
    return expected_and_found(p).suggest("fields are taken over from one record, which stands first: `{..r, w: a}`");
  if (is_point) why.message = fmt::format("`{}` has no meaning here", p.text());
  if (auto help = help_for_file(p)) return std::move(why).suggest(std::move(*help));
  if (p.is(TokenKind::spread)) {
    return std::move(why).suggest("dimensions are not left out: `a[:, :, 0]`; those at the end may be");
  }
  if (p.text() == "." && p.after_operand() && p.attached()) {
    why.help = help_for_member(member_at(p, 0), p.functions());
  }
  return why;
}

Answer number_with_letters(const Place& p) {
  if (!p.is(TokenKind::size)) return std::nullopt;
  const auto word = p.text();
  const auto letters = std::min(word.find_first_not_of("0123456789."), word.size());
  auto why = make(Kind::bad_number, word).at(p.span());
  if (word.starts_with("0x") || word.starts_with("0b")) {
    const int base = word[1] == 'x' ? 16 : 2;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), value, base);
    const bool is_whole = error == std::errc() && end == word.data() + word.size();
    return std::move(why).suggest(is_whole ? fmt::format("there are decimal numbers only: write `{}`", value)
                                           : "there are decimal numbers only");
  }
  if (word[letters] == '_') return std::move(why).suggest("`_` stands between two digits");
  return std::move(why).suggest(
      fmt::format("write `{} * {}` for a product; names begin with a letter; sizes such as "
                  "64MiB stand after `within` only",
                  word.substr(0, letters), word.substr(letters)));
}

Answer foreign(const Place& p) {
  for (const Token& token : {p.found(), p.before()}) {
    if (token.kind != TokenKind::name) continue;
    if (const auto* word = find_foreign(p.text(token))) {
      return make(Kind::foreign_word, word->word).at(p.span(token)).suggest(std::string(word->help));
    }
  }
  return std::nullopt;
}

// `for` or `else` where a statement should begin, or `for` directly after `loop`.
Answer lone_keyword(const Place& p) {
  const bool in_loop = p.before().kind == TokenKind::loop;
  if (p.is(TokenKind::for_) && (p.is_first() || in_loop)) {
    return make(Kind::syntax_error, in_loop ? "a name" : "a statement", "`for`")
        .at(p.span())
        .suggest("a loop carries a value: `loop w = w0 for i < n { ... }`");
  }
  if (!p.is_first()) return std::nullopt;
  if (p.is(TokenKind::while_)) {
    return make(Kind::syntax_error, "a statement", "`while`")
        .at(p.span())
        .suggest("a loop carries a value: `loop w = w0 while c { ... }`, or `loop w = w0 for i < n while c { ... }`");
  }
  if (p.is(TokenKind::with)) {
    return make(Kind::syntax_error, "a statement", "`with`")
        .at(p.span())
        .suggest("a mesh is in force from its declaration on: `mesh m = [x: 4]`; `a with [0] = v` replaces a part");
  }
  if (p.is(TokenKind::else_)) {
    return make(Kind::syntax_error, "a statement", "`else`")
        .at(p.span())
        .suggest(
            "`else` belongs directly after the `}` of its `if`; a session takes an input that is complete at the "
            "end of its line, so write `} else {` on one line there");
  }
  return std::nullopt;
}

// `if c: a`, `for i < n:`
Answer colon_for_brace(const Place& p) {
  if (!p.is(TokenKind::colon) || !p.expects(TokenKind::left_brace)) return std::nullopt;
  if (p.expects(TokenKind::arrow)) return std::nullopt;  // the type of a function's result
  return expected_and_found(p).suggest(
      "a block stands in braces: `if c { a } else { b }`, `loop w = w0 for i < n { w }`");
}

Answer keyword_as_name(const Place& p) {
  if (!p.expects_name() || !is_keyword(p.found().kind) || p.expects(p.found().kind)) return std::nullopt;
  return make(Kind::keyword_as_name, p.text())
      .at(p.span())
      .suggest(fmt::format("choose another name, such as `{}_`", p.text()));
}

Answer unknown_element(const Place& p) {
  const bool is_word = role(p.found().kind) == TokenRole::word && !p.is(TokenKind::underscore);
  if (!p.expects_type() || !is_word) return std::nullopt;
  auto why = make(Kind::unknown_element_type, p.text()).at(p.span());
  if (auto help = help_for_layout(p)) return std::move(why).suggest(std::move(*help));
  if (const auto meant = element_meant_by(p.text())) {
    return std::move(why).suggest(fmt::format("did you mean `{}`?", *meant));
  }
  return std::move(why).suggest("the element types are bool, i8 to i64, u8 to u32, f32, f64, f16, bf16, c64 and c128");
}

// ---- Operators ----------------------------------------------------------------------------------------------------

Answer comment_of_another_language(const Place& p) {
  const Token first = p.is_first() ? p.found() : p.before();
  const Token second = p.is_first() ? p.token(1) : p.found();
  const bool twice = second.kind == TokenKind::slash || second.kind == TokenKind::star;
  if (first.kind != TokenKind::slash || !twice || first.end != second.begin) return std::nullopt;
  return make(Kind::syntax_error, "an expression", fmt::format("`{}`", p.text()))
      .at(p.span())
      .suggest("a comment begins with `#`; `/` of two integers is floor division");
}

Answer unary_plus(const Place& p) {
  if (!p.is(TokenKind::plus) || !p.expects_expression()) return std::nullopt;
  return make(Kind::unary_plus).at(p.span()).suggest("leave it out");
}

Answer after_as(const Place& p) {
  const Token found = p.found();
  const bool could_go_on = is_binary(found.kind) || found.kind == TokenKind::left_square;
  if (!could_go_on || p.expects_expression()) return std::nullopt;
  const auto as = p.left([](TokenKind kind) { return kind == TokenKind::as; });
  if (!as) return std::nullopt;
  constexpr std::size_t kQuotable = 60;
  const auto whole = p.text(p.expression_begin(), p.index() - 1);
  const bool quotable = whole.size() <= kQuotable && whole.find('\n') == std::string_view::npos;
  const auto operand = quotable ? whole : std::string_view("a as T");
  const std::string_view blank = found.kind == TokenKind::left_square ? "" : " ";
  return make(Kind::after_as, p.text())
      .at(p.span())
      .also(p.span(p.tokens()[*as]), "this conversion is the last thing in its expression")
      .suggest(fmt::format("put it in parentheses: `({}){}{}{}...`", operand, blank, p.text(), blank));
}

Answer chained_comparison(const Place& p) {
  if (role(p.found().kind) != TokenRole::comparison || !p.after_operand()) return std::nullopt;
  const auto first = p.left([](TokenKind kind) {
    return role(kind) == TokenRole::comparison || kind == TokenKind::logical_and || kind == TokenKind::logical_or;
  });
  if (!first || role(p.tokens()[*first].kind) != TokenRole::comparison) return std::nullopt;
  return make(Kind::chained_comparison)
      .at(p.span())
      .also(p.span(p.tokens()[*first]), "the first comparison")
      .suggest("write `a < b && b < c`, or put one comparison in parentheses");
}

Answer equals(const Place& p) {
  if (!p.is(TokenKind::assign)) return std::nullopt;
  if (p.goal() == Goal::statement && p.index() > 0 && p.expression_begin() == 0 &&
      role(p.tokens().front().kind) == TokenRole::word) {
    const auto target = p.text(0, p.index() - 1);
    auto why = make(Kind::missing_let).at(p.span());
    if (p.index() == 1) return std::move(why).suggest(fmt::format("write `let {} = ...`", target));
    if (p.index() == 3 && p.tokens()[1].kind == TokenKind::dot)
      return std::move(why).suggest(
          fmt::format("values do not change: `let {0} = {{..{0}, {1}: ...}}` names a record that differs in that field",
                      p.text(0, 0), p.text(2, 2)));
    const Token sign = p.before();
    const bool is_changed = is_binary(sign.kind) && sign.end == p.found().begin;
    const auto changed = is_changed ? p.text(0, p.index() - 2) : target;
    if (is_changed && p.index() == 2)
      return std::move(why).suggest(
          fmt::format("values do not change: `let {0} = {0} {1} ...` binds the name anew", changed, p.text(sign)));
    if (is_changed && p.tokens()[1].kind == TokenKind::left_square)
      return std::move(why).suggest(
          fmt::format("values do not change: `let {0} = {0} with {1} = {2} {3} ...` names a copy in which that part is "
                      "replaced",
                      p.text(0, 0), p.text(1, p.index() - 2), changed, p.text(sign)));
    if (p.tokens()[1].kind != TokenKind::left_square)
      return std::move(why).suggest("values do not change: `let b = ...` gives a name to another one");
    const auto name = p.text(0, 0);
    return std::move(why).suggest(
        fmt::format("values do not change: `let {} = {} with {} = ...` names a copy in which that part is replaced",
                    name, name, p.text(1, p.index() - 1)));
  }
  constexpr std::array kAfterExpression = {TokenKind::left_brace,   TokenKind::right_brace, TokenKind::right_paren,
                                           TokenKind::right_square, TokenKind::comma,       TokenKind::end};
  const auto expected = [&](TokenKind kind) { return p.expects(kind); };
  const auto begin = p.expression_begin();
  const bool after_type = begin > 0 && p.tokens()[begin - 1].kind == TokenKind::colon;
  const bool ended = std::any_of(kAfterExpression.begin(), kAfterExpression.end(), expected);
  if (!p.after_operand() || !ended || after_type) return std::nullopt;
  const std::string name = p.text(p.before());
  const bool is_call = p.tokens().front().kind == TokenKind::print && p.tokens()[1].kind == TokenKind::left_paren;
  const bool is_argument = is_call && begin > 2 && p.tokens()[begin - 1].kind == TokenKind::comma &&
                           begin + 1 == p.index() && (name == "end" || name == "sep" || name == "file");
  if (is_argument)
    return make(Kind::syntax_error, "`,` or `)`", "`=`")
        .at(p.span())
        .suggest("`print` takes values and texts alone, with blanks between them, and ends its line");
  return make(Kind::single_equals).at(p.span()).suggest("write `==`");
}

Answer comparison_for_equals(const Place& p) {
  if (!p.is(TokenKind::equal) || !p.expects(TokenKind::assign)) return std::nullopt;
  return make(Kind::syntax_error, "`=`", "`==`").at(p.span()).suggest("`=` names a value, `==` compares two");
}

Answer not_before_operand(const Place& p) {
  if (!p.is(TokenKind::logical_not) || !p.expects(TokenKind::minus)) return std::nullopt;
  return make(Kind::syntax_error, "an operand", "`!`")
      .at(p.span())
      .suggest("`!` binds more loosely than comparisons and arithmetic: put `!` and its operand in parentheses");
}

Answer call_of_no_name(const Place& p) {
  const TokenKind before = p.before().kind;
  if (!p.is(TokenKind::left_paren) || !p.after_operand() || role(before) == TokenRole::word) return std::nullopt;
  return make(Kind::not_callable)
      .at(p.span())
      .suggest(help_for_gradient(p).value_or(
          "functions are not values: call the function itself, as in `f(a)`; a product is `*`"));
}

Answer position_of_tuple(const Place& p) {
  const bool position = p.is(TokenKind::real) && p.text().starts_with('.') && p.attached();
  if (!position || !p.after_operand() || role(p.before().kind) == TokenRole::literal) return std::nullopt;
  return make(Kind::tuple_index).at(p.span()).suggest("take it apart with `let (a, b) = ...`");
}

// ---- Types, blocks, statements ------------------------------------------------------------------------------------

Answer type_as_value(const Place& p) {
  if (role(p.before().kind) != TokenRole::element || !p.expects(TokenKind::left_paren)) return std::nullopt;
  return make(Kind::misplaced_type)
      .at(p.span(p.before()))
      .suggest(fmt::format("a type stands after `:`, `->` and `as`, or as a whole argument; a cast is `{}(value)`",
                           p.text(p.before())));
}

Answer in_block(const Place& p) {
  const bool block_start = p.expects(TokenKind::let) && !p.expects(TokenKind::mesh) && p.expects_expression();
  const bool statement = role(p.found().kind) == TokenRole::statement;
  if (block_start && statement) {
    return make(Kind::statement_in_block, p.text())
        .at(p.span())
        .suggest(fmt::format(
            "a block holds `let`, `assert`, `print`, `show`, `save`, calls, loops and `if`, then one expression; "
            "move `{}` out of it",
            p.text()));
  }
  if (p.is(TokenKind::right_brace) && block_start) return without_value(p.span());
  return std::nullopt;
}

bool in_mesh(const Place& p) { return p.goal() == Goal::mesh || p.tokens().front().kind == TokenKind::mesh; }

// `[x: 4 y: 2]`: a name after an axis' size may be a cut's, but what follows it here is none.
Answer comma_between_axes(const Place& p) {
  const bool after_name = role(p.before().kind) == TokenRole::word && p.expects(TokenKind::left_paren);
  if (!in_mesh(p) || !after_name || p.expects_expression() || p.expects(TokenKind::comma)) return std::nullopt;
  const std::string_view wanted = p.goal() == Goal::mesh ? "`,`" : "`,` or `]`";
  auto why = make(Kind::syntax_error, wanted, fmt::format("`{}`", p.text(p.before()))).at(p.span(p.before()));
  if (p.is(TokenKind::colon)) return std::move(why).suggest("write a comma between axes, as in `[x: 4, y: 2]`");
  return std::move(why).suggest("the cuts of an axis have weights, as in `[d: 3 work(2,1,1)]`");
}

// `[x: 4] on 8`, `[x: 4] on (4, 8)`, `[x: 4] place auto on 0:4`
Answer on_devices(const Place& p) {
  const Tokens before = p.tokens().first(p.index());
  const bool is_on = std::any_of(before.begin(), before.end(), [](const Token& t) { return t.kind == TokenKind::on; });
  if (!in_mesh(p) || (!is_on && !p.is(TokenKind::on))) return std::nullopt;
  auto why = expected_and_found(p);
  if (!is_on) return std::move(why).suggest("write `on` before `place`");
  if (role(p.before().kind) == TokenRole::word && p.expects(TokenKind::left_square)) return std::nullopt;
  return std::move(why).suggest(
      "a mesh lies on ranges of devices, `on 8:16` or `on (4:8, 0:4)`; one device is `on 8:9`");
}

// `[x: 4] 8:16`
Answer after_axes(const Place& p) {
  const bool after_brackets = p.before().kind == TokenKind::right_square && p.index() > 0;
  if (!in_mesh(p) || !after_brackets || p.expects_expression() || p.expects(TokenKind::comma)) return std::nullopt;
  if (p.expects(TokenKind::colon) || role(p.found().kind) == TokenRole::word) return std::nullopt;
  return make(Kind::syntax_error, "`place`, `on` or the end of the mesh", found_words(p))
      .at(p.span())
      .suggest("a mesh is placed by `place [[4, 4], [1, 4]]` and lies on devices of its own by `on 8:16`");
}

// `[x: 4] place`, `[x: 4] place [2, 2]`, and `x:4 y:2`, where another word stands for `place`.
Answer placement(const Place& p) {
  if (!in_mesh(p) || p.is_first() || p.before().kind == TokenKind::assign || !p.expects(TokenKind::left_square))
    return std::nullopt;
  const bool may_be_auto = role(p.before().kind) == TokenRole::word;
  const std::string before = p.text(p.before());
  if (may_be_auto && before != "place" && p.is(TokenKind::colon)) {
    return make(Kind::syntax_error, "`,`", "`" + before + "`").at(p.span(p.before()));
  }
  return no_placement(may_be_auto ? "`auto` or `[`" : "`[`", found_words(p), p.span());
}

// `f32[2 * n]`
Answer extent_without_parentheses(const Place& p) {
  const bool goes_on = is_binary(p.found().kind) || p.is(TokenKind::left_paren);
  if (!goes_on || in_mesh(p) || !p.expects(TokenKind::right_square) || !p.expects(TokenKind::comma))
    return std::nullopt;
  if (const auto help = help_for_layout_word(p.text(p.before())))
    return expected_and_found(p).suggest(std::string(*help));
  return expected_and_found(p).suggest("an expression in a type stands in parentheses, as in `f32[(2 * n), 4]`");
}

// `f32[8@x@y]`, `f32[@x]`, `f32[8]@x`
Answer axis_of_dimension(const Place& p) {
  if (!p.is(TokenKind::at) || p.expects_expression() || in_mesh(p)) return std::nullopt;
  const auto why = [&](std::string_view help) { return expected_and_found(p).suggest(std::string(help)); };
  const std::string axis = p.text(p.token(1));
  if (p.token(-2).kind == TokenKind::at && p.before().kind == TokenKind::name)
    return why(fmt::format("axes that split one dimension stand in parentheses: `@({},{})`", p.text(p.before()), axis));
  if (p.before().kind == TokenKind::left_square || p.before().kind == TokenKind::comma)
    return why(fmt::format("the extent stands before the axis, as in `8@{}`", axis));
  if (p.before().kind == TokenKind::right_square)
    return why(fmt::format("an axis stands behind the dimension that it splits, as in `[8@{}]`", axis));
  return std::nullopt;
}

// `u on b`, `by auto`
Answer before_a_name(const Place& p) {
  const auto why = [&](std::string_view help) { return expected_and_found(p).suggest(std::string(help)); };
  if (p.is(TokenKind::on) && p.token(1).kind == TokenKind::name && p.before().kind == TokenKind::name && !in_mesh(p) &&
      p.expects(TokenKind::end))
    return why(fmt::format("a value gets to a mesh with its type, as in `{} as [8@x] on {}`", p.text(p.before()),
                           p.text(p.token(1))));
  const bool is_schedule = p.is(TokenKind::name) || p.is(TokenKind::auto_);
  if (is_schedule && p.before().kind == TokenKind::by && p.expects(TokenKind::string))
    return why(fmt::format("the name of a schedule is a string: `by \"{}\"`", p.text()));
  return std::nullopt;
}

// `within 64 MiB`
Answer unit_apart(const Place& p) {
  const bool may_be_unit = p.is(TokenKind::name) && p.before().kind == TokenKind::integer;
  if (!may_be_unit || p.token(-2).kind != TokenKind::within) return std::nullopt;
  return expected_and_found(p).suggest(
      fmt::format("a size is one word: `{}{}`, if that is its unit", p.text(p.before()), p.text()));
}

// `save("a.npy", a)`
Answer file_before_array(const Place& p) {
  const bool is_saving = p.token(-4).kind == TokenKind::save || p.token(-4).kind == TokenKind::save_shards;
  if (!is_saving || p.token(-2).kind != TokenKind::string || p.before().kind != TokenKind::comma) return std::nullopt;
  return expected_and_found(p).suggest(
      fmt::format("the array comes first: `{}({}, {})`", p.text(p.token(-4)), p.text(), p.text(p.token(-2))));
}

constexpr std::array kRules = {bad_word,
                               called_member,
                               written_as_no_record,
                               string_with_prefix,
                               magic_of_sessions,
                               names_without_parentheses,
                               names_without_let,
                               list_by_rule,
                               before_a_name,
                               unit_apart,
                               file_before_array,
                               number_with_letters,
                               import_of_names,
                               foreign,
                               lone_keyword,
                               condition_after_value,
                               colon_for_brace,
                               keyword_as_name,
                               unknown_element,
                               comment_of_another_language,
                               unary_plus,
                               after_as,
                               chained_comparison,
                               equals,
                               comparison_for_equals,
                               not_before_operand,
                               call_of_no_name,
                               position_of_tuple,
                               type_as_value,
                               comma_between_axes,
                               on_devices,
                               after_axes,
                               placement,
                               axis_of_dimension,
                               extent_without_parentheses,
                               in_block};

}  // namespace

Diagnostic explain(const Sentence& sentence, const Stop& stop) {
  const Place place(sentence, stop);
  for (const auto rule : kRules) {
    if (auto answer = rule(place)) return std::move(*answer);
  }
  return expected_and_found(place);
}

Diagnostic explain_word(const Token& token, std::string_view text, base::SourceId source) {
  const Span span{source, token.begin, token.end};
  if (token.kind == TokenKind::open_string) {
    return make(Kind::open_string).at({source, token.begin, token.begin + 1}).suggest("close it with `\"`");
  }
  const auto word = text.substr(token.begin, token.end - token.begin);
  auto why = make(Kind::unknown_character, word).at(span);
  if (const auto help = help_for_character(word)) return std::move(why).suggest(std::string(*help));
  return why;
}

}  // namespace tessera::frontend
