#include "repl/language_server/document.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera::repl {

std::size_t errors_of(const Analysis& analysis) {
  return static_cast<std::size_t>(std::count_if(analysis.diagnostics.begin(), analysis.diagnostics.end(),
                                                [](const Diagnostic& one) { return one.severity == Severity::error; }));
}

const TextName* name_at(const Analysis& analysis, std::uint32_t offset) {
  const TextName* found = nullptr;
  for (const TextName& name : analysis.names) {
    if (!holds(name.range, offset)) continue;
    if (found == nullptr || name.range.begin > found->range.begin) found = &name;
  }
  return found;
}

const TextName* definition_of(const Analysis& analysis, const TextName& name) {
  return name.definition ? &analysis.names[*name.definition] : nullptr;
}

const TextStatement* statement_at(const Analysis& analysis, std::uint32_t offset) {
  for (const TextStatement& statement : analysis.statements) {
    if (holds(statement.range, offset)) return &statement;
  }
  return nullptr;
}

std::vector<const TextName*> visible_at(const Analysis& analysis, std::uint32_t offset) {
  std::map<std::tuple<TextName::Role, std::string>, const TextName*> latest;
  for (std::size_t number = 0; number < analysis.names.size(); ++number) {
    const TextName& name = analysis.names[number];
    if (name.definition == number && holds(name.visible, offset)) latest[{name.role, name.name}] = &name;
  }
  std::vector<const TextName*> all;
  for (const auto& [key, name] : latest) all.push_back(name);
  return all;
}

TextRange part_around(const Analysis& analysis, TextRange range) {
  TextRange best{0, ~std::uint32_t{0}};
  for (const TextRange& part : analysis.parts) {
    if (holds(part, range) && length(part) < length(best)) best = part;
  }
  return best;
}

}  // namespace tessera::repl
