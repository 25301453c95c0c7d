#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/render/placements.hpp"
#include "tessera/placement.hpp"

namespace tessera::repl {

namespace {

int answer(const std::vector<PlacementRanking>& rankings, const Machine& machine, bool json, Console& console) {
  for (const PlacementRanking& one : rankings) {
    console.out(json ? placements_json(one) + "\n" : placements_text(one, machine));
  }
  return kExitDone;
}

int place_mesh(const PlaceOptions& options, Machine machine, Console& console) {
  PlacementRequest request;
  request.mesh = *options.mesh;
  for (std::size_t i = 0; i < options.from.size(); ++i) {
    request.moves.push_back({options.from[i], options.to[i], options.times.empty() ? 1 : options.times[i]});
  }
  request.machine = std::move(machine);
  request.best = options.best;
  const auto ranking = rank_placements(request);
  if (!ranking) return failed(ranking.diagnostics(), console);
  return answer({*ranking}, request.machine, options.json, console);
}

int place_script(const PlaceOptions& options, Console& console) {
  const auto read = script_to_check(*options.file, options.machine_file, {}, console);
  if (!read) return kExitCommand;
  const auto rankings = rank_placements(read->script.text, read->script.name, read->config, options.best);
  if (!rankings) return failed(rankings.diagnostics(), console);
  return answer(*rankings, read->config.machine, options.json, console);
}

}  // namespace

int perform(const PlaceOptions& options, Console& console) {
  if (options.file) return place_script(options, console);
  auto machine = read_machine(options.machine_file, console);
  return machine ? place_mesh(options, std::move(*machine), console) : kExitCommand;
}

}  // namespace tessera::repl
