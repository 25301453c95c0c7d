// Repairs that messages offer, and layouts and moves written out. Every edit is tried before it is offered: one that
// leaves as many mistakes as before is none.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/language_server/answers.hpp"
#include "tessera/units.hpp"

namespace tessera::repl {

namespace {

// An edit that may be a repair.
struct Candidate {
  std::string title;
  Edits edits;
};

constexpr std::size_t kTriedMax = 12;  // for one request

// The pieces of code in a help text, without their backticks.
std::vector<std::string> code_in(std::string_view help) {
  std::vector<std::string> all;
  for (std::size_t at = help.find('`'); at != std::string_view::npos; at = help.find('`', at)) {
    const std::size_t end = help.find('`', at + 1);
    if (end == std::string_view::npos) break;
    all.emplace_back(help.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return all;
}

// `8@x` without its axis: the sign before it goes, too; of several axes the comma.
TextRange with_its_sign(const View& view, TextRange axis) {
  std::uint32_t begin = axis.begin;
  while (begin > 0 && view.text[begin - 1] == ' ') --begin;
  const bool alone = begin > 0 && (view.text[begin - 1] == '@' || view.text[begin - 1] == ',');
  return {alone ? begin - 1 : axis.begin, axis.end};
}

// The type with an axis taken off its dimensions.
std::string without_axis(std::string type, const std::string& axis) {
  for (const std::string& form : {"@" + axis, axis + ",", "," + axis}) {
    for (std::size_t at = type.find(form); at != std::string::npos; at = type.find(form, at)) {
      const std::size_t end = at + form.size();
      const bool ends_word = form.ends_with(',') || end == type.size() || type[end] == ']' || type[end] == ',' ||
                             type[end] == ')' || type[end] == '.';
      if (!ends_word) {
        at = end;
        continue;
      }
      type.erase(at, form.size());
    }
  }
  return type;
}

std::string in_parentheses(const View& view, TextRange range, const std::string& type) {
  return fmt::format("({} as {})", view.part(range), type);
}

// `replicate one of them over `x` first, with `as``: the labels say the operands' types.
void add_replications(std::vector<Candidate>& all, const View& view, const Diagnostic& one) {
  for (const Label& label : one.labels) {
    const std::size_t colon = label.text.find(':');
    if (colon == std::string::npos || label.text.find('[') > colon) continue;
    for (const std::string& axis : code_in(one.help)) {
      const std::string type = label.text.substr(0, colon);
      const std::string whole = without_axis(type, axis);
      const TextRange range = view.lines.range(label.place);
      if (whole == type) continue;
      all.push_back({fmt::format("replicate `{}` over `{}`", view.part(range), axis),
                     {{range, in_parentheses(view, range, whole)}}});
    }
  }
}

void add_repairs(std::vector<Candidate>& all, const View& view, const Diagnostic& one) {
  const TextRange range = view.lines.range(one.labels.front().place);
  constexpr std::string_view kBudget = "least budget: ";
  if (one.help.starts_with(kBudget)) {
    const std::string bytes = one.help.substr(kBudget.size(), one.help.find(' ', kBudget.size()) - kBudget.size());
    const std::size_t within = view.text.rfind("within", part_around(view.analysis, range).end);
    const std::size_t size = within == std::string::npos ? within : view.text.find_first_not_of(' ', within + 6);
    if (size != std::string::npos && size < range.end)
      all.push_back({fmt::format("give it the least budget, {} bytes", bytes),
                     {{{static_cast<std::uint32_t>(size), range.end}, bytes}}});
    return;
  }
  for (const std::string& code : code_in(one.help)) {
    const bool restates = code.starts_with("as ");
    const std::string text = restates ? fmt::format("({} {})", view.part(range), code) : code;
    all.push_back({fmt::format("write `{}`", restates ? code : text), {{range, text}}});
  }
  if (one.help.starts_with("replicate one of them")) {
    add_replications(all, view, one);
    for (const Label& label : one.labels) {
      const TextRange axis = view.lines.range(label.place);
      all.push_back({fmt::format("take `{}` off this dimension", view.part(axis)), {{with_its_sign(view, axis), ""}}});
    }
  }
}

// True if the mistake is gone and no other came.
bool repairs(const View& view, const Diagnostic& one, const Candidate& candidate, const Analyse& analyse) {
  const auto after = analyse(with_edits(view.text, candidate.edits));
  if (!after) return false;
  const auto is_it = [&](const Diagnostic& other) {
    return other.slug == one.slug && other.message == one.message && !other.labels.empty() &&
           other.labels.front().place.line == one.labels.front().place.line &&
           other.labels.front().place.column == one.labels.front().place.column;
  };
  const bool is_gone = std::none_of(after->diagnostics.begin(), after->diagnostics.end(), is_it);
  const bool all_read =
      !view.analysis.statements.empty() && after->statements.size() >= view.analysis.statements.size();
  return is_gone && (errors_of(*after) < errors_of(view.analysis) || (all_read && errors_of(*after) == 0));
}

Json action(const View& view, const std::string& title, const char* kind, const Edits& edits) {
  return {{"title", title}, {"kind", kind}, {"edit", workspace_edit(view, edits)}};
}

void add_quick_fixes(Json& all, const View& view, TextRange range, const Analyse& analyse) {
  std::size_t tried = 0;
  for (const Diagnostic& one : view.analysis.diagnostics) {
    // What is wrong in another file is not mended here.
    if (one.labels.empty() || one.severity == Severity::note || label_here(view, one) != &one.labels.front()) continue;
    if (!meet(view.lines.range(one.labels.front().place), range)) continue;
    std::vector<Candidate> candidates;
    add_repairs(candidates, view, one);
    for (const Candidate& candidate : candidates) {
      if (++tried > kTriedMax) return;
      if (repairs(view, one, candidate, analyse))
        all.push_back(action(view, candidate.title, "quickfix", candidate.edits));
    }
  }
}

// True if the text means as much with the edits as without: nothing is offered that is wrong.
bool is_good(const View& view, const Edits& edits, const Analyse& analyse) {
  const auto after = analyse(with_edits(view.text, edits));
  return after && errors_of(*after) <= errors_of(view.analysis);
}

void add_written_types(Json& all, const View& view, TextRange range) {
  for (const UntypedLet& let : view.analysis.untyped_lets) {
    if (!meet(let.name, range)) continue;
    const TextRange after{let.name.end, let.name.end};
    all.push_back(action(view, fmt::format("write the layout that was found, `{}`", let.type), "refactor.rewrite",
                         {{after, ": " + let.type}}));
  }
}

void add_written_moves(Json& all, const View& view, TextRange range, const Analyse& analyse) {
  for (const UnwrittenMove& move : view.analysis.unwritten_moves) {
    if (!meet(move.range, range)) continue;
    const Edits edits = {{move.range, in_parentheses(view, move.range, move.type)}};
    if (is_good(view, edits, analyse))
      all.push_back(
          action(view, fmt::format("make this move explicit: `as {}`", move.type), "refactor.rewrite", edits));
  }
}

// An `as` without a budget whose peak an exchange in rounds makes smaller.
void add_budgets(Json& all, const View& view, TextRange range, const Analyse& analyse) {
  for (const TextMove& move : view.analysis.moves) {
    const Plan& plan = move.redistribution.plan;
    const std::string_view text = view.part(move.range);
    const bool fits = move.redistribution.who == "`as`" && meet(move.range, range) &&
                      text.find("within") == std::string_view::npos && plan.peak_bytes() > plan.bound_bytes();
    if (!fits) continue;
    PlanRequest request{plan.mesh_text(), plan.from(), plan.to()};
    request.to_mesh = plan.to_mesh_text();
    request.machine = view.machine;
    for (std::int64_t bytes = plan.bound_bytes(); bytes < plan.peak_bytes();
         bytes += std::max<std::int64_t>(1, plan.bound_bytes() / 4)) {
      request.within_bytes = bytes;
      const Edits edits = {{{move.range.end, move.range.end}, fmt::format(" within {}", bytes)}};
      if (!make_plan(request) || !is_good(view, edits, analyse)) continue;
      all.push_back(action(
          view, fmt::format("move it within a budget of {}, not {}", bytes_text(bytes), bytes_text(plan.peak_bytes())),
          "refactor.rewrite", edits));
      break;
    }
  }
}

}  // namespace

Json actions_of(const View& view, TextRange range, const Analyse& analyse) {
  Json all = Json::array();
  add_quick_fixes(all, view, range, analyse);
  add_written_types(all, view, range);
  add_written_moves(all, view, range, analyse);
  add_budgets(all, view, range, analyse);
  return all;
}

}  // namespace tessera::repl
