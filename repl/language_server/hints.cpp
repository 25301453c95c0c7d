// Hints in the margin: the layout that a `let` got, and behind every operation that moves bytes what it moves.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "repl/language_server/answers.hpp"
#include "repl/session/report.hpp"
#include "tessera/units.hpp"

namespace tessera::repl {

namespace {

constexpr int kTypeHint = 1;
constexpr std::size_t kToldMax = 3;  // moves of one expression

// Texts of the moves of one expression, each once, and what they receive together.
struct Moved {
  std::vector<std::string> texts;
  std::string details;
  std::int64_t bytes = 0;

  // `detail` gives the line that explains the text; it is asked only for texts that are new.
  template <class Detail>
  void add(std::string text, std::int64_t received, const Detail& detail) {
    bytes = std::max(bytes, received);
    if (std::find(texts.begin(), texts.end(), text) != texts.end()) return;
    texts.push_back(std::move(text));
    details += detail();
  }

  std::string label() const {
    std::string all;
    for (std::size_t k = 0; k < std::min(texts.size(), kToldMax); ++k) all += (k == 0 ? "" : ", ") + texts[k];
    if (texts.size() > kToldMax) all += fmt::format(", {} more", texts.size() - kToldMax);
    return "⇄ " + all;
  }
};

std::string seconds_of(const View& view, double seconds) {
  return view.machine.levels.empty() ? "" : " " + seconds_text(seconds);
}

std::map<TextRange, Moved> moves_by_place(const View& view, TextRange range) {
  std::map<TextRange, Moved> all;
  for (const TextMove& move : view.analysis.moves) {
    const Redistribution& one = move.redistribution;
    const std::int64_t bytes = one.plan.received_bytes_total();
    if (bytes == 0 || !holds(range, move.range.end)) continue;
    all[move.range].add(move_text(one) + seconds_of(view, one.plan.seconds()), bytes,
                        [&] { return fmt::format("{} -> {}, for {}\n", one.plan.from(), one.plan.to(), one.who); });
  }
  for (const TextPartsMoved& moved : view.analysis.parts_moved) {
    const PartsMoved& one = moved.parts;
    if (one.received_bytes == 0 || !holds(range, moved.range.end)) continue;
    const std::string text =
        fmt::format("{} {}{}", one.who, one.is_most ? "at most " : "", bytes_text(one.received_bytes));
    all[moved.range].add(text, one.received_bytes, [&] { return fmt::format("{} {}\n", one.who, what_it_does(one)); });
  }
  return all;
}

}  // namespace

std::string move_text(const Redistribution& move) {
  std::string names;
  for (const Plan::Step& step : move.plan.steps()) {
    if (step.received_bytes_total > 0) names += (names.empty() ? "" : " + ") + step.op;
  }
  return names.empty() ? "" : fmt::format("{} {}", names, bytes_text(move.plan.received_bytes_total()));
}

Json hints_of(const View& view, TextRange range, const EditorSettings& settings) {
  Json all = Json::array();
  if (settings.hints == EditorSettings::Hints::off) return all;
  for (const auto& [place, moved] : moves_by_place(view, range)) {
    if (moved.bytes < settings.least_bytes) continue;
    all.push_back({{"position", view.lines.json(place.end)},
                   {"label", moved.label()},
                   {"tooltip", moved.details},
                   {"paddingLeft", true}});
  }
  if (settings.hints == EditorSettings::Hints::bytes) return all;
  for (const UntypedLet& let : view.analysis.untyped_lets) {
    if (!holds(range, let.name.end)) continue;
    const std::string text = ": " + let.type;
    all.push_back({{"position", view.lines.json(let.name.end)},
                   {"label", text},
                   {"kind", kTypeHint},
                   {"textEdits", {{{"range", view.lines.json({let.name.end, let.name.end})}, {"newText", text}}}}});
  }
  return all;
}

}  // namespace tessera::repl
