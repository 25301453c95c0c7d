// The machine model: prices worked out by hand, lower bounds, and bounds that no plan beats.
#include "synth/moves/prices/prices.hpp"

#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

Machine nodes_of(std::int64_t nodes, std::int64_t devices) {
  return Machine{{{"node", nodes, 10e9, 5e-6}, {"gpu", devices, 100e9, 1e-6}}};
}

Collective exchange_to(const ArrayType& to) { return {Exchange{to}, Direct{}}; }

TEST(MachineTest, WithoutLevelsIsFlat) {
  const auto flat = machine_for(Machine{}, 12);
  ASSERT_TRUE(flat.ok());
  ASSERT_EQ(flat->levels.size(), 1U);
  EXPECT_EQ(flat->levels[0].count, 12);
  EXPECT_EQ(flat->levels[0].bandwidth_bytes_per_second, 100e9);
  EXPECT_EQ(flat->levels[0].latency_seconds, 1e-6);
}

TEST(MachineTest, CountsMustMultiplyToTheDevices) {
  EXPECT_TRUE(machine_for(nodes_of(2, 4), 8).ok());
  EXPECT_EQ(first_error(machine_for(nodes_of(2, 4), 12)), "machine-mismatch");
  EXPECT_EQ(first_error(machine_for(nodes_of(0, 4), 8)), "bad-machine");
  EXPECT_EQ(first_error(machine_for(Machine{{{"n", 8, -1, 1e-6}}}, 8)), "bad-machine");
  EXPECT_EQ(first_error(machine_for(Machine{{{"n", 8, 1e9, std::nan("")}}}, 8)), "bad-machine");
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(first_error(machine_for(nodes_of(huge, huge), 8)), "bad-machine");
}

TEST(MachineTest, ListsOfBandwidthsHaveOneForEachUnit) {
  const auto listed = [](std::vector<double> nodes, std::vector<double> gpus) {
    return machine_for(Machine{{{"node", 2, 1, 0, {}, std::move(nodes)}, {"gpu", 2, 7, 0, {}, std::move(gpus)}}}, 4);
  };
  const auto machine = listed({10, 5}, {});
  ASSERT_TRUE(machine.ok());
  EXPECT_EQ(machine->levels[0].bandwidth_bytes_per_second, 10);
  EXPECT_EQ(least_bandwidth(machine->levels[0]), 5);
  EXPECT_EQ(*listed({9, 9}, {3, 3, 3, 3}), *machine_for(Machine{{{"node", 2, 9, 0}, {"gpu", 2, 3, 0}}}, 4));
  EXPECT_EQ(first_error(listed({10}, {})), "bad-machine");
  EXPECT_EQ(first_error(listed({}, {1, 2})), "bad-machine");
  EXPECT_EQ(first_error(listed({10, 0}, {})), "bad-machine");
}

// Two nodes of two, of which the second has a link half as fast: 64 bytes of each of two devices out of each node.
TEST(CostTest, OverUnequalLinks) {
  const MeshRef on = mesh("x:4");
  const ArrayType from = type("f32[16, 16@x]", on);
  const ArrayType to = type("f32[16@x, 16]", on);
  const auto seconds = [&](std::vector<double> nodes, std::vector<double> devices) {
    return cost(*machine_for(
                    Machine{{{"node", 2, 1e9, 0, {}, std::move(nodes)}, {"device", 2, 1e9, 0, {}, std::move(devices)}}},
                    4),
                exchange_to(to), from, to)
        .seconds;
  };
  EXPECT_DOUBLE_EQ(seconds({1e9, 0.5e9}, {}), 4 * 64 / 0.5e9);
  EXPECT_DOUBLE_EQ(seconds({1e9, 4e9}, {}), 4 * 64 / 1e9);
  EXPECT_DOUBLE_EQ(seconds({}, {1e9, 1e9, 1e9, 1e8}), 3 * 64 / 1e8);
}

// x:4 all to all, 64-byte tiles of 4 times 16 bytes: three peers, 48 bytes in and out.
TEST(CostTest, FlatAllToAll) {
  const MeshRef on = mesh("x:4");
  const ArrayType from = type("f32[8@x,8]", on);
  const ArrayType to = type("f32[8,8@x]", on);
  const StepCost price = cost(*machine_for(Machine{}, 4), exchange_to(to), from, to);
  EXPECT_EQ(price.received_bytes_total, 192);
  EXPECT_EQ(price.received_bytes_max, 48);
  EXPECT_EQ(price.peers, 3);
  EXPECT_DOUBLE_EQ(price.seconds, 3 * 1e-6 + 48 / 100e9);
}

// Two nodes of two: each device sends 16 bytes to each other device; a node's link carries 4 such messages each way.
// By hand: each of four devices gets 64 bytes of each of three others, one of them in its node.
TEST(CostTest, FurtherPeersTakeAGap) {
  const MeshRef on = mesh("x:4");
  Machine machine{{{"node", 2, 1e9, 5e-6}, {"device", 2, 1e9, 1e-6}}};
  const ArrayType from = type("f32[16, 16@x]", on);
  const ArrayType to = type("f32[16@x, 16]", on);
  const auto seconds = [&] { return cost(*machine_for(machine, 4), exchange_to(to), from, to).seconds; };
  const double links = 4 * 64 / 1e9;
  EXPECT_NEAR(seconds(), 3 * 5e-6 + links, 1e-12);
  machine.levels[0].gap_seconds = 1e-6;
  EXPECT_NEAR(seconds(), 5e-6 + 2 * 1e-6 + links, 1e-12);
  machine.levels[0].gap_seconds = 5e-6;
  EXPECT_EQ(seconds(), 3 * 5e-6 + links);
  machine.levels[0].gap_seconds = -1;
  EXPECT_EQ(first_error(machine_for(machine, 4)), "bad-machine");
}

TEST(CostTest, LinksOfNodesAreShared) {
  const MeshRef on = mesh("x:4");
  const ArrayType from = type("f32[8@x,8]", on);
  const ArrayType to = type("f32[8,8@x]", on);
  const StepCost price = cost(on_run(nodes_of(2, 2)), exchange_to(to), from, to);
  EXPECT_DOUBLE_EQ(price.seconds, 3 * 5e-6 + 64 / 10e9);
}

TEST(CostTest, AllReduceReceivesTwiceTheOthersShares) {
  const MeshRef on = mesh("x:4");
  const ArrayType from = type("f32[10]{+x}", on);
  const ArrayType to = type("f32[10]", on);
  const Collective step{AllReduce{from.layout().pending()}, Direct{}};
  const StepCost price = cost(*machine_for(Machine{}, 4), step, from, to);
  EXPECT_EQ(price.received_bytes_total, 2 * 40 * 3);  // 2L(p-1), exactly, though 10 does not divide
  EXPECT_EQ(price.received_bytes_max, (3 * 3 + 7) * 4);
  EXPECT_EQ(price.peers, 3);
}

TEST(CostTest, SlicesAndKeepsAreFree) {
  const MeshRef on = mesh("x:4");
  const Collective step{Slice{{AxesAt{{whole_axis(*on, 0)}, 0}}}, Direct{}};
  const StepCost price = cost(*machine_for(Machine{}, 4), step, type("f32[8]", on), type("f32[8@x]", on));
  EXPECT_EQ(price.received_bytes_total, 0);
  EXPECT_EQ(price.seconds, 0);
}

TEST(CostTest, OfCopiesIsTheSame) {
  const MeshRef on = mesh("x:4");
  const ArrayType from = type("f32[8@x,8]", on);
  const ArrayType to = type("f32[8,8@x]", on);
  const StepCost price = cost_of_copies(on_run(nodes_of(2, 2)), from.mesh(), copies(from, to), 4);
  EXPECT_DOUBLE_EQ(price.seconds, 3 * 5e-6 + 64 / 10e9);
  EXPECT_EQ(price.received_bytes_total, 192);
}

// Without the bound of kind (3) this one is loose: 8 devices of a node hold all a node has, and their own links out of
// the node's share are the neck.
TEST(LowerBoundTest, LooksAtSetsOfChildren) {
  const MeshRef on = mesh("x:8,y:8");
  const Machine machine{{{"node", 8, 12.5e9, 5e-6}, {"gpu", 8, 300e9, 1e-6}}};
  const ArrayType from = type("f32[64,64,512@y,64]", on);
  const ArrayType to = type("f32[64@y,64,512@x,64]", on);
  const Plan direct = planned(from, to, {}, machine);
  EXPECT_LE(direct.lower_bound_seconds, direct.seconds);
  EXPECT_GE(direct.lower_bound_seconds, 0.9 * direct.seconds);
}

TEST(LowerBoundTest, BytesAreWhatATargetLacks) {
  const MeshRef on = mesh("x:4,y:2");
  const auto machine = *machine_for(Machine{}, 8);
  EXPECT_EQ(lower_bound(machine, type("f32[16@y,16,16@x]", on), type("f32[16,16@(x,y),16]", on)).received_bytes_total,
            14336);
  EXPECT_EQ(lower_bound(machine, type("f32[8,8]", on), type("f32[8@x,8]", on)).seconds, 0);
  EXPECT_EQ(lower_bound(machine, type("f32[8]{+x}", on), type("f32[8]{+x}", on)).received_bytes_total, 0);
}

// C contributors, H devices that need it: C - 1 + H - 1 receives, one more if none of the H contributes.
TEST(LowerBoundTest, OfPendingSumsCountsContributors) {
  const auto machine = *machine_for(Machine{}, 4);
  const MeshRef on = mesh("x:4");
  EXPECT_EQ(lower_bound(machine, type("f32[8]{+x}", on), type("f32[8]", on)).received_bytes_total, 32 * 6);
  EXPECT_EQ(lower_bound(machine, type("f32[8]{+x}", on), type("f32[8@x]", on)).received_bytes_total, 32 * 3);
  // Split over y at the start and over x at the end: half of each target tile lies on devices that contribute to it.
  const MeshRef two = mesh("x:2,y:2");
  EXPECT_EQ(lower_bound(machine, type("f32[8@y]{+x}", two), type("f32[8@(x,y)]", two)).received_bytes_total, 32 + 16);
}

TEST(Machine, HasAtMostThirtyTwoLevels) {
  Machine machine{std::vector<MachineLevel>(kMachineLevelsMax - 1, MachineLevel{"outer", 1, 1e9, 1e-6})};
  machine.levels.push_back({"device", 4, 1e9, 1e-6});
  const MeshRef on = mesh("x:4");
  EXPECT_TRUE(planned(type("f32[8@x]", on), type("f32[8]", on), {}, machine).verified);
  EXPECT_TRUE(planned(type("f32[8]{+x}", on), type("f32[8]", on), {}, machine).verified);
  machine.levels.insert(machine.levels.begin(), MachineLevel{"outermost", 1, 1e9, 1e-6});
  const auto refused = plan(type("f32[8@x]", on), type("f32[8]", on), machine);
  EXPECT_EQ(first_message(refused), "level `device` of the machine: with it there are more than 32 levels: 33");
  machine.levels.insert(machine.levels.begin(), 20'000, MachineLevel{"outermost", 1, 1e9, 1e-6});
  EXPECT_EQ(first_error(machine_for(machine, 4)), "bad-machine");
}

// Three parts of every element leave their devices, and three copies of the sum come back: over the links of all four.
TEST(LowerBoundTest, OnOneLevelASumComesTogetherAndSpreads) {
  const MeshRef on = mesh("x:4");
  const Plan whole = planned(type("f32[250000000]{+x}", on), type("f32[250000000]", on));
  EXPECT_DOUBLE_EQ(whole.lower_bound_seconds, 1e9 * 6 / 4 / 100e9);
  EXPECT_LE(whole.seconds, 1.001 * whole.lower_bound_seconds);
  const Plan scattered = planned(type("f32[250000000]{+x}", on), type("f32[250000000@x]", on));
  EXPECT_DOUBLE_EQ(scattered.lower_bound_seconds, 1e9 * 3 / 4 / 100e9);
  EXPECT_LE(scattered.seconds, 1.001 * scattered.lower_bound_seconds);
}

RC_GTEST_PROP(LowerBoundProperty, NoPlanIsFasterOrReceivesLess, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(2, 40);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType to = any_type(on, shape, true);
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= on->devices(); ++d) {
    if (on->devices() % d == 0) divisors.push_back(d);
  }
  const std::int64_t inner = on->matrix() != nullptr ? counts_of(*on->matrix())[1] : *rc::gen::elementOf(divisors);
  const bool is_flat = on->matrix() == nullptr && *rc::gen::arbitrary<bool>();
  const Machine machine = is_flat ? *machine_for(Machine{}, on->devices()) : nodes_of(on->devices() / inner, inner);
  for (const Planner planner : {Planner::tessera, Planner::gather}) {
    PlanOptions options;
    options.planner = planner;
    const auto made = plan(from, to, machine, options);
    RC_LOG() << print(*on) << "; " << print(from) << " -> " << print(to) << ": " << first_message(made);
    RC_ASSERT(made.ok());
    RC_ASSERT(made->seconds >= made->lower_bound_seconds * (1 - 1e-9));
    RC_ASSERT(made->received_bytes_total >= made->lower_bound_bytes_total);
  }
}

}  // namespace
}  // namespace tessera::synth::test
