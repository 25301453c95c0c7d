#include "embed/programs/closed_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "embed/kinds.hpp"
#include "frontend/ast.hpp"
#include "synth/program/choice/problem.hpp"
#include "typeck/typed/closed_text.hpp"

namespace tessera::embed {

namespace {

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || byte == '_' || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

// All words of a text: no new name may be one of them.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end > i) words.insert(text.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

base::Diagnostic no_closed_form(const typeck::ChosenFunction& chosen, const std::string& why) {
  return base::make(Kind::no_closed_form, chosen.name, why).at(chosen.declared_at);
}

// Weights that were chosen for a mesh that the statement declares stand in place of `auto`.
void write_weights(const typeck::Typed& typed, base::Span statement, std::string& text) {
  for (auto cut = typed.chosen_cuts.rbegin(); cut != typed.chosen_cuts.rend(); ++cut) {
    const bool is_inside =
        cut->span.source == statement.source && statement.begin <= cut->span.begin && cut->span.end <= statement.end;
    if (!is_inside) continue;
    const std::string own = fmt::format("{}({})", cut->cut, fmt::join(cut->candidates[cut->taken].values(), ","));
    text.replace(cut->span.begin, cut->span.end - cut->span.begin, own);
  }
}

base::Result<std::string> closed_function(const typeck::Typed& typed, const typeck::ChosenFunction& chosen,
                                          const std::set<std::string>& words) {
  const typeck::Function* const function = typed.after.function(chosen.name, typed.after.now());
  if (function == nullptr || function->span != chosen.declared_at)
    return no_closed_form(chosen, "another function has its name");
  if (!(*typed.after.default_mesh(function->moment) == *chosen.problem->mesh))
    return no_closed_form(chosen, "its mesh is declared behind it; declare it before");
  typeck::ClosedText text(typed, typed.after, function->moment, words);
  auto closed = text.function(chosen, chosen.name);
  if (!closed) return no_closed_form(chosen, "the language has no words for " + text.lacks());
  return std::move(*closed);
}

// The closed forms of the functions that a `use` brings, which stand behind it and hide them.
base::Result<std::string> closed_behind_use(const typeck::Typed& typed, frontend::StatementId statement,
                                            const std::set<std::string>& words) {
  std::string text;
  for (const auto& [use, file] : typed.used_files) {
    if (use != statement) continue;
    for (const typeck::ChosenFunction& chosen : typed.choices) {
      if (chosen.declared_at.source != file) continue;
      TESSERA_TRY(closed, closed_function(typed, chosen, words));
      text += "\n" + closed;
    }
  }
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Of each function that is chosen the text is its own, or that of a file which it uses itself.
base::Status all_have_a_place(const typeck::Typed& typed) {
  for (const typeck::ChosenFunction& chosen : typed.choices) {
    const base::SourceId source = chosen.declared_at.source;
    const bool is_used = std::ranges::any_of(typed.used_files, [&](const auto& one) { return one.second == source; });
    if (source != typed.ast->source && !is_used)
      return no_closed_form(chosen, "it is declared in a file that only other files use");
  }
  for (const typeck::ChosenCut& cut : typed.chosen_cuts) {
    if (cut.span.source != typed.ast->source && !typed.choices.empty())
      return no_closed_form(typed.choices.front(), "weights are chosen for a mesh that another file declares");
  }
  return base::Done{};
}

}  // namespace

base::Result<std::string> closed_script(const typeck::Typed& typed, std::string text) {
  const std::set<std::string> words = words_of(text);
  std::map<base::Span, const typeck::ChosenFunction*> by_name;
  for (const typeck::ChosenFunction& chosen : typed.choices) {
    if (!by_name.emplace(chosen.declared_at, &chosen).second)
      return no_closed_form(chosen, "it is called with arguments of several types, and each has its own");
  }
  TESSERA_TRY_STATUS(all_have_a_place(typed));
  const auto& program = typed.ast->program;
  for (auto statement = program.rbegin(); statement != program.rend(); ++statement) {
    const frontend::Statement& own = (*typed.ast)[*statement];
    write_weights(typed, own.span, text);
    TESSERA_TRY(behind, closed_behind_use(typed, *statement, words));
    if (!behind.empty()) text.insert(own.span.end, behind);
    const auto* function = std::get_if<frontend::Fn>(&own.node);
    const auto chosen = function == nullptr ? by_name.end() : by_name.find(function->name.span);
    if (chosen == by_name.end()) continue;
    TESSERA_TRY(closed, closed_function(typed, *chosen->second, words));
    if (!closed.empty() && closed.back() == '\n') closed.pop_back();
    text.replace(own.span.begin, own.span.end - own.span.begin, closed);
  }
  return text;
}

}  // namespace tessera::embed
