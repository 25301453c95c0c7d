#include "bench/choose/choose_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "bench/choose/choose_measured.hpp"
#include "bench/choose/choose_programs.hpp"
#include "bench/choose/edge_search.hpp"
#include "bench/choose/training.hpp"
#include "bench/timing.hpp"
#include "synth/choose/choose.hpp"
#include "synth/program/choice/memory.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/verify/choice.hpp"

namespace tessera::bench {

namespace {

using namespace synth;

struct ChooseRow {
  const char* name;
  const char* mesh;
  Machine machine;
  bool trains;
  BlockShape shape;
  double memory = 0;  // of what the fastest program needs; 0: no device has a limit
};

Machine flat() { return {}; }
Machine slow() { return {{{"device", 8, 12.5e9, 5e-6}}, {}}; }
Machine two_levels(double flops) {
  return {{{"node", 2, 12.5e9, 5e-6}, {"device", 4, 100e9, 1e-6}}, {{8, flops, 100e9, 0}}};
}

BlockShape blocks(int count) {
  BlockShape shape;
  shape.blocks = count;
  return shape;
}
BlockShape samples(std::int64_t count) {
  BlockShape shape;
  shape.samples = count;
  return shape;
}

std::vector<ChooseRow> rows() {
  return {
      {"block, flat", "d:8", flat(), true, {}},
      {"block, 8 samples, 12.5 GB/s", "d:8", slow(), true, samples(8)},
      {"4 blocks, flat", "d:8", flat(), true, blocks(4)},
      {"24 blocks, flat", "d:8", flat(), true, blocks(24)},
      {"24 blocks forward, flat", "d:8", flat(), false, blocks(24)},
      {"block forward, flat", "x:2,y:4", flat(), false, {}},
      {"block, flat", "x:2,y:4", flat(), true, {}},
      {"block, two levels", "x:2,y:4", two_levels(1e12), true, {}},
      {"block, 16 samples, two levels, 3.9e12", "x:2,y:4", two_levels(3.9e12), true, samples(16)},
      {"block, flat, 0.8 of its memory", "d:8", flat(), true, {}, 0.8},
      {"block, 8 samples, 12.5 GB/s, 0.8 of its memory", "d:8", slow(), true, samples(8), 0.8},
      {"block, flat, 0.8 of its memory", "x:2,y:4", flat(), true, {}, 0.8},
      {"block on three axes, flat", "x:2,y:2,z:2", flat(), true, {}},
      {"block on three axes, two levels", "x:2,y:2,z:2", two_levels(1e12), true, {}},
      {"block on three axes, 16 samples, two levels, 3.9e12", "x:2,y:2,z:2", two_levels(3.9e12), true, samples(16)},
  };
}

// The parameters as somebody writes them by hand, all else chosen: whole, or each split along its first dimension over
// all axes; inputs are split so in both.
ChoiceProblem with_parameters(ChoiceProblem problem, bool weights_whole) {
  for (ChoiceNode& node : problem.nodes) {
    if (node.operation || !node.result || node.pin) continue;
    const bool is_weight = !node.uses.empty();
    std::vector<AxisList> splits(problem[*node.result].shape.size());
    for (const std::size_t axis : problem.axes) {
      if (!is_weight || !weights_whole) splits[0].push_back(whole_axis(*problem.mesh, axis));
    }
    auto layout = Layout::make(*problem.mesh, std::move(splits));
    if (layout.ok()) node.pin = std::move(layout).value();
  }
  return problem;
}

// Nothing where the program does not train, which has no parameters that a step changes, and over three axes, where
// each rival is a search by rounds.
std::string seconds_of_rival(const ChooseRow& row, const ChoiceProblem& problem, bool weights_whole, bool json) {
  if (!row.trains || problem.axes.size() > 2) return json ? "null" : "-";
  PlanCache cache(row.machine);
  const auto choice = choose(with_parameters(problem, weights_whole), cache);
  if (!choice.ok()) return json ? "null" : "-";
  return json ? fmt::format("{}", choice->seconds) : fmt::format("{:.4g}", choice->seconds);
}

// Devices that hold so much of what the fastest program needs.
Machine with_memory(const ChooseRow& row, ChoiceProblem& problem) {
  problem.lives = lives_in_order(problem);
  PlanCache cache(row.machine);
  const auto fastest = choose(problem, cache);
  if (!fastest.ok()) return row.machine;
  const std::vector<std::int64_t> peaks = MemoryUse(problem, *fastest).peaks();
  Machine machine = with_every_device(row.machine, problem.mesh->devices_end());
  for (DeviceKind& kind : machine.devices)
    kind.memory_bytes = static_cast<std::int64_t>(row.memory * static_cast<double>(std::ranges::max(peaks)));
  return machine;
}

bool print_row(const ChooseRow& given, bool json) {
  ChooseRow row = given;
  const MeshRef mesh = parse_mesh(row.mesh).value();
  ChoiceProblem problem = transformer(mesh, row.shape, row.trains);
  if (row.memory > 0) row.machine = with_memory(row, problem);
  PlanCache cache(row.machine);
  base::Result<LayoutChoice> choice = LayoutChoice{};
  const double took = seconds_of([&] { choice = choose(problem, cache); }, Clock::cpu);
  if (!choice.ok()) {
    fmt::print("{} on {}: {}\n", row.name, row.mesh, choice.errors()[0].message);
    return false;
  }
  const auto fault = fault_of_choice(problem, *choice, row.machine);
  const std::string whole = seconds_of_rival(row, problem, true, json);
  const std::string sharded = seconds_of_rival(row, problem, false, json);
  const char* line =
      json ? R"({{"program":"{}","mesh":"{}","operations":{},"choices":{},"plans":{},"cpu_seconds":{:.3f},)"
             R"("seconds":{},"gap":{:.1e},"proof":"{}","data_seconds":{},"sharded_seconds":{},)"
             R"("verified":{}}})"
             "\n"
           : "| {} | `{}` | {} | {} | {} | {:.2f} s | {:.4g} | {:.1e} | {} | {} | {} | {} |\n";
  fmt::print(fmt::runtime(line), row.name, row.mesh, choice->operations, choice->strategies, choice->plans, took,
             choice->seconds, choice->gap(), choice->shortage ? "memory" : name(choice->proof), whole, sharded, !fault);
  return !fault;
}

// A problem of the contest: the best answer that was found, and the bound.
int run_problem(const ChooseBench& options) {
  std::ifstream in(options.problem, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.fail() && text.empty()) {
    fmt::print(stderr, "cannot read {}\n", options.problem);
    return 2;
  }
  const ReadEdgeProblem read = read_edge_problem(text);
  if (!read.fault.empty()) {
    fmt::print(stderr, "{}: {}\n", options.problem, read.fault);
    return 2;
  }
  EdgeSearchOptions search;
  search.entries = options.entries;
  EdgeAnswer answer;
  const double took = seconds_of([&] { answer = solve(read.problem, search); }, Clock::cpu);
  const bool is_found = !answer.strategies.empty();
  const double gap = is_found && answer.cost > 0 ? (answer.cost - answer.bound) / answer.cost : 0;
  const char* line =
      options.json ? R"({{"problem":"{}","nodes":{},"edges":{},"cost":{},"bound":{:.0f},"gap":{:.1e},"peak":{:.0f},)"
                     R"("limit":{:.0f},"rounds":{},"cpu_seconds":{:.2f}}})"
                     "\n"
                   : "{}: {} nodes, {} edges\ncost   {}\nbound  {:.0f}, gap {:.1e}\nusage  {:.0f} of {:.0f}\n"
                     "took   {} rounds, {:.2f} s (CPU)\n";
  fmt::print(fmt::runtime(line), read.problem.name, read.problem.nodes.size(), read.problem.edges.size(),
             is_found ? fmt::format("{:.0f}", answer.cost) : "null", answer.bound, gap,
             is_found ? peak_of(read.problem, answer.strategies) : 0, read.problem.usage_limit, answer.rounds, took);
  return is_found ? 0 : 1;
}

}  // namespace

int run(const ChooseBench& options) {
  if (!options.problem.empty()) return run_problem(options);
  if (options.measured) return run_measured(options);
  if (!options.json) {
    fmt::print(
        "| transformer | mesh | operations | strategies | plans | took (CPU) | seconds | gap | proof | "
        "data parallel | sharded | verified |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  }
  bool all_well = true;
  for (const ChooseRow& row : rows()) {
    if (std::string(row.name).find(options.only) == std::string::npos) continue;
    all_well = print_row(row, options.json) && all_well;
  }
  if (!options.json) all_well = print_programs(options) && all_well;
  return all_well ? 0 : 1;
}

}  // namespace tessera::bench
