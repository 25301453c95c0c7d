#include "typeck/typed/local_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units_text.hpp"
#include "typeck/typed/place_text.hpp"
#include "typeck/typed/walk.hpp"

namespace tessera::typeck {

std::vector<LocalWork> local_work(const Typed& typed, const Region& region, const synth::Machine& machine) {
  std::vector<LocalWork> all;
  if (machine.devices.empty()) return all;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    const auto* compute = std::get_if<Compute>(&node.body);
    if (compute == nullptr || node.types.size() != 1) return;
    std::vector<synth::ArrayType> operands;
    for (const NodeId operand : compute->operands) {
      if (typed.nodes[operand].types.size() != 1) return;
      operands.push_back(typed.nodes[operand].types[0]);
    }
    const auto cost = synth::compute_cost(machine, compute->operation, operands, node.types[0]);
    if (cost && cost->seconds > 0) all.push_back({node.span, synth::describe(compute->operation), *cost});
  };
  Walk(typed, visit).region(region);
  return all;
}

std::string local_work_text(const std::vector<LocalWork>& work, const base::SourceMap& sources,
                            const std::function<std::uint32_t(base::SourceId)>& first_line) {
  constexpr std::size_t kTold = 3;
  if (work.empty()) return "";
  double slowest = 0;
  double fastest = 0;
  std::vector<const LocalWork*> longest;
  for (const LocalWork& one : work) {
    slowest += one.cost.seconds;
    fastest += one.cost.fastest_seconds;
    longest.push_back(&one);
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const LocalWork* a, const LocalWork* b) { return a->cost.seconds > b->cost.seconds; });
  longest.resize(std::min(longest.size(), kTold));
  std::string text = fmt::format("local steps take {} by the machine model; the first device is done after {}\n",
                                 base::seconds_text(slowest), base::seconds_text(fastest));
  for (const LocalWork* one : longest) {
    text += fmt::format("  {}{}: {} on device {}, {} on the fastest\n", one->step,
                        place(sources, first_line, one->span), base::seconds_text(one->cost.seconds), one->cost.slowest,
                        base::seconds_text(one->cost.fastest_seconds));
  }
  return text;
}

}  // namespace tessera::typeck
