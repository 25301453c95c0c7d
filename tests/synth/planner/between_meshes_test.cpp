// Every change of layout of rank two from one mesh to another that lies beside it, half over it, on the same devices or
// on some of them: planned and verified, run on real data, peaks counted. And plans with sums, budgets and texts.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "synth/moves/collective/moves.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/planner/list_sends.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::HasSubstr;

// Builds that are slow to run take a part of the pairs.
#ifdef NDEBUG
constexpr std::size_t kEveryPair = 1;
#else
constexpr std::size_t kEveryPair = 13;
#endif

const Machine kNodesOfFour{{{"node", 4, 12.5e9, 5e-6}, {"device", 4, 300e9, 1e-6}}};

std::vector<ArrayType> all_types(const MeshRef& on, const Shape& shape) {
  std::vector<ArrayType> types;
  for (const Layout& layout : all_layouts(*on, shape.size()))
    types.push_back(*ArrayType::make(ElementType::i32, shape, on, layout));
  return types;
}

// The plan on real data, with the peak of every step that is no view counted; a slice is a view of a larger tile.
void expect_peaks_counted(const Plan& plan) {
  Data data = filled(plan.from);
  ArrayType before = plan.from;
  bool is_view = false;
  for (const PlanStep& step : plan.steps) {
    const Data next = run_step(step.collective, before, step.after, data);
    is_view = is_view || kind_of(step.collective) == CollectiveKind::slice;
    if (!is_view) {
      EXPECT_EQ(step.peak_bytes, most_held(before, data, step.after, next)) << print_text(plan);
    }
    data = next;
    before = step.after;
  }
}

void expect_sound_between(const ArrayType& from, const ArrayType& to, const Machine& machine) {
  const auto made = plan(from, to, machine);
  ASSERT_TRUE(made.ok()) << print(from) << " -> " << print(to) << ": " << first_message(made);
  EXPECT_LE(made->local_bytes_max, made->bound_bytes) << print_text(*made);
  expect_moves_data(*made);
  expect_peaks_counted(*made);
}

void expect_all_sound(const char* first, const std::vector<const char*>& others) {
  const MeshRef a = mesh(first);
  std::size_t number = 0;
  for (const char* text : others) {
    const MeshRef b = mesh(text);
    for (const Shape& shape : {Shape{7, 7}, Shape{12, 12}}) {
      for (const ArrayType& from : all_types(a, shape)) {
        for (const ArrayType& to : all_types(b, shape)) {
          if (++number % kEveryPair != 0) continue;
          expect_sound_between(from, to, number % 2 == 0 ? kNodesOfFour : Machine{});
        }
      }
    }
  }
}

TEST(BetweenMeshes, FromTwoByTwoByTwoToAnother) {
  expect_all_sound("x:2,y:2,z:2",
                   {"a:2,b:2,c:2 on 8:16", "a:2,b:2,c:2 on 4:12", "a:2,b:2,c:2", "a:2,b:2,c:2 on (4:8,0:4)"});
}

TEST(BetweenMeshes, FromTwoByTwoByTwoToTwoByThree) {
  expect_all_sound("x:2,y:2,z:2", {"a:2,b:3 on 8:14", "a:2,b:3 on 5:11", "a:2,b:3 on 0:6", "a:2,b:3 on (10:13,1:4)"});
}

TEST(BetweenMeshes, AreEmptyArraysAndScalarsToo) {
  for (const auto& [from, to] :
       {std::pair{"i32[0,4]", "i32[0,4@a]"}, std::pair{"i32[]", "i32[]"}, std::pair{"i32[1@x,3]", "i32[1,3@(a,b)]"}}) {
    expect_sound_between(type(from, "x:2,y:2"), type(to, "a:2,b:3 on 3:9"), kNodesOfFour);
  }
}

TEST(BetweenMeshes, SendNothingToWhoHasItsPart) {
  const ArrayType from = type("i32[8]", "x:4");
  const ArrayType to = type("i32[8@y]", "y:2 on 2:4");
  EXPECT_TRUE(plan(from, to, Machine{})->steps.size() == 1);
  EXPECT_EQ(plan(from, to, Machine{})->received_bytes_total, 0);
  const auto half = plan(type("i32[8@x]", "x:4"), type("i32[8@y]", "y:4 on 2:6"), Machine{});
  EXPECT_EQ(half->received_bytes_total, 32);  // no device's part stays
}

TEST(BetweenMeshes, FinishSumsWhereTheyLie) {
  const ArrayType from = type("f32[64,64]{+x}", "x:4");
  const ArrayType to = type("f32[64@y,64]", "y:4 on 4:8");
  const Plan made = planned(from, to);
  EXPECT_EQ(steps_of(made), "reduce_scatter, exchange") << print_text(made);
  EXPECT_EQ(made.received_bytes_total, 3 * 64 * 64 * 4 + 64 * 64 * 4);
  EXPECT_EQ(made.lower_bound_bytes_total, 4 * 64 * 64 * 4);
  expect_moves_data(made);
}

TEST(BetweenMeshes, KeepAValueAfterItHasCome) {
  const Plan made = planned(type("f32[64,64@x]", "x:4"), type("f32[64,64]{+y}", "y:4 on 4:8"));
  EXPECT_EQ(steps_of(made).substr(steps_of(made).size() - 4), "keep");
  expect_moves_data(made);
  const Plan both = planned(type("f32[64,64]{+x}", "x:4"), type("f32[64,64@z]{+y}", "y:2,z:2 on 2:6"));
  expect_moves_data(both);
}

TEST(BetweenMeshes, ArePricedOnTheirOwnUnits) {
  const RunMachine two = on_run({{{"node", 2, 1e9, 1e-6}, {"device", 8, 100e9, 1e-6}}});
  const Plan inside =
      planned(type("f32[1024@x,1024]", "x:8 on 8:16"), type("f32[1024,1024@x]", "x:8 on 8:16"), {}, two);
  const Plan alone = planned(type("f32[1024@x,1024]", "x:8"), type("f32[1024,1024@x]", "x:8"), {},
                             Machine{{{"node", 1, 1e9, 1e-6}, {"device", 8, 100e9, 1e-6}}});
  EXPECT_DOUBLE_EQ(inside.seconds, alone.seconds);
  EXPECT_DOUBLE_EQ(inside.lower_bound_seconds, alone.lower_bound_seconds);
  const Plan across =
      planned(type("f32[1024@x,1024]", "x:8 on 4:12"), type("f32[1024,1024@x]", "x:8 on 4:12"), {}, two);
  EXPECT_GT(across.seconds, 10 * inside.seconds);
}

TEST(BetweenMeshes, WantAMachineThatHasTheirDevices) {
  const ArrayType from = type("f32[8@x]", "x:4");
  const ArrayType to = type("f32[8@x]", "x:4 on 13:17");
  EXPECT_EQ(first_error(plan(from, to, kNodesOfFour)), "machine-mismatch");
  EXPECT_THAT(first_message(plan(from, to, kNodesOfFour)), HasSubstr("17"));
  EXPECT_TRUE(plan(from, type("f32[8@x]", "x:4 on 12:16"), kNodesOfFour).ok());
}

TEST(BetweenMeshes, KeepBudgetsByRounds) {
  const ArrayType from = type("f32[64@x,64]", "x:4");
  const ArrayType to = type("f32[64,64@y]", "y:4 on 2:6");
  const std::int64_t tile = 64 * 64 * 4 / 4;
  PlanOptions options;
  options.within_bytes = 2 * tile;
  EXPECT_EQ(planned(from, to, options).steps.size(), 1U);
  options.within_bytes = 2 * tile - 1024;
  const Plan made = planned(from, to, options);
  EXPECT_GT(made.steps.size(), 1U);
  EXPECT_LE(made.peak_bytes, *options.within_bytes);
  expect_moves_data(made);
  options.within_bytes = tile;
  EXPECT_EQ(first_error(plan(from, to, Machine{}, options)), "over-budget");
}

TEST(BetweenMeshes, AreNotForPlannersOfOneNorTheOtherWayRound) {
  const ArrayType from = type("f32[8@x,8]", "x:4");
  for (const Planner planner : {Planner::paper, Planner::xla, Planner::shardy, Planner::dtensor, Planner::gather}) {
    PlanOptions options;
    options.planner = planner;
    EXPECT_EQ(first_error(plan(from, type("f32[8,8@y]", "y:4 on 4:8"), Machine{}, options)), "unsupported");
  }
  for (const Planner planner : {Planner::sendrecv, Planner::localgather, Planner::globalgather, Planner::alpa}) {
    PlanOptions options;
    options.planner = planner;
    EXPECT_EQ(first_error(plan(from, type("f32[8,8@x]", "x:4"), Machine{}, options)), "unsupported");
  }
  PlanOptions by_name;
  by_name.collectives_only = true;
  EXPECT_EQ(first_error(plan(from, type("f32[8,8@y]", "y:4 on 4:8"), Machine{}, by_name)), "cross-mesh");
}

// Every plan of every planner, as text and back, with its sends too.
TEST(BetweenMeshes, AreReadAsTheyAreWritten) {
  const std::vector<std::pair<ArrayType, ArrayType>> changes = {
      {type("f32[48@x,48]", "x:4"), type("f32[48,48@y]", "y:2,z:3 on 6:12")},
      {type("f32[48@x,48]{+y}", "x:2,y:2"), type("f32[48,48]", "a:2,b:4 on (8:12,2:6)")},
      {type("f32[48,48@y]", "x:2,y:4 place [[1,2],[2,2]]"),
       type("f32[48@a,48]{+b}", "a:2,b:4 on 8:16 place [[2,1],[1,4]]")},
  };
  for (const auto& [from, to] : changes) {
    for (const Planner planner :
         {Planner::tessera, Planner::sendrecv, Planner::localgather, Planner::globalgather, Planner::alpa}) {
      PlanOptions options;
      options.planner = planner;
      const Plan made = planned(from, to, options, kNodesOfFour);
      expect_moves_data(made);
      for (const Plan& written : {made, *with_sends(made, kNodesOfFour)}) {
        const std::string text = print_json(written);
        EXPECT_THAT(text, HasSubstr("\"to_mesh\": \"" + print(to.mesh()) + "\""));
        const auto read = read_json(text);
        ASSERT_TRUE(read.ok()) << first_message(read) << "\n" << text;
        const auto fault = fault_of(*read, kNodesOfFour);
        ASSERT_TRUE(fault.ok()) << first_message(fault);
        EXPECT_EQ(*fault, std::nullopt) << text;
        EXPECT_EQ(print_json(*read), text);
      }
    }
  }
}

// One send, or one figure, is another: nothing of that is taken.
TEST(BetweenMeshes, AreRefusedWithOneSendChanged) {
  PlanOptions options;
  options.planner = Planner::alpa;
  const Plan right =
      planned(type("f32[48@x,48]", "x:4"), type("f32[48,48@y]", "y:2,z:3 on 6:12"), options, kNodesOfFour);
  const ListedSends* const listed = listed_of(right.steps.back().collective);
  ASSERT_NE(listed, nullptr);
  ASSERT_EQ(*fault_of(right, kNodesOfFour), std::nullopt);
  for (std::size_t i = 0; i < listed->sends.size(); ++i) {
    for (int change = 0; change < 6; ++change) {
      ListedSends other = *listed;
      BoxSend& send = other.sends[i];
      if (change == 0) other.sends.erase(other.sends.begin() + static_cast<std::ptrdiff_t>(i));
      if (change == 1) other.sends.push_back(send);
      if (change == 2) send.source = 4;  // a device of neither mesh
      if (change == 3) send.target = 0;  // has no part of the target
      if (change == 4) ++send.box[0].begin;
      if (change == 5) send.hop = static_cast<std::int32_t>(other.hops) + 1;
      Plan wrong = right;
      Collective& step = wrong.steps.back().collective;
      step = with_list(step, std::make_shared<const ListedSends>(other));
      EXPECT_NE(*fault_of(wrong, kNodesOfFour), std::nullopt) << i << ", change " << change;
    }
  }
  Plan wrong = right;
  ++wrong.steps.back().group_size;
  EXPECT_NE(*fault_of(wrong, kNodesOfFour), std::nullopt);
}

}  // namespace
}  // namespace tessera::synth::test
