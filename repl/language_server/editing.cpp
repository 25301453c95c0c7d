// Edits of the whole text: other names, the canonical layout.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "repl/language_server/answers.hpp"

namespace tessera::repl {

namespace {

// Does every name of one text mean the same in the other?
bool mean_the_same(const Analysis& before, const Analysis& after) {
  const auto is_same = [](const TextName& a, const TextName& b) {
    return a.role == b.role && a.definition == b.definition && a.types.size() == b.types.size();
  };
  return errors_of(after) <= errors_of(before) &&
         std::equal(before.names.begin(), before.names.end(), after.names.begin(), after.names.end(), is_same);
}

Json text_edits(const View& view, const Edits& edits) {
  Json all = Json::array();
  for (const auto& [range, text] : edits) all.push_back({{"range", view.lines.json(range)}, {"newText", text}});
  return all;
}

}  // namespace

std::string with_edits(const std::string& text, Edits edits) {
  std::sort(edits.begin(), edits.end());
  std::string result;
  std::uint32_t at = 0;
  for (const auto& [range, replacement] : edits) {
    if (range.begin < at) continue;
    result += text.substr(at, range.begin - at) + replacement;
    at = range.end;
  }
  return result + text.substr(at);
}

Json workspace_edit(const View& view, const Edits& edits) {
  return {{"changes", {{view.uri, text_edits(view, edits)}}}};
}

Json rename_range(const View& view, std::uint32_t offset) {
  const TextName* const name = name_at(view.analysis, offset);
  if (name == nullptr || !name->definition) return nullptr;
  return {{"range", view.lines.json(name->range)}, {"placeholder", name->name}};
}

Json rename_of(const View& view, std::uint32_t offset, const std::string& name, const Analyse& analyse,
               std::string& why) {
  const TextName* const meant = name_at(view.analysis, offset);
  if (meant == nullptr || !meant->definition) {
    why = "there is nothing here that could have another name";
    return nullptr;
  }
  Edits edits;
  for (const TextName& other : view.analysis.names) {
    if (other.definition == meant->definition) edits.emplace_back(other.range, name);
  }
  const auto after = analyse(with_edits(view.text, edits));
  if (!after) {
    why = "the renaming was stopped";
    return nullptr;
  }
  if (!mean_the_same(view.analysis, *after)) {
    why = fmt::format("with the name `{}` the program would mean something else: choose another", name);
    return nullptr;
  }
  return workspace_edit(view, edits);
}

Json formatting_of(const View& view, std::optional<TextRange> range) {
  Edits edits;
  if (!range) {
    const auto formatted = format(view.text);
    if (formatted && *formatted != view.text)
      edits.emplace_back(TextRange{0, static_cast<std::uint32_t>(view.text.size())}, *formatted);
    return text_edits(view, edits);
  }
  for (const TextStatement& statement : view.analysis.statements) {
    if (!meet(statement.range, *range)) continue;
    auto formatted = format(view.part(statement.range));
    if (!formatted) continue;
    while (formatted->ends_with('\n')) formatted->pop_back();
    if (*formatted != view.part(statement.range)) edits.emplace_back(statement.range, std::move(*formatted));
  }
  return text_edits(view, edits);
}

}  // namespace tessera::repl
