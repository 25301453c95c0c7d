#include "repl/render/placements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "repl/render/table.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

std::string levels_text(const Machine& machine) {
  std::vector<std::string> levels;
  for (const MachineLevel& level : machine.levels) levels.push_back(fmt::format("{}:{}", level.name, level.count));
  return levels.empty() ? "one level" : fmt::format("{}", fmt::join(levels, ","));
}

std::string head(const PlacementRanking& ranking, const Machine& machine) {
  const std::string mesh = ranking.mesh.empty() ? "" : "mesh " + ranking.mesh + ": ";
  std::string text = fmt::format("{}{} on {}; {}, {} priced\n", mesh, ranking.axes, levels_text(machine),
                                 counted(ranking.count, "matrix", "matrices"), ranking.priced);
  if (ranking.examined < ranking.count) text += fmt::format("only the first {} were looked at\n", ranking.examined);
  return text;
}

std::string times_text(const PlacedMove& move) {
  return fmt::format("{:.6g}x{}", move.times, move.times_are_known ? "" : " (unknown, taken for that)");
}

std::string moves_text(const RankedPlacement& placement) {
  std::string text = fmt::format("\nunder {}:\n", to_text(placement.matrix));
  for (const PlacedMove& move : placement.moves) {
    text += fmt::format("  {} {} -> {}   {} each (at least {})\n", times_text(move), move.from, move.to,
                        seconds_text(move.seconds), seconds_text(move.lower_bound_seconds));
    for (const std::string& program : move.programs) text += fmt::format("      {}\n", program);
  }
  return text;
}

}  // namespace

std::string placements_text(const PlacementRanking& ranking, const Machine& machine) {
  if (ranking.best.empty() || ranking.best.front().moves.empty()) {
    return head(ranking, machine) + "nothing is moved: every placement is as good\n";
  }
  std::vector<Row> rows = {{"placement", "time", "/bound", ""}};
  for (const RankedPlacement& one : ranking.best) {
    rows.push_back({to_text(one.matrix), seconds_text(one.seconds),
                    one.lower_bound_seconds > 0 ? fmt::format("{:.2f}", one.seconds / one.lower_bound_seconds) : "-",
                    one.is_row_major ? "row-major" : ""});
  }
  return head(ranking, machine) + table(rows) + moves_text(ranking.best.front()) + modelled_text(machine) + "\n";
}

std::string placements_json(const PlacementRanking& ranking) {
  nlohmann::ordered_json best = nlohmann::ordered_json::array();
  for (const RankedPlacement& one : ranking.best) {
    nlohmann::ordered_json moves = nlohmann::ordered_json::array();
    for (const PlacedMove& move : one.moves) {
      moves.push_back({{"from", move.from},
                       {"to", move.to},
                       {"times", move.times},
                       {"times_known", move.times_are_known},
                       {"seconds", move.seconds},
                       {"lower_bound_seconds", move.lower_bound_seconds},
                       {"programs", move.programs}});
    }
    best.push_back({{"place", one.matrix},
                    {"row_major", one.is_row_major},
                    {"seconds", one.seconds},
                    {"lower_bound_seconds", one.lower_bound_seconds},
                    {"moves", std::move(moves)}});
  }
  nlohmann::ordered_json line = {{"mesh", ranking.axes},         {"name", ranking.mesh},     {"count", ranking.count},
                                 {"examined", ranking.examined}, {"priced", ranking.priced}, {"best", std::move(best)}};
  return line.dump();
}

}  // namespace tessera::repl
