// The worked examples of synth's headers, each under its header's name: `synth/layout/cluster/cluster.hpp` is Cluster.
// Those that need another test's helpers are beside that test.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/layout/place_matrix.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/rounds.hpp"
#include "synth/moves/collective/routing.hpp"
#include "synth/moves/collective/shared_boxes.hpp"
#include "synth/moves/collective/tile_exchange.hpp"
#include "synth/moves/reduce/search.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/reduce_moves.hpp"
#include "synth/moves/transfer/slot_prices.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"
#include "synth/planner/list_sends.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/schedule/warm_ups.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

TEST(ExampleOf, Cluster) {
  const Cluster cluster(on_run({{{"node", 2, 1e9, 0}, {"device", 4, 1e9, 0}}}));
  ASSERT_EQ(cluster.levels().size(), 2U);
  EXPECT_EQ(cluster.levels()[0].units, 2U);
  EXPECT_EQ(cluster.levels()[0].unit_devices, 4);
  EXPECT_EQ(cluster.levels()[1].units, 8U);
  EXPECT_EQ(cluster.levels()[1].unit_devices, 1);
  EXPECT_EQ(cluster.parting(1, 6), 0U);
  EXPECT_EQ(cluster.unit(0, 1), 0U);
  EXPECT_EQ(cluster.unit(0, 6), 1U);
  EXPECT_EQ(cluster.parting(1, 3), 1U);
}

TEST(ExampleOf, DirectReduction) {
  const DirectReduction reduction(CollectiveKind::all_reduce, 4);
  std::vector<DirectGroup::Member> members;
  for (std::int32_t device = 0; device < 4; ++device)
    members.push_back({device, reduction.stretch(10, device).length()});
  const std::int64_t stretches[] = {2, 3, 2, 3};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(members[i].added, stretches[i]);
  EXPECT_EQ(reduction.received(10, 0), 3 * 2 + 8);

  const DirectGroup group(CollectiveKind::all_reduce, members);
  EXPECT_EQ(group.sent(2, 2 + 3), 2 * (10 - 5) + 5 * 2);
}

TEST(ExampleOf, SharedBoxes) {
  // Two devices on a rank, and all ranks in one memory.
  const Seats in_pairs = [](std::int32_t device) { return Seat{device / 2, 0}; };
  const auto sums = shared_sums(type("f32[8192]{+x}", "x:4"), type("f32[8192]", "x:4"), in_pairs);
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].device, 0);
  EXPECT_EQ(sums[0].part, Box({{0, 4096}}));
  EXPECT_EQ(sums[1].device, 2);
  EXPECT_EQ(sums[1].part, Box({{4096, 8192}}));
  EXPECT_THAT(*sums[1].contributors, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(*sums[1].wanted_by, testing::ElementsAre(0, 1, 2, 3));
  const auto small = shared_sums(type("f32[512]{+x}", "x:4"), type("f32[512]", "x:4"), in_pairs);
  ASSERT_EQ(small.size(), 2U);
  EXPECT_EQ(small[1].part, Box({{0, 512}}));
  EXPECT_THAT(*small[1].wanted_by, testing::ElementsAre(2, 3));

  // A device on a rank, and two ranks in a node.
  const Seats in_nodes = [](std::int32_t device) { return Seat{device, device / 2 * 2}; };
  const FarBox far{2, 0, 0, {2, 3}};
  EXPECT_THAT(receivers(std::vector{far, far}, in_nodes), testing::ElementsAre(2, 3));
}

// Between two far devices each adds up the whole: as many bytes travel.
TEST(SharedBoxes, OfTwoFarDevicesAreNotCut) {
  const Seats apart = [](std::int32_t device) { return Seat{device, device}; };
  const auto two = shared_sums(type("f32[8192]{+x}", "x:2"), type("f32[8192]", "x:2"), apart);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].part, Box({{0, 8192}}));
  const auto three = shared_sums(type("f32[8193]{+x}", "x:3"), type("f32[8193]", "x:3"), apart);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[1].part, Box({{2731, 5462}}));
}

// The ranks of a sending machine begin with different receivers; each sender goes on in turn.
TEST(SharedBoxes, OfOneSenderAreDealtInTurn) {
  const Seats in_fours = [](std::int32_t device) { return Seat{device, device / 4 * 4}; };
  std::vector<FarBox> boxes;
  for (const int sender : {0, 0, 1, 1}) boxes.push_back({4, sender, sender, {4, 5, 6, 7}});
  EXPECT_THAT(receivers(boxes, in_fours), testing::ElementsAre(4, 5, 5, 6));
}

TEST(ExampleOf, TileExchange) {
  const MeshRef on = mesh("x:4");
  const Cluster cluster(on_run({{{"node", 2, 1e9, 0}, {"device", 2, 1e9, 0}}}));
  const auto exchange = TileExchange::of(cluster, type("f32[8@x,8]", on), type("f32[8,8@x]", on));
  ASSERT_TRUE(exchange.has_value());
  EXPECT_EQ(exchange->device(1).received, 8 * 2 - 2 * 2);                          // all but its own rows
  EXPECT_EQ(exchange->links()[cluster.link(0, 1)].received, 2 * (8 * 2 - 4 * 2));  // for both devices of the node
}

// The copies of a change of layout that leave their device, as "source>target begin:end" along dimension 0.
std::vector<std::string> sends_of(const std::string& axes, const std::string& from, const std::string& to) {
  const MeshRef on = mesh(axes);
  std::vector<std::string> sends;
  Routing(type(from, on), type(to, on), nullptr)
      .walk([&](std::int32_t source, std::int32_t target, const Box& box, std::int64_t) {
        if (source != target) sends.push_back(fmt::format("{}>{} {}:{}", source, target, box[0].begin, box[0].end));
      });
  return sends;
}

TEST(ExampleOf, Routing) {
  using testing::ElementsAre;
  EXPECT_THAT(sends_of("x:2,y:2", "f32[8@x]", "f32[8]"), ElementsAre("2>0 4:8", "3>1 4:8", "0>2 0:4", "1>3 0:4"));
  EXPECT_THAT(sends_of("x:2,y:3", "f32[8@x]", "f32[8]"),
              ElementsAre("3>0 4:8", "4>1 4:8", "5>2 4:8", "0>3 0:4", "1>4 0:4", "2>5 0:4"));
  EXPECT_THAT(sends_of("x:3", "f32[6@x]", "f32[6]"),
              ElementsAre("1>0 2:4", "2>0 4:6", "0>1 0:2", "2>1 4:6", "0>2 0:2", "1>2 2:4"));
}

TEST(ExampleOf, PlaceMatrix) {
  const std::vector<MeshAxis> axes{{"x", 2}, {"y", 4}};
  const MeshRef over = *Mesh::placed(axes, PlaceMatrix{{{2, 1}, {1, 4}}});
  const MeshRef inside = *Mesh::placed(axes, PlaceMatrix{{{1, 2}, {2, 2}}});
  EXPECT_EQ(over->coordinate(5, 0), 1);
  EXPECT_EQ(over->coordinate(5, 1), 1);
  EXPECT_EQ(inside->coordinate(5, 0), 0);
  EXPECT_EQ(inside->coordinate(5, 1), 3);
}

TEST(ExampleOf, Mesh) {
  const MeshRef on = mesh("x:4 on (4:6,0:2)");
  const std::uint32_t devices[] = {0, 1, 4, 5};
  for (std::int64_t number = 0; number < 4; ++number) EXPECT_EQ(on->device_of_run(number).value, devices[number]);
  EXPECT_EQ(on->device_at(0), 2);
}

TEST(ExampleOf, Transfer) {
  const Cluster cluster(on_run({{{"node", 2, 1, 0}, {"device", 4, 1, 0}}}));
  const Transfer transfer{{Box{Interval{0, 64}}}, {{0, 4, 0, 0}, {4, 5, 0, 1}}, 2, 8};
  EXPECT_EQ(transfer.slots(), 9);
  const TransferCost cost(cluster, transfer, 1);
  EXPECT_DOUBLE_EQ(cost.busiest_seconds(), 64);  // once over each link
  EXPECT_DOUBLE_EQ(cost.seconds(8), 9 * 64. / 8);
}

TEST(ExampleOf, ReduceProgram) {
  const MeshRef on = mesh("dp:16");
  const auto program = parse_reduce_program(*on, "reduce_scatter dp:(4)4; all_reduce dp:(1)4; all_gather dp:(4)4");
  ASSERT_TRUE(program.has_value());
  const auto moves = reduce_moves({whole_axis(*on, 0)}, false, *program);
  ASSERT_TRUE(moves.has_value());
  ASSERT_GE(moves->hops.size(), 3U);
  for (std::size_t hop = 0; hop < moves->hops.size(); ++hop) {
    const bool is_inside = hop == 0 || hop + 1 == moves->hops.size();
    for (const ReduceMove& move : moves->hops[hop].moves) {
      EXPECT_TRUE(hop > 0 || move.chunks.size() == 4);  // a quarter of sixteen
      for (const ReduceMove::From& from : move.from) {
        EXPECT_EQ(from.member / 4 == move.to / 4, is_inside || from.member == move.to);
        EXPECT_TRUE(is_inside || from.member % 4 == move.to % 4);
      }
    }
  }
}

TEST(ExampleOf, Price) {
  const Cluster cluster(on_run({{{"node", 4, 8e9, 0}, {"device", 16, 270e9, 0}}}));
  const ReduceLevels levels = reduce_levels(PlaceMatrix{{{4, 16}}}, {AxisPart{0, 1, 64}}).value();
  using enum ReduceStepKind;
  const std::vector<LevelStep> steps{{reduce_scatter, 1, 2}, {all_reduce, 0, 1}, {all_gather, 1, 2}};
  const auto splits = splits_of(LevelProgram{steps}, 2, ReduceGoal::all_reduce);
  ASSERT_TRUE(splits.has_value());
  const ReducePrices prices(cluster, levels, 1e9);
  const double milliseconds[] = {3.5, 187.5, 3.5};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(prices.seconds(steps[i], (*splits)[i]) * 1e3, milliseconds[i], 0.05);
  const auto seconds = program_seconds(cluster, levels, 1e9, ReduceGoal::all_reduce, LevelProgram{steps, 64});
  EXPECT_NEAR(seconds.value() * 1e3, 187.6, 0.05);
}

TEST(ExampleOf, Choice) {
  const Plan plan = planned(type("f32[4096,4096@x]", "x:2,y:2,z:2"), type("f32[4096@z,4096@y]", "x:2,y:2,z:2"));
  EXPECT_EQ(steps_of(plan).find("all_gather"), std::string::npos);
  EXPECT_EQ(plan.received_bytes_total, std::int64_t{64} << 20U);
  EXPECT_NEAR(plan.seconds * 1e6, 169.8, 0.05);
}

TEST(ExampleOf, Sums) {
  const Plan plan = planned(type("f32[8000,3000]{+y}", "x:4,y:2"), type("f32[8000@x,3000]", "x:4,y:2"));
  EXPECT_EQ(steps_of(plan), "slice, reduce_scatter, all_gather");
  EXPECT_EQ(plan.received_bytes_total, 192'000'000);
}

TEST(ExampleOf, Rounds) {
  const MeshRef on = mesh("x:2");
  const auto pieces = round_pieces(type("f32[4@x,4]", on), type("f32[4,4@x]", on), 0);
  ASSERT_EQ(pieces, (std::vector<Interval>{{0, 2}, {2, 4}}));
  for (std::int64_t round = 0; round < 2; ++round) {
    EXPECT_EQ(part_of(pieces[0], Round{round, 2, 0}), (Interval{round, round + 1}));
    EXPECT_EQ(part_of(pieces[1], Round{round, 2, 0}), (Interval{2 + round, 3 + round}));
  }
}

TEST(ExampleOf, WarmUps) {
  PipelineShape shape;
  shape.stages = 2;
  shape.sharing.resize(2);
  shape.visits = {{0, 1, 0}, {1, 2, 0}, {0, 1, 0}};
  shape.borders = {{0, 1, 1}, {1, 2, 1}};
  EXPECT_DOUBLE_EQ(period(shape, {2, 1}, false), 6. / 2);
  EXPECT_DOUBLE_EQ(period(shape, {3, 1}, false), 6. / 3);
  EXPECT_EQ(least_warm_ups(shape), (WarmUps{3, 1}));
}

TEST(ExampleOf, SendsReplay) {
  const RunMachine machine = *machine_for({}, 2);
  const auto plan = with_sends(planned(type("f32[4]{+x}", "x:2"), type("f32[4]", "x:2")), machine);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(steps_of(*plan), "all_reduce");
  const std::vector<BoxSend>& sends = listed_of(plan->steps[0].collective)->sends;
  ASSERT_EQ(sends.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const bool adds = i < 2;
    EXPECT_EQ(sends[i].adds, adds);
    EXPECT_EQ(sends[i].hop, adds ? 0 : 1);
    const std::int32_t owner = adds ? sends[i].target : sends[i].source;
    EXPECT_EQ(sends[i].box, (owner == 0 ? Box{Interval{0, 2}} : Box{Interval{2, 4}}));
  }
  EXPECT_EQ(fault_of(*plan, machine)->value_or(""), "");
}

TEST(ExampleOf, SlotPrices) {
  const std::vector<std::int64_t> first{8, 0};
  const std::vector<std::int64_t> second{0, 8};
  SlotPrices prices({1, 1}, std::array{SlotBytes{1, &first}, SlotBytes{1, &second}});
  EXPECT_EQ(prices.seconds(1), 9 + 9);
  EXPECT_EQ(prices.seconds(2), 5 + 5 + 5);
  EXPECT_EQ(prices.seconds(4), 5 * 3);
}

}  // namespace
}  // namespace tessera::synth::test
