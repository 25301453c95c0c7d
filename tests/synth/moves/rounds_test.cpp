// Rounds of an exchange: how a dimension is cut, what each round costs, which are refused.
#include "synth/moves/collective/rounds.hpp"

#include "synth/moves/prices/round_cost.hpp"
#include "synth/planner/round_peaks.hpp"
#include "synth/planner/steps.hpp"
#include "synth/program/program.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::ElementsAre;

TEST(RoundPieces, AreCutWhereATileOfEitherEndEnds) {
  const MeshRef on = mesh("x:2,y:3");
  EXPECT_THAT(round_pieces(type("f32[12@x]", on), type("f32[12@y]", on), 0),
              ElementsAre(Interval{0, 4}, Interval{4, 6}, Interval{6, 8}, Interval{8, 12}));
  EXPECT_THAT(round_pieces(type("f32[7@x,2]", on), type("f32[7,2@y]", on), 0),
              ElementsAre(Interval{0, 3}, Interval{3, 7}));
  EXPECT_THAT(round_pieces(type("f32[0@x]", on), type("f32[0]", on), 0), ElementsAre());
  EXPECT_THAT(round_pieces(type("f32[2@(x,y)]", on), type("f32[2]", on), 0),
              ElementsAre(Interval{0, 1}, Interval{1, 2}));
}

TEST(RoundPieces, ArePutTogetherToEveryTile) {
  const MeshRef on = mesh("x:2,y:3");
  const auto pieces = round_pieces(type("f32[12@x]", on), type("f32[12@y]", on), 0);
  EXPECT_THAT(pieces_in(pieces, Interval{0, 6}), ElementsAre(Interval{0, 4}, Interval{4, 6}));
  EXPECT_THAT(pieces_in(pieces, Interval{8, 12}), ElementsAre(Interval{8, 12}));
  EXPECT_THAT(pieces_in(pieces, Interval{4, 4}), ElementsAre());
}

TEST(RoundPieces, AreCutByTheTileRule) {
  EXPECT_EQ(part_of(Interval{10, 17}, Round{0, 3, 0}), (Interval{10, 12}));
  EXPECT_EQ(part_of(Interval{10, 17}, Round{1, 3, 0}), (Interval{12, 14}));
  EXPECT_EQ(part_of(Interval{10, 17}, Round{2, 3, 0}), (Interval{14, 17}));
}

TEST(RoundSteps, SayWhichTheyAre) {
  const ArrayType target = type("f32[8,8@x]", "x:4");
  const Collective step{Exchange{target}, Round{0, 4, 1}};
  EXPECT_EQ(detail(step, target.mesh()), "round 1 of 4");
  EXPECT_TRUE(apply(step, type("f32[8@x,8]", target.mesh_ref())).ok());
}

TEST(RoundSteps, MayBeOfAnExchangeOnly) {
  const MeshRef on = mesh("x:4");
  const ArrayType before = type("f32[8@x,8]", on);
  Collective step = exchange_step(type("f32[8,8@x]", on));
  for (const Round wrong : {Round{4, 4, 0}, Round{-1, 4, 0}, Round{0, 4, 2}, Round{0, 0, 0}}) {
    step.recipe = wrong;
    EXPECT_EQ(first_error(apply(step, before)), "bad-collective");
  }
  step = {Permute{before}, Round{0, 4, 0}};
  EXPECT_EQ(first_error(apply(step, before)), "bad-collective");
}

// The runtime frees no part of an array, so that a program with a round would not keep what the plan says.
TEST(RoundSteps, AreNoneOfAProgram) {
  const MeshRef on = mesh("x:4");
  Program program;
  const RegisterId before = program.registers.add(type("f32[8@x,8]", on));
  const RegisterId after = program.registers.add(type("f32[8,8@x]", on));
  program.inputs = {before};
  program.outputs = {after};
  Collect collect;
  collect.collective = exchange_step(program.registers[after]);
  program.body = {Step{0, Apply{collect, {before}, {after}}}};
  EXPECT_EQ(first_message(verify(program)), "");
  EXPECT_TRUE(read_program(print(program)).ok());
  collect.collective.recipe = Round{0, 2, 0};
  program.body = {Step{0, Apply{collect, {before}, {after}}}};
  EXPECT_THAT(first_message(verify(program)), ::testing::HasSubstr("a round of an exchange is no step of a program"));
  EXPECT_FALSE(read_program(print(program)).ok());
}

std::int64_t sum_of_bytes(const std::vector<StepCost>& costs) {
  std::int64_t sum = 0;
  for (const StepCost& cost : costs) sum += cost.received_bytes_total;
  return sum;
}

TEST(RoundCosts, OfOneRoundAreTheExchanges) {
  const MeshRef on = mesh("x:2,y:3");
  const ArrayType from = type("f32[7@x,5]", on);
  const ArrayType to = type("f32[7,5@(y,x)]", on);
  const RunMachine machine = *machine_for(Machine{{{"node", 2, 1e9, 5e-6}, {"gpu", 3, 1e10, 1e-6}}}, 6);
  Collective exchange = exchange_step(to);
  const StepCost whole = cost(machine, exchange, from, to);
  for (std::size_t d = 0; d < 2; ++d) {
    const auto one = costs_of_rounds(machine, from, to, d, 1);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].received_bytes_total, whole.received_bytes_total);
    EXPECT_EQ(one[0].received_bytes_max, whole.received_bytes_max);
    EXPECT_EQ(one[0].peers, whole.peers);
    EXPECT_DOUBLE_EQ(one[0].seconds, whole.seconds);
    exchange.recipe = Round{1, 3, d};
    EXPECT_EQ(cost(machine, exchange, from, to).seconds, costs_of_rounds(machine, from, to, d, 3)[1].seconds);
  }
}

TEST(RoundCosts, AboveTheExactSizesKeepTheirBytes) {
  const MeshRef on = mesh("x:64,y:32");
  const ArrayType from = type("f32[64@x,4096]", on);
  const ArrayType to = type("f32[64,4096@(x,y)]", on);
  const RunMachine machine = *machine_for(Machine{}, on->devices());
  Collective exchange = exchange_step(to);
  const StepCost whole = cost(machine, exchange, from, to);
  for (const std::int64_t count : {2, 1000}) {  // the second has too many messages to price each
    const auto costs = costs_of_rounds(machine, from, to, 1, count);
    EXPECT_EQ(sum_of_bytes(costs), whole.received_bytes_total);
    double seconds = 0;
    for (const StepCost& cost : costs) seconds += cost.seconds;
    EXPECT_GT(seconds, whole.seconds);
  }
}

// Of everything that a round does: counted element by element.
RC_GTEST_PROP(RoundProperty, BytesAndPeaksAreWhatElementsAddUpTo, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(1, 4), 9);
  const ArrayType from = any_type(on, shape, false);
  const ArrayType to = any_type(on, shape, false);
  const auto d = *rc::gen::inRange<std::size_t>(0, shape.size());
  const auto count = *rc::gen::inRange<std::int64_t>(1, 6);
  const auto costs = costs_of_rounds(*machine_for(Machine{}, on->devices()), from, to, d, count);
  const auto peaks = RoundPeaks(from, to, d).peaks(count);
  Data source = filled(from);
  Data target(source.size(), DeviceData(static_cast<std::size_t>(elements(shape))));
  Collective step = exchange_step(to);
  for (std::int64_t k = 0; k < count; ++k) {
    const Data before = source;
    const Data had = target;
    step.recipe = Round{k, count, d};
    RC_ASSERT(run_round(step, from, source, target) == peaks[static_cast<std::size_t>(k)]);
    std::int64_t received = 0;
    for (std::size_t i = 0; i < target.size(); ++i) {
      for (std::size_t e = 0; e < target[i].size(); ++e) {
        received += target[i][e] && !had[i][e] && !before[i][e] ? 4 : 0;
      }
    }
    RC_ASSERT(costs[static_cast<std::size_t>(k)].received_bytes_total == received);
  }
  RC_ASSERT(resolved(to, target) == resolved(from, filled(from)));
}

}  // namespace
}  // namespace tessera::synth::test
