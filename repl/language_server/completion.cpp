// What may be typed next, and the parameters of the call around the cursor.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/language_server/answers.hpp"
#include "repl/letters.hpp"
#include "repl/session/words.hpp"

namespace tessera::repl {

namespace {

constexpr int kItemVariable = 6;
constexpr int kItemFunction = 3;
constexpr int kItemModule = 9;
constexpr int kItemKeyword = 14;
constexpr int kItemConstant = 21;
constexpr int kItemField = 5;
constexpr int kItemMember = 20;

// What the words before the cursor allow.
enum class Wanted : std::uint8_t { axis, mesh, type, statement, expression, field, nothing };

std::vector<TextToken> before(const View& view, std::uint32_t offset) {
  std::vector<TextToken> all;
  for (const TextToken& token : view.analysis.tokens) {
    if (token.range.end > offset) break;
    all.push_back(token);
  }
  const bool in_word = !all.empty() && all.back().range.end == offset &&
                       (all.back().kind == TextToken::Kind::word || all.back().kind == TextToken::Kind::keyword ||
                        all.back().kind == TextToken::Kind::element);
  if (in_word) all.pop_back();
  return all;
}

bool in_comment_or_string(const View& view, std::uint32_t offset) {
  return std::any_of(view.analysis.tokens.begin(), view.analysis.tokens.end(), [&](const TextToken& token) {
    if (token.kind == TextToken::Kind::comment) return token.range.begin < offset && offset <= token.range.end;
    return token.kind == TextToken::Kind::string && token.range.begin < offset && offset < token.range.end;
  });
}

// `@`, `@(x,`, `{+x,`, `{*x,`, `{max x,`: axes stand there. An `@` before a value is a product, and axes are offered as
// well.
bool wants_axis(const View& view, const std::vector<TextToken>& words) {
  std::size_t at = words.size();
  const auto text = [&](std::size_t k) { return view.part(words[k].range); };
  while (at > 0 && (text(at - 1) == "," || words[at - 1].kind == TextToken::Kind::word)) --at;
  const bool is_list = at < words.size() || at == 0;
  if (at == 0) return false;
  const bool after_sign = at > 1 && text(at - 2) == "{" && (text(at - 1) == "+" || text(at - 1) == "*");
  const bool after_kind =
      at > 0 && text(at - 1) == "{" && at < words.size() && (text(at) == "max" || text(at) == "min");
  const bool after_at = at > 1 && text(at - 2) == "@" && text(at - 1) == "(";
  return (!is_list && text(at - 1) == "@") || after_sign || after_kind || after_at;
}

Wanted wanted_at(const View& view, std::uint32_t offset) {
  if (in_comment_or_string(view, offset)) return Wanted::nothing;
  const std::vector<TextToken> words = before(view, offset);
  if (wants_axis(view, words)) return Wanted::axis;
  if (words.empty()) return Wanted::statement;
  const std::string_view last = view.part(words.back().range);
  if (last == ".") return Wanted::field;
  if (last == "on") return Wanted::mesh;
  if (last == "mesh" || last == "let" || last == "fn") return Wanted::nothing;
  const bool new_line = view.lines.position(words.back().range.end).line != view.lines.position(offset).line;
  if (new_line && words.back().kind != TextToken::Kind::sign) return Wanted::statement;
  if (new_line && (last == "]" || last == ")" || last == "}" || last == "?" || last == ";")) return Wanted::statement;
  if (last == ":" || last == "->" || last == "as") return Wanted::type;
  return Wanted::expression;
}

Json item(const std::string& label, int kind, const std::string& detail = "") {
  Json one = {{"label", label}, {"kind", kind}};
  if (!detail.empty()) one["detail"] = detail;
  return one;
}

// The fields of all records and their types in the text, each once: a word before `:` directly in braces.
void add_fields(Json& all, const View& view) {
  std::vector<std::string_view> open;
  std::vector<std::string_view> fields;
  const auto& tokens = view.analysis.tokens;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string_view text = view.part(tokens[k].range);
    if (text == "{" || text == "(" || text == "[") open.push_back(text);
    if ((text == "}" || text == ")" || text == "]") && !open.empty()) open.pop_back();
    const bool is_before_colon = k + 1 < tokens.size() && view.part(tokens[k + 1].range) == ":";
    if (open.empty() || open.back() != "{" || !is_before_colon || tokens[k].kind != TextToken::Kind::word) continue;
    const std::string_view before = view.part(tokens[k - 1].range);
    if (before == "{" || before == ",") fields.push_back(text);
  }
  std::ranges::sort(fields);
  const auto repeated = std::ranges::unique(fields);
  fields.erase(repeated.begin(), repeated.end());
  for (const std::string_view field : fields) all.push_back(item(std::string(field), kItemField));
}

void add_names(Json& all, const View& view, std::uint32_t offset, Wanted wanted) {
  for (const TextName* name : visible_at(view.analysis, offset)) {
    const std::string type = name->types.empty() ? "" : name->types.front();
    switch (name->role) {
      case TextName::Role::axis:
        if (wanted == Wanted::axis || wanted == Wanted::expression)
          all.push_back(item(name->name, kItemMember, fmt::format("mesh axis of {}", name->size)));
        break;
      case TextName::Role::mesh:
        if (wanted == Wanted::mesh) all.push_back(item(name->name, kItemModule, name->mesh));
        break;
      case TextName::Role::function:
        if (wanted == Wanted::expression || wanted == Wanted::statement)
          all.push_back(item(name->name, kItemFunction, "a function of this program"));
        break;
      case TextName::Role::variable:
      case TextName::Role::parameter:
      case TextName::Role::extent:
        // The right side of a product stands behind `@`, too.
        if (wanted == Wanted::expression || wanted == Wanted::axis)
          all.push_back(item(name->name, name->is_constant ? kItemConstant : kItemVariable, type));
        break;
      case TextName::Role::operation:
      case TextName::Role::cut: break;
    }
  }
}

// Two sorts of arguments are two entries of the help, and one item.
void add_operations(Json& all) {
  std::map<std::string, const OperationHelp*> by_name;
  for (const OperationHelp& one : operations()) by_name.emplace(one.name, &one);
  for (const auto& [name, one] : by_name) {
    Json added = item(name, kItemFunction, one->signature);
    added["documentation"] = {{"kind", "markdown"}, {"value", one->does + "\n\n" + one->layouts}};
    all.push_back(std::move(added));
  }
}

bool is_one_of(std::string_view word, const std::vector<std::string_view>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void add_words(Json& all, Wanted wanted) {
  const std::vector<std::string_view> statements = {"mesh", "let",  "fn",          "print", "show",
                                                    "plan", "save", "save_shards", "assert"};
  const std::vector<std::string_view> elements = {"bool", "i32", "i64", "f32", "f64", "bf16", "f16",
                                                  "i8",   "u8",  "i16", "u16", "u32", "c64",  "c128"};
  for (const WordHelp& word : words()) {
    const bool is_statement = is_one_of(word.word, statements);
    const bool is_element = is_one_of(word.word, elements);
    const bool fits = wanted == Wanted::statement ? is_statement || word.word == "if"
                      : wanted == Wanted::type    ? is_element
                                                  : !is_statement;
    if (fits) all.push_back(item(std::string(word.word), kItemKeyword, std::string(word.does)));
  }
}

// The call around the offset: where its name stands, and the number of the argument.
struct OpenCall {
  TextRange name;
  std::int64_t argument = 0;
};

std::optional<OpenCall> call_around(const View& view, std::uint32_t offset) {
  std::vector<TextToken> words;
  for (const TextToken& token : view.analysis.tokens) {
    if (token.range.end <= offset) words.push_back(token);
  }
  std::int64_t depth = 0;
  std::int64_t commas = 0;
  for (std::size_t at = words.size(); at-- > 0;) {
    const std::string_view text = view.part(words[at].range);
    if (text == ")" || text == "]" || text == "}") ++depth;
    const bool opens = text == "(" || text == "[" || text == "{";
    if (opens && depth > 0) {
      --depth;
    } else if (opens) {
      const bool is_call = text == "(" && at > 0 && words[at - 1].kind == TextToken::Kind::word;
      if (is_call) return OpenCall{words[at - 1].range, commas};
      commas = 0;
    } else if (text == "," && depth == 0) {
      ++commas;
    } else if (words[at].kind == TextToken::Kind::keyword && depth == 0 && text != "as") {
      return std::nullopt;  // the statement begins here
    }
  }
  return std::nullopt;
}

// The parts of `f(a: T, b: T)` between its commas, as places in the label.
Json parameters_of(const std::string& label) {
  Json all = Json::array();
  const std::size_t open = label.find('(');
  std::int64_t depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open; open != std::string::npos && at < label.size(); ++at) {
    const char c = label[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    const bool ends = (c == ',' && depth == 1) || (c == ')' && depth == 0);
    if (!ends) continue;
    while (begin < at && label[begin] == ' ') ++begin;
    if (at > begin) all.push_back({{"label", label.substr(begin, at - begin)}});
    begin = at + 1;
    if (depth == 0) break;
  }
  return all;
}

Json signature(const std::string& label, const std::string& about) {
  return {{"label", label}, {"documentation", about}, {"parameters", parameters_of(label)}};
}

}  // namespace

Json completions_of(const View& view, std::uint32_t offset) {
  Json all = Json::array();
  const Wanted wanted = wanted_at(view, offset);
  if (wanted == Wanted::nothing) return all;
  if (wanted == Wanted::field) {
    add_fields(all, view);
    return all;
  }
  add_names(all, view, offset, wanted);
  if (wanted == Wanted::expression) add_operations(all);
  if (wanted == Wanted::expression || wanted == Wanted::statement || wanted == Wanted::type) add_words(all, wanted);
  return all;
}

Json signature_of(const View& view, std::uint32_t offset) {
  const auto call = call_around(view, offset);
  if (!call) return nullptr;
  const std::string name(view.part(call->name));
  Json signatures = Json::array();
  for (const TextName* bound : visible_at(view.analysis, call->name.begin)) {
    if (bound->role != TextName::Role::function || bound->name != name) continue;
    const std::string_view whole = view.part(bound->statement);
    const std::size_t end = std::min(whole.find_first_of("={", whole.find(')')), whole.size());
    signatures.push_back(signature(std::string(whole.substr(0, whole.find_last_not_of(' ', end - 1) + 1)), ""));
  }
  if (signatures.empty()) {
    for (const OperationHelp& one : operations()) {
      if (one.name == name) signatures.push_back(signature(one.signature, one.does));
    }
  }
  if (signatures.empty()) return nullptr;
  return {{"signatures", signatures}, {"activeSignature", 0}, {"activeParameter", call->argument}};
}

}  // namespace tessera::repl
