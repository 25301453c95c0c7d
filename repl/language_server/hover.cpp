// What is shown of the word under the mouse.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "repl/language_server/answers.hpp"
#include "repl/render/units.hpp"
#include "repl/session/help.hpp"
#include "repl/session/report.hpp"
#include "repl/session/why.hpp"

namespace tessera::repl {

namespace {

constexpr std::size_t kPlansMax = 3;

std::string code(std::string_view text, std::string_view language = "tessera") {
  return fmt::format("```{}\n{}{}```\n", language, text, text.ends_with('\n') ? "" : "\n");
}

// What `:doc` says, in Markdown: a line above indented ones is how something is written, each of those a paragraph.
std::string documented(std::string_view name) {
  std::istringstream lines(doc_text(name));
  std::string text;
  std::string last;
  const auto is_indented = [](const std::string& line) { return line.starts_with("  "); };
  for (std::string line; std::getline(lines, line); last = line) {
    if (is_indented(line) && !is_indented(last) && !last.empty()) {
      text.resize(text.size() - last.size() - 1);
      text += code(last);
    }
    text += is_indented(line) ? line.substr(2) + "\n\n" : line + "\n";
  }
  return text;
}

std::string placed(const Placement& placement) {
  std::string text = placement_text(placement);
  if (placement.devices > 1)
    text += fmt::format("; {} on {} devices", bytes_text(placement.total_bytes), placement.devices);
  return text + "\n";
}

std::string of_variable(const TextName& name) {
  std::string text;
  for (const std::string& type : name.types) text += code(fmt::format("{}: {}", name.name, type));
  if (name.placement) text += placed(*name.placement);
  if (name.is_constant) text += "a constant: it may stand in types\n";
  return text;
}

std::string of_mesh(const View& view, const TextName& name) {
  std::string text = code(fmt::format("mesh {} = [{}]", name.name, name.mesh));
  text += counted(name.size, "device", "devices") + "\n";
  for (const MachineLevel& level : view.machine.levels)
    text += fmt::format("\n- {} `{}`: {}\n", level.count, level.name, bandwidth_text(level));
  return text;
}

std::string of_function(const View& view, const TextName& name) {
  const std::string_view whole = view.part(name.statement);
  const std::size_t body = std::min(whole.find_first_of("={", whole.find(')')), whole.size());
  return code(whole.substr(0, whole.find_last_not_of(' ', body - 1) + 1));
}

std::string of_name(const View& view, const TextName& name) {
  const TextName* const bound = definition_of(view.analysis, name);
  switch (name.role) {
    case TextName::Role::operation: return documented(name.name);
    case TextName::Role::function: return bound == nullptr ? "" : of_function(view, *bound);
    case TextName::Role::mesh: return bound == nullptr ? "" : of_mesh(view, *bound);
    case TextName::Role::axis:
      return bound == nullptr ? "" : fmt::format("mesh axis `{}` of {} positions\n", bound->name, bound->size);
    case TextName::Role::cut: return fmt::format("cut `{}`: tiles by weights\n", name.name);
    case TextName::Role::extent: return fmt::format("extent `{}`, which each call binds\n", name.name);
    case TextName::Role::variable:
    case TextName::Role::parameter: return bound == nullptr ? "" : of_variable(*bound);
  }
  return "";
}

// The innermost expression at the offset that has a type.
const TypedRange* typed_at(const View& view, std::uint32_t offset) {
  const TypedRange* best = nullptr;
  for (const TypedRange& one : view.analysis.types) {
    if (one.range.begin > offset) break;
    if (holds(one.range, offset) && (best == nullptr || length(one.range) <= length(best->range))) best = &one;
  }
  return best;
}

// The plans of the innermost expression at the offset for which something moves.
std::string moves_at(const View& view, std::uint32_t offset) {
  TextRange best{0, ~std::uint32_t{0}};
  for (const TextMove& move : view.analysis.moves) {
    if (holds(move.range, offset) && length(move.range) < length(best)) best = move.range;
  }
  std::vector<std::string> told;
  for (const TextMove& move : view.analysis.moves) {
    if (move.range != best || told.size() == kPlansMax) continue;
    std::string text = plan_and_reason(view, move.redistribution);
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
  }
  std::string text;
  for (const std::string& one : told) text += code(one, "text");
  for (const TextPartsMoved& one : view.analysis.parts_moved) {
    if (holds(one.range, offset)) text += code(part_text(one.parts), "text");
  }
  return text;
}

const TextToken* token_at(const View& view, std::uint32_t offset) {
  for (const TextToken& token : view.analysis.tokens) {
    if (holds(token.range, offset) && offset < token.range.end) return &token;
  }
  return nullptr;
}

// The mistakes at the offset: the section of the error index.
std::string mistakes_at(const View& view, std::uint32_t offset) {
  std::string text;
  for (const Diagnostic& one : view.analysis.diagnostics) {
    const Label* const here = label_here(view, one);
    if (here == nullptr || !holds(view.lines.range(here->place), offset)) continue;
    const auto section = explain(one.slug);
    if (section && text.find(*section) == std::string::npos) text += *section + "\n";
  }
  return text;
}

}  // namespace

std::string plan_and_reason(const View& view, const Redistribution& move) {
  const std::string asked =
      fmt::format("{} by {} at line {}, column {}\n", move.inserted ? "inserted: asked for" : "asked for", move.who,
                  move.place.line, move.place.column);
  return asked + move.plan.text() + alternatives_text(move.compared) +
         (view.machine.levels.empty() ? "" : modelled_text(view.machine) + "\n");
}

Json hover_of(const View& view, std::uint32_t offset) {
  const TextToken* const token = token_at(view, offset);
  const TextName* const name = name_at(view.analysis, offset);
  std::string text;
  TextRange range = token == nullptr ? TextRange{offset, offset} : token->range;
  if (name != nullptr) {
    range = name->range;
    text = of_name(view, *name);
  } else if (token != nullptr && (token->kind == TextToken::Kind::keyword || token->kind == TextToken::Kind::element)) {
    text = documented(view.part(token->range));
  }
  const bool is_comment = token != nullptr && token->kind == TextToken::Kind::comment;
  const bool is_binding = name != nullptr && definition_of(view.analysis, *name) == name;
  if (!is_binding && !is_comment) {
    const TypedRange* const typed = typed_at(view, offset);
    const bool adds = typed != nullptr && typed->types.size() == 1 && (name == nullptr || name->types.empty());
    const bool is_variable = name != nullptr && name->role <= TextName::Role::extent;
    if (adds && !is_variable) text += code(typed->types.front()) + placed(typed->placement);
    text += moves_at(view, offset);
  }
  text += mistakes_at(view, offset);
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", view.lines.json(range)}};
}

}  // namespace tessera::repl
