#include <algorithm>

#include "repl/language_server/answers.hpp"
#include "repl/language_server/library.hpp"

namespace tessera::repl {

namespace {

int protocol_severity(Severity severity) {
  switch (severity) {
    case Severity::error: return 1;
    case Severity::warning: return 2;
    case Severity::note: return 3;
  }
  return 1;
}

bool is_here(const View& view, const Place& place) { return place.file == path_of(view.uri); }

// A place in a file that the text uses, which is not open here: its columns are told as they are counted.
Json elsewhere(const Place& place) {
  const auto position = [&](std::uint32_t column) { return Json{{"line", place.line - 1}, {"character", column - 1}}; };
  return {{"uri", "file://" + place.file},
          {"range", {{"start", position(place.column)}, {"end", position(place.column + place.length)}}}};
}

Json location(const View& view, const Place& place) {
  if (!is_here(view, place)) return elsewhere(place);
  return {{"uri", view.uri}, {"range", view.lines.json(view.lines.range(place))}};
}

// The label of the marked place is told as well: an editor shows no text beside its mark.
Json related(const View& view, const Diagnostic& one) {
  Json all = Json::array();
  for (const Label& label : one.labels) {
    if (label.text.empty() && label.primary && is_here(view, label.place)) continue;
    all.push_back(
        {{"location", location(view, label.place)}, {"message", label.text.empty() ? "see here" : label.text}});
  }
  return all;
}

}  // namespace

const Label* label_here(const View& view, const Diagnostic& one) {
  const auto found = std::ranges::find_if(one.labels, [&](const Label& label) { return is_here(view, label.place); });
  return found == one.labels.end() ? nullptr : &*found;
}

Json diagnostics_of(const View& view) {
  Json all = Json::array();
  for (const Diagnostic& one : view.analysis.diagnostics) {
    const Label* const here = label_here(view, one);
    const TextRange range = here == nullptr ? TextRange{} : view.lines.range(here->place);
    all.push_back({{"range", view.lines.json(range)},
                   {"severity", protocol_severity(one.severity)},
                   {"code", one.slug},
                   {"codeDescription", {{"href", "tessera-doc:/errors/" + one.slug + ".md"}}},
                   {"source", "tessera"},
                   {"message", one.help.empty() ? one.message : one.message + "\nhelp: " + one.help},
                   {"relatedInformation", related(view, one)}});
  }
  return all;
}

}  // namespace tessera::repl
