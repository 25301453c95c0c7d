// Sums in which everybody in a group receives from everybody, and copies of elements that have one holder: what the
// planner and the verifier make of groups and tiles is, to the last bit, what comes of counting all pairs.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/collective/tile_exchange.hpp"
#include "synth/moves/prices/link_load.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/traffic.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/price.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using Messages = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;  // bytes, by sender and receiver

Messages messages_of(const Collective& step, const ArrayType& before, const ArrayType& after) {
  Messages all;
  const auto run = [](const Mesh& mesh, std::int32_t device) { return mesh.run_device(device); };
  for (const BoxReduction& sum : reductions(before, after)) {
    const DirectReduction direct(kind_of(step), std::ssize(*sum.contributors));
    const std::int32_t to = run(after.mesh(), sum.target);
    for (std::size_t at = 0; at < sum.contributors->size(); ++at) {
      const std::int32_t from = run(before.mesh(), (*sum.contributors)[at]);
      const std::int64_t sent =
          direct.sent(elements(sum.box), static_cast<std::int64_t>(sum.position), static_cast<std::int64_t>(at));
      if (from != to && sent > 0) all[{from, to}] += sent * bytes_of(after.element());
    }
  }
  return all;
}

Messages messages_of(const RunMachine& machine, const ArrayType& before, const ArrayType& after) {
  Messages all;
  for (const BoxCopy& copy : copies(machine, before, after)) {
    const auto from = before.mesh().run_device(copy.source);
    const auto to = after.mesh().run_device(copy.target);
    if (from != to) all[{from, to}] += elements(copy.box) * bytes_of(after.element());
  }
  return all;
}

// Busy seconds of the links of a level, out and in.
double busiest_link(const Cluster& cluster, std::size_t level, const Messages& messages) {
  std::map<std::size_t, std::int64_t> out;
  std::map<std::size_t, std::int64_t> in;
  for (const auto& [ends, bytes] : messages) {
    const std::size_t from = cluster.unit(level, ends.first);
    const std::size_t to = cluster.unit(level, ends.second);
    if (from == to) continue;
    out[from] += bytes;
    in[to] += bytes;
  }
  double longest = 0;
  for (const auto& bytes : {out, in}) {
    for (const auto& [unit, sum] : bytes)
      longest = std::max(longest, static_cast<double>(sum) / cluster.levels()[level].bandwidth_of(unit));
  }
  return longest;
}

StepCost price_of(const RunMachine& machine, const Messages& messages) {
  const Cluster cluster(machine);
  StepCost cost;
  std::map<std::int32_t, std::int64_t> received;
  std::map<std::int32_t, std::int64_t> senders;
  std::map<std::int32_t, std::int64_t> receivers;
  for (const auto& [ends, bytes] : messages) {
    cost.received_bytes_total += bytes;
    cost.received_bytes_max = std::max(cost.received_bytes_max, received[ends.second] += bytes);
    cost.peers = std::max({cost.peers, ++senders[ends.second], ++receivers[ends.first]});
  }
  Delay delay;
  double longest = 0;
  for (std::size_t level = 0; level < cluster.levels().size(); ++level) {
    const double seconds = busiest_link(cluster, level, messages);
    if (seconds > 0) delay = std::max(delay, cluster.levels()[level].delay());
    longest = std::max(longest, seconds);
  }
  cost.seconds = messages.empty() ? 0 : delay.of(static_cast<double>(cost.peers)) + longest;
  return cost;
}

// Every step that finishes some of the pending axes, in one dimension or in none; axes by their own cut where they have
// one; also cut further by an axis that nothing uses.
std::vector<std::pair<Collective, ArrayType>> all_sums_of(const ArrayType& before) {
  const AxisList& pending = before.layout().pending();
  std::vector<AxisList> used = before.layout().splits();
  used.push_back(pending);
  std::vector<std::pair<Collective, ArrayType>> all;
  const auto add = [&](const Collective& step) {
    if (auto after = apply(step, before); after.ok()) all.emplace_back(step, *after);
  };
  for (std::size_t bits = 1; bits < std::size_t{1} << pending.size(); ++bits) {
    AxisList axes;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if ((bits >> i & 1U) != 0) axes.push_back(pending[i]);
    }
    AxisList cut = axes;
    for (AxisPart& part : cut) {
      const MeshAxis& axis = before.mesh().axes()[part.axis];
      if (part.size == axis.size && !axis.cuts.empty()) part = *named_cut(before.mesh(), part.axis, axis.cuts[0].name);
    }
    add({AllReduce{axes}, Direct{}});
    for (std::size_t to = 0; to < before.rank(); ++to) {
      add({ReduceScatter{axes, to}, Direct{}});
      if (cut != axes) add({ReduceScatter{cut, to}, Direct{}});
      for (const AxisPart& free : unused(before.mesh(), used)) add({ReduceScatter{axes, to, {free}}, Direct{}});
    }
  }
  return all;
}

void expect_exact(const RunMachine& machine, const ArrayType& before) {
  for (const auto& [step, after] : all_sums_of(before)) {
    SCOPED_TRACE(print(before.mesh()) + "; " + print(before) + " -> " + print(after));
    const Messages messages = messages_of(step, before, after);
    const StepCost counted = price_of(machine, messages);
    const StepCost priced = cost(machine, step, before, after);
    EXPECT_EQ(priced.received_bytes_total, counted.received_bytes_total);
    EXPECT_EQ(priced.received_bytes_max, counted.received_bytes_max);
    EXPECT_EQ(priced.peers, counted.peers);
    EXPECT_EQ(priced.seconds, counted.seconds);
    const verifier::State state(before);
    const verifier::Holdings holdings(after);
    EXPECT_EQ(verifier::seconds_by_pairs(state, step, holdings, machine), counted.seconds);
    EXPECT_EQ(verifier::seconds_by_groups(state, step, holdings, machine), counted.seconds);
    const StepLoads loads = loads_of(machine, step, before, after);
    EXPECT_EQ(loads.all.received_bytes, counted.received_bytes_total);
    for (const LinkLoad& link : loads.all.links)
      EXPECT_EQ(link.seconds, busiest_link(Cluster(machine), link.level, messages)) << link.level;
  }
}

// Devices in units of different sizes, some of which no group's border meets; unequal links; a gap.
std::vector<RunMachine> machines_of(std::int64_t devices) {
  const auto up = [](std::int64_t count, std::int64_t unit) { return (count + unit - 1) / unit; };
  std::vector<Machine> all;
  for (const std::int64_t unit : {2, 3, 4}) {
    const std::int64_t nodes = up(devices, unit);
    std::vector<double> listed(static_cast<std::size_t>(nodes), 10e9);
    listed.back() = 3e9;
    all.push_back({{{"node", nodes, 10e9, 5e-6, 1e-6}, {"gpu", unit, 100e9, 1e-6}}});
    all.push_back({{{"node", nodes, 1, 1e-6, {}, listed}, {"gpu", unit, 100e9, 5e-6}}});
    std::vector<double> of_devices(static_cast<std::size_t>(up(nodes, 2) * 2 * unit), 100e9);
    of_devices[1] = 7e9;
    all.push_back(
        {{{"rack", up(nodes, 2), 5e9, 9e-6}, {"node", 2, 10e9, 5e-6}, {"gpu", unit, 1, 1e-6, {}, of_devices}}});
  }
  std::vector<RunMachine> made{*machine_for(Machine{}, devices)};
  for (const Machine& machine : all) made.push_back(*machine_for(machine, devices));
  return made;
}

constexpr const char* kSmallMeshes[] = {"x:4,y:3",
                                        "x:2,y:2,z:3",
                                        "x:6",
                                        "x:4 work(3,1,1,2),y:2",
                                        "x:2,y:6 place [[1,2],[3,2]]",
                                        "x:4,y:4 place [[2,2],[2,2]]",
                                        "x:4,y:2 on (6:9,0:5)",
                                        "x:2 work(3,1),y:2 cut(1,5),z:2"};

TEST(DirectSums, AreCountedByGroupsAsByPairs) {
  for (const char* text : kSmallMeshes) {
    const MeshRef on = mesh(text);
    for (const RunMachine& machine : machines_of(on->devices_end())) {
      for (const Shape& shape : {Shape{8, 6}, Shape{7, 5}, Shape{1, 3}, Shape{0, 4}, Shape{2, 1}}) {
        for (const Layout& layout : all_pending_layouts(*on, 2, ReduceOp::sum))
          expect_exact(machine, *ArrayType::make(ElementType::f32, shape, on, layout));
      }
    }
  }
}

RC_GTEST_PROP(DirectSums, AreCountedByGroupsAsByPairsWhereverAxesAreCut, ()) {
  const MeshRef on = any_mesh();
  const ArrayType before = any_type(on, any_shape(2), true);
  const std::vector<RunMachine> machines = machines_of(on->devices_end());
  expect_exact(machines[*rc::gen::inRange<std::size_t>(0, machines.size())], before);
  RC_ASSERT(!::testing::Test::HasFailure());
}

// True if all tiles of every unit are a grid and every element has one holder, so that there was something to compare.
bool expect_exact_copies(const RunMachine& machine, const ArrayType& before, const ArrayType& after) {
  SCOPED_TRACE(print(before.mesh()) + ": " + print(before) + " -> " + print(after.mesh()) + ": " + print(after));
  const Cluster cluster(machine);
  const std::int64_t element_bytes = bytes_of(after.element());
  const auto exchange = TileExchange::of(cluster, before, after);
  const verifier::State state(before);
  std::optional<double> verified;
  if (Tiling(before).copies == 1)
    verified = verifier::seconds_by_tiles(state, verifier::Holdings(after), machine, element_bytes);
  EXPECT_EQ(exchange.has_value(), verified.has_value());
  if (!exchange || !verified) return false;
  const Messages messages = messages_of(machine, before, after);
  const StepCost counted = price_of(machine, messages);
  Traffic traffic{Cluster(machine)};
  traffic.add(cluster, *exchange, element_bytes);
  const StepCost priced = traffic.cost();
  EXPECT_EQ(priced.received_bytes_total, counted.received_bytes_total);
  EXPECT_EQ(priced.received_bytes_max, counted.received_bytes_max);
  EXPECT_EQ(priced.peers, counted.peers);
  EXPECT_EQ(priced.seconds, counted.seconds);
  EXPECT_EQ(*verified, counted.seconds);
  return true;
}

TEST(CopiesOfOneHolder, AreCountedByTilesAsByPairs) {
  std::size_t compared = 0;
  std::size_t met = 0;  // each pair of types on one of the machines, in turns
  for (const char* text : kSmallMeshes) {
    const MeshRef on = mesh(text);
    const std::vector<RunMachine> machines = machines_of(on->devices_end());
    const std::vector<Layout> layouts = all_pending_layouts(*on, 2, ReduceOp::sum);
    for (const Layout& from : layouts) {
      const Shape shape = std::array{Shape{8, 6}, Shape{7, 5}, Shape{1, 3}, Shape{0, 4}}[met++ % 4];
      const ArrayType before = *ArrayType::make(ElementType::f32, shape, on, from);
      if (Tiling(before).copies > 1) continue;
      for (const Layout& to : layouts) {
        if (from.pending() != to.pending()) continue;
        const ArrayType after = *ArrayType::make(ElementType::f32, shape, on, to);
        compared += expect_exact_copies(machines[met++ % machines.size()], before, after) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 500U);
}

RC_GTEST_PROP(CopiesOfOneHolder, AreCountedByTilesAsByPairsBetweenAnyMeshes, ()) {
  const MeshRef here = any_mesh();
  const MeshRef there = *rc::gen::inRange(0, 2) == 0 ? here : any_mesh();
  const Shape shape = any_shape(2);
  const ArrayType before = any_type(here, shape, false);
  const ArrayType after = any_type(there, shape, false);
  const std::vector<RunMachine> machines = machines_of(run_devices(before, after));
  expect_exact_copies(machines[*rc::gen::inRange<std::size_t>(0, machines.size())], before, after);
  RC_ASSERT(!::testing::Test::HasFailure());
}

// Worked out by hand: 64 nodes of 32, one group of all 2,048 devices, 2 MiB each. Every device adds up 1 KiB. A node's
// 32 devices send 32 * 2,016 KiB to be added elsewhere, and their 32 sums to 2,016 devices each.
TEST(DirectSums, ArePricedByTheLinksOfAllLevelsOnManyDevices) {
  const RunMachine machine = on_run({{{"node", 64, 8e9, 5e-6}, {"gpu", 32, 270e9, 1e-6}}});
  const ArrayType before = type("f32[524288]{+x}", "x:2048");
  const Collective step{AllReduce{before.layout().pending()}, Direct{}};
  const StepCost priced = cost(*machine_for(machine, 2048), step, before, *apply(step, before));
  EXPECT_EQ(priced.peers, 2047);
  EXPECT_EQ(priced.received_bytes_total, std::int64_t{2} * 2048 * 2047 * 1024);
  EXPECT_DOUBLE_EQ(priced.seconds, 2047 * 5e-6 + 2.0 * 32 * 2016 * 1024 / 8e9);
}

// On the largest mesh no link of a step is busy for longer than the step takes, whichever level it is of.
TEST(DirectSums, OfTheLargestMeshTakeAsLongAsTheirBusiestLink) {
  const RunMachine machine = on_run({{{"rack", 64, 25e9, 1e-5}, {"node", 32, 50e9, 5e-6}, {"gpu", 32, 300e9, 1e-6}}});
  const MeshRef on = mesh("a:64,b:32,c:32");
  for (const auto& [from, to] : {std::pair{"f32[262144]{+a}", "f32[262144]"},
                                 std::pair{"f32[65536@(a,b,c),65536]", "f32[65536,65536@(a,b,c)]"}}) {
    const Plan made = planned(type(from, on), type(to, on), {}, machine);
    EXPECT_TRUE(made.verified);
    const ArrayType* before = &made.from;
    for (const PlanStep& step : made.steps) {
      for (const LinkLoad& link : loads_of(machine, step.collective, *before, step.after).all.links)
        EXPECT_LE(link.seconds, step.seconds * (1 + 1e-9)) << from << ", level " << link.level;
      before = &step.after;
    }
  }
}

// Along a the sum has copies; each makes the part that is wanted of it there. On nodes of four along b no slow link is
// crossed, where an exchange behind the sum would cross one.
TEST(DirectSums, MakeOnlyWhatIsWantedOfACopy) {
  const Machine nodes{{{"node", 5, 12.5e9, 5e-6}, {"gpu", 4, 300e9, 1e-6}}};
  for (const Machine& machine : {Machine{}, nodes}) {
    const Plan made =
        planned(type("f32[400,400,400]{+b}", "a:5,b:4"), type("f32[400@(b,a),400,400]", "a:5,b:4"), {}, machine);
    ASSERT_EQ(made.steps.size(), 1U) << print_text(made);
    EXPECT_EQ(detail(made.steps[0].collective, made.from.mesh()), "b: dim 0 cut a");
    EXPECT_EQ(made.received_bytes_total, made.lower_bound_bytes_total);
    EXPECT_LE(made.seconds, 1.03 * made.lower_bound_seconds);
    EXPECT_TRUE(made.verified);
    const auto read = read_json(print_json(made));
    ASSERT_TRUE(read.ok()) << first_message(read);
    EXPECT_EQ(print_json(*read), print_json(made));
  }
}

TEST(DirectSums, CutNoFurtherByAnAxisInUse) {
  const ArrayType before = type("f32[8@a,8]{+b}", "a:2,b:2");
  ReduceScatter scatter{{whole_axis(before.mesh(), 1)}, 1, {whole_axis(before.mesh(), 0)}};
  EXPECT_EQ(first_error(apply({scatter, Direct{}}, before)), "bad-collective");
  scatter.cut = scatter.axes;
  EXPECT_EQ(first_error(apply({scatter, Direct{}}, before)), "bad-collective");
}

}  // namespace
}  // namespace tessera::synth::test
