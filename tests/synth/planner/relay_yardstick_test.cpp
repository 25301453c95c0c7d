// Random changes of layout between two meshes, disjoint and overlapping, on machines of one level and of two: how far
// plans stay from the bound. And random sets of boxes on hosts, beside broadcasts of whole boxes in a good order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bench/planner/problems.hpp"
#include "synth/moves/prices/holder_bound.hpp"
#include "synth/moves/transfer/relay_search.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/rivals/alpa.hpp"
#include "synth/planner/text/print_text.hpp"

namespace tessera::synth::test {
namespace {

// Builds that are slow to run take fewer.
#ifdef NDEBUG
constexpr std::size_t kChangesOfClass = 500;
#else
constexpr std::size_t kChangesOfClass = 25;
#endif

constexpr double kHugeTile = 64.0 * 1024 * 1024 * 1024;

class BoxDice {
 public:
  explicit BoxDice(std::uint64_t seed) : state_(seed) {}
  std::size_t roll(std::size_t sides) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % sides;
  }

 private:
  std::uint64_t state_;
};

struct Spread {
  double logarithms = 0;
  double worst = 0;
  std::size_t count = 0;
  std::string worst_plan;
  void add(double ratio, const std::string& plan = {}) {
    logarithms += std::log(ratio);
    if (ratio > worst) worst_plan = plan;
    worst = std::max(worst, ratio);
    ++count;
  }
  double mean() const { return std::exp(logarithms / static_cast<double>(count)); }
};

// ---- Meshes ----

enum class Lie : std::uint8_t { disjoint, overlapping };

struct Class {
  const char* name;
  bench::Meshes meshes;
  Lie lie;
  bench::MachineShape shape;
  double mean_most;
  double worst_most;
};

const std::vector<Class> kClasses = {
    {"DisjointPowersFlat", bench::Meshes::powers_of_two, Lie::disjoint, bench::MachineShape::flat, 1.01, 1.05},
    {"DisjointPowersSteep", bench::Meshes::powers_of_two, Lie::disjoint, bench::MachineShape::steep, 1.01, 1.05},
    {"DisjointPowersMild", bench::Meshes::powers_of_two, Lie::disjoint, bench::MachineShape::mild, 1.01, 1.05},
    {"DisjointOthersFlat", bench::Meshes::others, Lie::disjoint, bench::MachineShape::flat, 1.01, 1.3},
    {"DisjointOthersSteep", bench::Meshes::others, Lie::disjoint, bench::MachineShape::steep, 1.01, 1.3},
    {"DisjointOthersMild", bench::Meshes::others, Lie::disjoint, bench::MachineShape::mild, 1.01, 1.3},
    {"OverlappingPowersFlat", bench::Meshes::powers_of_two, Lie::overlapping, bench::MachineShape::flat, 1.02, 1.7},
    {"OverlappingPowersSteep", bench::Meshes::powers_of_two, Lie::overlapping, bench::MachineShape::steep, 1.02, 1.7},
    {"OverlappingPowersMild", bench::Meshes::powers_of_two, Lie::overlapping, bench::MachineShape::mild, 1.02, 1.7},
    {"OverlappingOthersFlat", bench::Meshes::others, Lie::overlapping, bench::MachineShape::flat, 1.02, 1.7},
    {"OverlappingOthersSteep", bench::Meshes::others, Lie::overlapping, bench::MachineShape::steep, 1.02, 1.7},
    {"OverlappingOthersMild", bench::Meshes::others, Lie::overlapping, bench::MachineShape::mild, 1.02, 1.7},
};

// A node of 8 devices, of 4 where there are few; as many nodes as both meshes need.
Machine machine_of_class(const Class& of, std::int64_t devices, const ArrayType& from, const ArrayType& to) {
  const std::int64_t node = devices < 32 ? 4 : 8;
  const std::int64_t nodes = (devices + node - 1) / node;
  Machine machine;
  switch (of.shape) {
    case bench::MachineShape::flat: machine.levels = {{"device", nodes * node, 100e9, 1e-6}}; break;
    case bench::MachineShape::steep:
      machine.levels = {{"node", nodes, 12.5e9, 5e-6}, {"device", node, 300e9, 1e-6}};
      break;
    case bench::MachineShape::mild:
      machine.levels = {{"node", nodes, 100e9, 5e-6}, {"device", node, 50e9, 1e-6}};
      break;
  }
  const auto tile = static_cast<double>(std::max(tile_bytes_max(from), tile_bytes_max(to)));
  for (MachineLevel& level : machine.levels) level.bandwidth_bytes_per_second *= tile / kHugeTile;
  return machine;
}

// The same splits on the mesh of another problem: two ends that know nothing of each other.
struct TwoMeshes {
  ArrayType from;
  ArrayType to;
};

std::optional<TwoMeshes> two_meshes(const ArrayType& first, const ArrayType& second, Lie lie) {
  if (first.rank() != second.rank()) return std::nullopt;
  const std::int64_t begin = lie == Lie::disjoint ? first.devices() : first.devices() / 2;
  const auto on = Mesh::make_on(second.mesh().axes(), {{begin, begin + second.devices()}});
  // Every cut of either divides: the square of a number that both divide.
  const std::int64_t side = std::lcm(first.devices(), second.devices());
  Shape shape;
  for (std::size_t d = 0; d < first.rank(); ++d) shape.push_back(side * side);
  auto from = ArrayType::make(ElementType::f32, shape, first.mesh_ref(), first.layout());
  auto to = ArrayType::make(ElementType::f32, shape, *on, second.layout());
  constexpr double kBytesMax = 1e16;
  double bytes = 1;
  for (const std::int64_t extent : shape) bytes *= static_cast<double>(extent);
  if (bytes > kBytesMax || !from.ok() || !to.ok()) return std::nullopt;
  return TwoMeshes{*from, *to};
}

class BetweenRandomMeshes : public ::testing::TestWithParam<Class> {};

TEST_P(BetweenRandomMeshes, PlansAreNearTheBound) {
  const Class& of = GetParam();
  const auto problems = bench::problems(of.meshes, bench::Extents::even, 6 * kChangesOfClass, 15);
  Spread spread;
  for (std::size_t i = 0; i + 1 < problems.size() && spread.count < kChangesOfClass; i += 2) {
    const auto ends = two_meshes(problems[i].from, problems[i + 1].to, of.lie);
    if (!ends) continue;
    const std::int64_t devices = std::max(ends->from.mesh().devices_end(), ends->to.mesh().devices_end());
    const auto made = plan(ends->from, ends->to, machine_of_class(of, devices, ends->from, ends->to));
    ASSERT_TRUE(made.ok()) << made.errors()[0].message;
    if (made->lower_bound_seconds == 0) continue;
    spread.add(made->seconds / made->lower_bound_seconds, print_text(*made));
  }
  RecordProperty("mean", fmt::format("{:.4f}", spread.mean()));
  RecordProperty("worst", fmt::format("{:.3f}", spread.worst));
  EXPECT_GE(spread.count, kChangesOfClass / 2);
  EXPECT_LE(spread.mean(), of.mean_most);
  EXPECT_LE(spread.worst, of.worst_most) << spread.worst_plan;
}

std::string class_name(const ::testing::TestParamInfo<Class>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Class, BetweenRandomMeshes, ::testing::ValuesIn(kClasses), class_name);

// ---- Boxes ----

constexpr std::int64_t kDevicesOfHost = 4;
constexpr double kHostBandwidth = 1.25e9;

// Some hosts send, others receive; each box is held by a device of one or several senders, and needed by all devices of
// one or several receivers.
struct BoxSet {
  std::int64_t senders = 0;
  std::int64_t receivers = 0;
  std::vector<RelayTask> tasks;
};

std::vector<std::int64_t> some_of(std::int64_t count, BoxDice& dice) {
  std::vector<std::int64_t> chosen;
  while (chosen.empty()) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (dice.roll(2) == 0) chosen.push_back(i);
    }
  }
  return chosen;
}

BoxSet any_boxes(std::int64_t senders, std::int64_t receivers, std::size_t count, BoxDice& dice) {
  BoxSet set{senders, receivers, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t mebibytes = 256 + static_cast<std::int64_t>(dice.roll(769));
    RelayTask task;
    task.box.push_back(Interval{0, mebibytes * 1024 * 256});
    for (const std::int64_t host : some_of(senders, dice)) {
      for (std::int64_t d = 0; d < kDevicesOfHost; ++d)
        task.holders.push_back(static_cast<std::int32_t>(host * kDevicesOfHost + d));
    }
    for (const std::int64_t host : some_of(receivers, dice)) {
      for (std::int64_t d = 0; d < kDevicesOfHost; ++d)
        task.needers.push_back(static_cast<std::int32_t>((senders + host) * kDevicesOfHost + d));
    }
    set.tasks.push_back(std::move(task));
  }
  return set;
}

// What no algorithm can beat: into each host what it needs, out of all sets of hosts what they hold alone.
double bound_of_boxes(const BoxSet& set) {
  const std::int64_t hosts = set.senders + set.receivers;
  std::vector<double> into(static_cast<std::size_t>(hosts), 0);
  std::vector<HeldBytes> held;
  for (const RelayTask& task : set.tasks) {
    const auto bytes = static_cast<double>(elements(task.box) * 4);
    Children holders = no_children(hosts);
    for (const std::int32_t device : task.holders) insert(holders, device / kDevicesOfHost);
    held.push_back({holders, bytes});
    for (std::size_t i = 0; i < task.needers.size(); i += kDevicesOfHost)
      into[static_cast<std::size_t>(task.needers[i] / kDevicesOfHost)] += bytes;
  }
  return std::max(*std::max_element(into.begin(), into.end()) / kHostBandwidth,
                  holder_bound(held, UnitLinks{kHostBandwidth, 0}));
}

double seconds_of_relay(const BoxSet& set, const Cluster& cluster, double bound) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::int64_t sends : {300, 2000}) {
    RelayRecipe recipe =
        find_relay(cluster, set.tasks, 4, bound, relay_parts(set.tasks, 4, sends), RelayTrees::hubs_and_halves);
    const auto transfer = transfer_of(set.tasks, recipe);
    EXPECT_TRUE(transfer.has_value());
    const TransferCost cost(cluster, *transfer, 4);
    best = std::min(best, cost.seconds(cost.best_stretches_of_any()));
  }
  return best;
}

TEST(RandomBoxes, AreWithinTwoHundredthsOfTheBound) {
  struct Size {
    std::int64_t senders;
    std::int64_t receivers;
    std::size_t boxes;
  };
  const std::vector<Size> sizes = {{2, 2, 4}, {2, 4, 8}, {4, 4, 10}, {4, 4, 20}, {4, 8, 24}, {8, 8, 40}};
  BoxDice dice(3);
  Spread ours;
  Spread broadcasts;
  for (const Size& size : sizes) {
    for (int i = 0; i < 12; ++i) {
      const BoxSet set = any_boxes(size.senders, size.receivers, size.boxes, dice);
      const Cluster cluster(*machine_for(
          {{{"host", size.senders + size.receivers, kHostBandwidth, 20e-6}, {"device", kDevicesOfHost, 120e9, 5e-6}}},
          1));
      const double bound = bound_of_boxes(set);
      ours.add(seconds_of_relay(set, cluster, bound) / bound);
      broadcasts.add(rivals::best_order(rivals::host_boxes(cluster, set.tasks, 4)).seconds / bound);
    }
  }
  RecordProperty("ours", fmt::format("{:.4f} {:.3f}", ours.mean(), ours.worst));
  RecordProperty("alpa", fmt::format("{:.4f} {:.3f}", broadcasts.mean(), broadcasts.worst));
  EXPECT_LE(ours.mean(), 1.005);
  EXPECT_LE(ours.worst, 1.02);
  EXPECT_GT(broadcasts.mean(), ours.mean());
}

}  // namespace
}  // namespace tessera::synth::test
