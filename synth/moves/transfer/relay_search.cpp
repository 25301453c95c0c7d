#include "synth/moves/transfer/relay_search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/moves/transfer/relay_ways.hpp"

namespace tessera::synth {

namespace {

// How often parts choose anew, and how sharply busy links count at first and at last: the fourth power and the 32nd.
// Once no link is busier than so many times the bound, only the last two passes are made; so they are after the first,
// where there are so many sends: they balance one another, and a pass takes long.
constexpr int kPasses = 5;
constexpr std::size_t kManySends = 12'000;
constexpr int kBlunt = 2;
constexpr int kSharpest = 5;
constexpr double kBusyEnough = 1.001;

constexpr std::array<std::int32_t, 22> kParts = {1,  2,  3,  4,  5,  6,  7,  8,  12, 14,  16,
                                                 20, 24, 28, 32, 40, 48, 56, 64, 96, 128, 256};

struct TaskPart {
  std::size_t task = 0;
  double bytes = 0;
  Hands way;
};

double bytes_of_task(const RelayTask& task, std::int64_t element_bytes) {
  return static_cast<double>(elements(task.box) * element_bytes * task.arrays);
}

std::int64_t longest(const Box& box) {
  std::int64_t length = 1;
  for (const Interval& interval : box) length = std::max(length, interval.length());
  return length;
}

std::vector<TaskPart> parts_of(const std::vector<RelayTask>& tasks, const std::vector<std::int32_t>& counts,
                               std::int64_t element_bytes) {
  std::vector<TaskPart> parts;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const double bytes = bytes_of_task(tasks[t], element_bytes) / static_cast<double>(counts[t]);
    for (std::int32_t k = 0; k < counts[t]; ++k) parts.push_back(TaskPart{t, bytes, {}});
  }
  return parts;
}

// A device passes on in the next hop what it gets in one. A way names senders after they have got the part.
// `got` has a place for every device of the run, for the hops until it has the part: 0 before and after.
std::int64_t hops_of(const Hands& way, std::vector<std::int64_t>& got) {
  std::int64_t hops = 0;
  for (const Hand& hand : way) {
    const std::int64_t hop = got[static_cast<std::size_t>(hand.from)] + 1;
    got[static_cast<std::size_t>(hand.to)] = hop;
    hops = std::max(hops, hop);
  }
  for (const Hand& hand : way) got[static_cast<std::size_t>(hand.to)] = 0;
  return hops;
}

RelayPart part_of(const RelayTask& task, const Hands& way) {
  RelayPart part;
  part.sources.resize(task.needers.size());
  for (const Hand& hand : way) {
    const auto at = std::lower_bound(task.needers.begin(), task.needers.end(), hand.to) - task.needers.begin();
    part.sources[static_cast<std::size_t>(at)] = hand.from;
  }
  return part;
}

// Parts that go the same way are one.
RelayRecipe recipe_of(const std::vector<RelayTask>& tasks, const std::vector<TaskPart>& parts) {
  std::vector<std::map<std::vector<std::int32_t>, std::int32_t>> weights(tasks.size());
  for (const TaskPart& part : parts) ++weights[part.task][part_of(tasks[part.task], part.way).sources];
  RelayRecipe recipe;
  for (const auto& of_task : weights) {
    std::int32_t divisor = 0;
    for (const auto& [sources, weight] : of_task) divisor = std::gcd(divisor, weight);
    auto& into = recipe.tasks.emplace_back();
    for (const auto& [sources, weight] : of_task) into.push_back(RelayPart{weight / divisor, sources});
  }
  return recipe;
}

}  // namespace

std::vector<std::int32_t> relay_parts(const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                                      std::int64_t sends_wanted, PartCounts rule) {
  double volume = 0;  // bytes times receivers
  for (const RelayTask& task : tasks)
    volume += bytes_of_task(task, element_bytes) * static_cast<double>(task.needers.size());
  std::vector<std::int32_t> counts;
  for (const RelayTask& task : tasks) {
    const double wanted = static_cast<double>(sends_wanted) * bytes_of_task(task, element_bytes) / volume;
    const auto most = static_cast<double>(longest(task.box));
    std::int32_t count = 1;
    for (const std::int32_t n : kParts) {
      if (static_cast<double>(n) <= std::min(wanted, most)) count = n;
    }
    while (rule == PartCounts::dividing && longest(task.box) % count != 0) --count;
    counts.push_back(count);
  }
  return counts;
}

RelayRecipe find_relay(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                       double bound, const std::vector<std::int32_t>& counts, RelayTrees trees) {
  std::vector<TaskPart> parts = parts_of(tasks, counts, element_bytes);
  Ways ways(cluster, bound, trees);
  std::size_t sends = 0;
  for (TaskPart& part : parts) {
    base::look_for_stop();
    part.way = ways.choose(tasks[part.task], part.bytes, false);
    sends += part.way.size();
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    const bool is_enough = (sends > kManySends && pass > 0) || ways.busiest() <= bound * kBusyEnough;
    if (is_enough) pass = std::max(pass, kPasses - 2);
    ways.sharpen(std::min(kSharpest, kBlunt + pass));
    if (pass == kPasses - 1) ways.tolerate(std::max(bound, ways.busiest()));
    for (TaskPart& part : parts) {
      base::look_for_stop();
      ways.take_out(part.way, part.bytes);
      part.way = ways.choose(tasks[part.task], part.bytes, true);
    }
  }
  RelayRecipe recipe = recipe_of(tasks, parts);
  recipe.hops = 0;
  std::vector<std::int64_t> got(static_cast<std::size_t>(cluster.devices()), 0);
  for (const TaskPart& part : parts) recipe.hops = std::max(recipe.hops, hops_of(part.way, got));
  return recipe;
}

}  // namespace tessera::synth
