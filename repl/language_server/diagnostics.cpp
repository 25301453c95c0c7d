#include "repl/language_server/answers.hpp"

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

// The label of the place itself is told as well: an editor shows no text beside its mark.
Json related(const View& view, const Diagnostic& one) {
  Json all = Json::array();
  for (const Label& label : one.labels) {
    if (label.text.empty() && label.primary) continue;
    all.push_back({{"location", {{"uri", view.uri}, {"range", view.lines.json(view.lines.range(label.place))}}},
                   {"message", label.text.empty() ? "see here" : label.text}});
  }
  return all;
}

}  // namespace

Json diagnostics_of(const View& view) {
  Json all = Json::array();
  for (const Diagnostic& one : view.analysis.diagnostics) {
    const TextRange range = one.labels.empty() ? TextRange{} : view.lines.range(one.labels.front().place);
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
