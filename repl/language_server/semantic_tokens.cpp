// Colours by meaning. Each axis has a modifier of its own, so that a theme can tell them apart.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/language_server/answers.hpp"

namespace tessera::repl {

namespace {

// FOREACH(identifier, "name in the protocol")
#define TESSERA_TOKEN_TYPES(FOREACH) \
  FOREACH(keyword, "keyword")        \
  FOREACH(type, "type")              \
  FOREACH(variable, "variable")      \
  FOREACH(parameter, "parameter")    \
  FOREACH(function, "function")      \
  FOREACH(operation, "operation")    \
  FOREACH(mesh, "mesh")              \
  FOREACH(axis, "axis")              \
  FOREACH(string, "string")          \
  FOREACH(number, "number")          \
  FOREACH(comment, "comment")

enum class TokenType : std::uint8_t {
#define MEMBER(identifier, name) identifier,
  TESSERA_TOKEN_TYPES(MEMBER)
#undef MEMBER
};

constexpr std::array kTypeNames = {
#define MEMBER(identifier, name) std::string_view(name),
    TESSERA_TOKEN_TYPES(MEMBER)
#undef MEMBER
};

constexpr std::size_t kAxisModifiers = 8;
constexpr std::array kModifierNames = {
    std::string_view("declaration"), std::string_view("readonly"), std::string_view("axis1"), std::string_view("axis2"),
    std::string_view("axis3"),       std::string_view("axis4"),    std::string_view("axis5"), std::string_view("axis6"),
    std::string_view("axis7"),       std::string_view("axis8")};
constexpr std::uint32_t kDeclaration = 1;
constexpr std::uint32_t kReadonly = 2;
constexpr std::uint32_t kFirstAxis = 2;  // its bit

struct Coloured {
  TextRange range;
  TokenType type = TokenType::variable;
  std::uint32_t modifiers = 0;
};

TokenType type_of(TextName::Role role) {
  switch (role) {
    case TextName::Role::variable: return TokenType::variable;
    case TextName::Role::parameter:
    case TextName::Role::extent: return TokenType::parameter;
    case TextName::Role::function: return TokenType::function;
    case TextName::Role::operation: return TokenType::operation;
    case TextName::Role::mesh: return TokenType::mesh;
    case TextName::Role::axis:
    case TextName::Role::cut: return TokenType::axis;
  }
  return TokenType::variable;
}

std::optional<TokenType> type_of(TextToken::Kind kind) {
  switch (kind) {
    case TextToken::Kind::keyword: return TokenType::keyword;
    case TextToken::Kind::element: return TokenType::type;
    case TextToken::Kind::number: return TokenType::number;
    case TextToken::Kind::string: return TokenType::string;
    case TextToken::Kind::comment: return TokenType::comment;
    case TextToken::Kind::word:
    case TextToken::Kind::sign:
    case TextToken::Kind::bad: return std::nullopt;
  }
  return std::nullopt;
}

// The number of each axis of the text, in the order in which their names are declared first.
std::map<std::string_view, std::uint32_t> numbers_of_axes(const Analysis& analysis) {
  std::map<std::string_view, std::uint32_t> all;
  for (std::size_t k = 0; k < analysis.names.size(); ++k) {
    const TextName& name = analysis.names[k];
    if (name.role == TextName::Role::axis && name.definition == k)
      all.emplace(name.name, static_cast<std::uint32_t>(all.size() % kAxisModifiers));
  }
  return all;
}

std::map<TextRange, Coloured> coloured(const Analysis& analysis) {
  std::map<TextRange, Coloured> all;
  for (const TextToken& token : analysis.tokens) {
    if (const auto type = type_of(token.kind)) all[token.range] = {token.range, *type, 0};
  }
  const auto axes = numbers_of_axes(analysis);
  for (std::size_t k = 0; k < analysis.names.size(); ++k) {
    const TextName& name = analysis.names[k];
    Coloured one{name.range, type_of(name.role), name.definition == k ? kDeclaration : 0};
    const TextName* const bound = definition_of(analysis, name);
    if (bound != nullptr && bound->is_constant) one.modifiers |= kReadonly;
    const auto axis = name.role == TextName::Role::axis ? axes.find(name.name) : axes.end();
    if (axis != axes.end()) one.modifiers |= 1U << (kFirstAxis + axis->second);
    all[name.range] = one;
  }
  return all;
}

}  // namespace

Json semantic_legend() { return {{"tokenTypes", kTypeNames}, {"tokenModifiers", kModifierNames}}; }

Json semantic_tokens_of(const View& view, TextRange range) {
  Json data = Json::array();
  TextPosition last;
  for (const auto& [place, one] : coloured(view.analysis)) {
    if (!meet(place, range)) continue;
    const TextPosition at = view.lines.position(place.begin);
    const TextPosition end = view.lines.position(place.end);
    if (at.line != end.line) continue;
    const std::uint32_t unit = at.line == last.line ? at.unit - last.unit : at.unit;
    for (const std::uint32_t number :
         {at.line - last.line, unit, end.unit - at.unit, static_cast<std::uint32_t>(one.type), one.modifiers})
      data.push_back(number);
    last = at;
  }
  return {{"data", data}};
}

}  // namespace tessera::repl
