// Where names are bound and meant, and the shape of the text.
#include <algorithm>
#include <vector>

#include "repl/language_server/answers.hpp"

namespace tessera::repl {

namespace {

constexpr int kSymbolClass = 5;
constexpr int kSymbolFunction = 12;
constexpr int kSymbolVariable = 13;
constexpr int kWritten = 3;
constexpr int kRead = 2;

// Every place that means what is meant at the offset, in the order of the text.
std::vector<const TextName*> meanings(const View& view, std::uint32_t offset) {
  std::vector<const TextName*> all;
  const TextName* const name = name_at(view.analysis, offset);
  if (name == nullptr) return all;
  for (const TextName& other : view.analysis.names) {
    const bool is_same = name->definition ? other.definition == name->definition
                                          : !other.definition && other.role == name->role && other.name == name->name;
    if (is_same) all.push_back(&other);
  }
  std::sort(all.begin(), all.end(), [](const TextName* a, const TextName* b) { return a->range < b->range; });
  return all;
}

bool is_definition(const View& view, const TextName* name) { return definition_of(view.analysis, *name) == name; }

Json location(const View& view, TextRange range) { return {{"uri", view.uri}, {"range", view.lines.json(range)}}; }

Json chain(const View& view, std::uint32_t offset) {
  std::vector<TextRange> around;
  for (const TextToken& token : view.analysis.tokens) {
    if (holds(token.range, offset)) around.push_back(token.range);
  }
  for (const TextRange& part : view.analysis.parts) {
    if (holds(part, offset)) around.push_back(part);
  }
  around.push_back({0, static_cast<std::uint32_t>(view.text.size())});
  std::sort(around.begin(), around.end(), [](TextRange a, TextRange b) { return length(a) > length(b); });
  Json inner = nullptr;
  TextRange last{};
  for (const TextRange& range : around) {
    const bool nests = inner.is_null() || (holds(last, range) && range != last);
    if (!nests) continue;
    Json next = {{"range", view.lines.json(range)}};
    if (!inner.is_null()) next["parent"] = std::move(inner);
    inner = std::move(next);
    last = range;
  }
  return inner;
}

}  // namespace

Json definition_answer(const View& view, std::uint32_t offset) {
  const TextName* const name = name_at(view.analysis, offset);
  const TextName* const bound = name == nullptr ? nullptr : definition_of(view.analysis, *name);
  if (bound == nullptr) return nullptr;
  return location(view, bound->range);
}

Json references_of(const View& view, std::uint32_t offset, bool with_definition) {
  Json all = Json::array();
  for (const TextName* name : meanings(view, offset)) {
    if (with_definition || !is_definition(view, name)) all.push_back(location(view, name->range));
  }
  return all;
}

Json highlights_of(const View& view, std::uint32_t offset) {
  Json all = Json::array();
  for (const TextName* name : meanings(view, offset)) {
    all.push_back({{"range", view.lines.json(name->range)}, {"kind", is_definition(view, name) ? kWritten : kRead}});
  }
  return all;
}

Json symbols_of(const View& view) {
  Json all = Json::array();
  for (const TextStatement& statement : view.analysis.statements) {
    if (!statement.name) continue;
    const TextName& name = view.analysis.names[*statement.name];
    const int kind = statement.is_function ? kSymbolFunction : statement.is_mesh ? kSymbolClass : kSymbolVariable;
    Json symbol = {{"name", name.name},
                   {"kind", kind},
                   {"range", view.lines.json(statement.range)},
                   {"selectionRange", view.lines.json(name.range)}};
    if (statement.is_mesh) symbol["detail"] = name.mesh;
    if (!name.types.empty()) symbol["detail"] = name.types.front();
    all.push_back(std::move(symbol));
  }
  return all;
}

Json folding_of(const View& view) {
  Json all = Json::array();
  std::uint32_t last_line = ~std::uint32_t{0};
  const auto fold = [&](TextRange range, const char* kind) {
    const std::uint32_t first = view.lines.position(range.begin).line;
    const std::uint32_t last = view.lines.position(range.end).line;
    if (first >= last || first == last_line) return;
    last_line = first;
    Json one = {{"startLine", first}, {"endLine", last}};
    if (kind != nullptr) one["kind"] = kind;
    all.push_back(std::move(one));
  };
  for (const TextRange& part : view.analysis.parts) fold(part, nullptr);
  const auto& tokens = view.analysis.tokens;
  for (std::size_t k = 0; k < tokens.size();) {
    std::size_t end = k;
    while (end < tokens.size() && tokens[end].kind == TextToken::Kind::comment) ++end;
    if (end > k + 1) fold({tokens[k].range.begin, tokens[end - 1].range.end}, "comment");
    k = std::max(end, k + 1);
  }
  return all;
}

Json selections_of(const View& view, const std::vector<std::uint32_t>& offsets) {
  Json all = Json::array();
  for (const std::uint32_t offset : offsets) all.push_back(chain(view, offset));
  return all;
}

}  // namespace tessera::repl
