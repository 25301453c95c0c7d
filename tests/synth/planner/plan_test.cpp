// Plans by name: the examples of the contract, the lessons' key, known traps, budgets and refusals.
#include "synth/planner/plan.hpp"

#include "synth/planner/figures.hpp"
#include "synth/planner/text/print_text.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

Plan plan_of(std::string_view on, std::string_view from, std::string_view to, const PlanOptions& options = {}) {
  const MeshRef shared = mesh(on);
  return test::planned(type(from, shared), type(to, shared), options);
}

PlanOptions by(Planner planner) {
  PlanOptions options;
  options.planner = planner;
  return options;
}

PlanOptions within(std::int64_t bytes) {
  PlanOptions options;
  options.within_bytes = bytes;
  return options;
}

std::string failure(std::string_view on, std::string_view from, std::string_view to, const PlanOptions& options = {}) {
  const MeshRef shared = mesh(on);
  return first_error(plan(type(from, shared), type(to, shared), Machine{}, options));
}

// As if the arrays were large: without latency. For small ones plans avoid messages rather than bytes.
Plan planned_large(std::string_view on, std::string_view from, std::string_view to) {
  const MeshRef shared = mesh(on);
  const RunMachine machine = on_run({{{"device", shared->devices(), 100e9, 0}}});
  return test::planned(type(from, shared), type(to, shared), {}, machine);
}

// ---- The example of the contract ----

TEST(ContractExample, OneExchangeMeetsBothBounds) {
  const Plan direct = planned_large("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]");
  EXPECT_EQ(steps_of(direct), "exchange");
  EXPECT_EQ(direct.received_bytes_total, 14336);
  EXPECT_EQ(direct.lower_bound_bytes_total, 14336);
  EXPECT_EQ(direct.local_bytes_max, 2048);
  EXPECT_EQ(direct.bound_bytes, 2048);
  EXPECT_EQ(direct.peak_bytes, 4096);
  EXPECT_EQ(direct.steps[0].received_bytes_max, 1792);
}

TEST(ContractExample, ItsFirstStepIsAnAllToAllOf12288Bytes) {
  const Plan first = plan_of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16@y,16@x,16]");
  ASSERT_EQ(steps_of(first), "all_to_all");
  EXPECT_EQ(detail(first.steps[0].collective, first.from.mesh()), "x: dim 2 -> dim 1");
  EXPECT_EQ(first.steps[0].local_bytes_max, 2048);
  EXPECT_EQ(first.steps[0].received_bytes_total, 12288);
  EXPECT_EQ(first.steps[0].received_bytes_max, 1536);
  EXPECT_EQ(first.steps[0].groups, 2);
  EXPECT_EQ(first.steps[0].group_size, 4);
}

TEST(ContractExample, ItsTwoStepsTogetherReceive20480Bytes) {
  const Plan first = plan_of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16@y,16@x,16]");
  const Plan second = plan_of("x:4,y:2", "f32[16@y,16@x,16]", "f32[16,16@(x,y),16]");
  EXPECT_EQ(steps_of(second), "all_to_all");
  EXPECT_EQ(first.received_bytes_total + second.received_bytes_total, 20480);
}

// ---- The lessons' answer key, mesh x:4, y:2 unless said ----

TEST(LessonKey, 1and2LocalShapeBytesAndCopies) {
  const ArrayType one = type("f32[64@x,48@y]", "x:4,y:2");
  EXPECT_EQ(shape_of(tile(one, 0)), (Shape{16, 24}));
  EXPECT_EQ(tile_bytes_max(one), 1536);
  EXPECT_EQ(copies(one), 1);
  const ArrayType two = type("f32[64@y,48]", "x:4,y:2");
  EXPECT_EQ(shape_of(tile(two, 0)), (Shape{32, 48}));
  EXPECT_EQ(tile_bytes_max(two), 6144);
  EXPECT_EQ(copies(two), 4);
}

TEST(LessonKey, 3and4OrderOfAxesAndThePermuteBetween) {
  const MeshRef on = mesh("x:2,y:3");
  const std::int64_t device = 1 * 3 + 0;
  EXPECT_EQ(tile(type("i32[6@(x,y)]", on), device)[0].begin, 3);
  EXPECT_EQ(tile(type("i32[6@(y,x)]", on), device)[0].begin, 1);
  const Plan change = test::planned(type("i32[6@(x,y)]", on), type("i32[6@(y,x)]", on));
  EXPECT_EQ(steps_of(change), "permute");
  EXPECT_EQ(change.received_bytes_total, 4 * 4);
  for (const BoxCopy& copy : copies(change.from, change.to)) {
    EXPECT_EQ(copy.source == copy.target, copy.target == 0 || copy.target == 5);
  }
}

TEST(LessonKey, 5AllToAll) {
  const Plan change = plan_of("x:4", "f32[8@x,8]", "f32[8,8@x]");
  EXPECT_EQ(steps_of(change), "all_to_all");
  EXPECT_EQ(change.steps[0].received_bytes_max, 48);
  EXPECT_EQ(change.peak_bytes, 64 + 64);
}

TEST(LessonKey, 6AllGather) {
  const Plan change = plan_of("x:4", "f32[8@x,8]", "f32[8,8]");
  EXPECT_EQ(steps_of(change), "all_gather");
  EXPECT_EQ(change.steps[0].received_bytes_max, 192);
  EXPECT_EQ(change.steps[0].local_bytes_max, 256);
  EXPECT_EQ(change.peak_bytes, 64 + 256);
}

TEST(LessonKey, 7SliceIsAView) {
  const Plan change = plan_of("x:4", "f32[8,8]", "f32[8@x,8]");
  EXPECT_EQ(steps_of(change), "slice");
  EXPECT_EQ(change.received_bytes_total, 0);
  EXPECT_EQ(change.peak_bytes, 256);
  EXPECT_EQ(change.seconds, 0);
}

TEST(LessonKey, 8AllReduceAndReduceScatter) {
  const Plan all = plan_of("x:4", "f32[8,8]{+x}", "f32[8,8]");
  EXPECT_EQ(steps_of(all), "all_reduce");
  EXPECT_EQ(all.steps[0].received_bytes_max, 384);
  const Plan scatter = plan_of("x:4", "f32[8,8]{+x}", "f32[8@x,8]");
  EXPECT_EQ(steps_of(scatter), "reduce_scatter");
  EXPECT_EQ(scatter.steps[0].received_bytes_max, 192);
}

TEST(LessonKey, 9Keep) {
  const Plan change = plan_of("x:4", "f32[8,8]", "f32[8,8]{+x}");
  EXPECT_EQ(steps_of(change), "keep");
  EXPECT_EQ(change.received_bytes_total, 0);
}

TEST(LessonKey, 10GatherOneOfTwoAxes) {
  const Plan minor = plan_of("x:4,y:2", "f32[8@(x,y)]", "f32[8@x]");
  EXPECT_EQ(steps_of(minor), "all_gather");
  EXPECT_EQ(detail(minor.steps[0].collective, minor.from.mesh()), "y: dim 0");
  EXPECT_EQ(steps_of(planned_large("x:4,y:2", "f32[8@(x,y)]", "f32[8@y]")), "exchange");
}

TEST(LessonKey, 11And21TheThreeWays) {
  const Plan gathered = plan_of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", by(Planner::gather));
  EXPECT_EQ(steps_of(gathered), "all_gather, all_gather, slice");
  EXPECT_EQ(gathered.received_bytes_total, 8 * 14336);
  EXPECT_GT(gathered.local_bytes_max, gathered.bound_bytes);
  const Plan direct = planned_large("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]");
  EXPECT_EQ(direct.steps[0].received_bytes_max, 1792);
  EXPECT_EQ(direct.peak_bytes, 4096);
}

TEST(LessonKey, 12MendedByAPermutation) {
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[16,16@(y,x),16]", "f32[16,16@(x,y),16]")), "permute");
}

TEST(LessonKey, 20LayoutsOfAMatrixOnTwoAxes) {
  const MeshRef on = mesh("x:4,y:2");
  EXPECT_EQ(all_layouts(*on, 2).size(), 11U);
  EXPECT_EQ(all_pending_layouts(*on, 2, ReduceOp::sum).size(), 18U);
}

// Seven messages to each device, or four and some bytes more: which is faster depends on the size alone.
TEST(SmallArrays, TakeMoreLaunchesWhereThatIsStrictlyFaster) {
  const Plan small = plan_of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]");
  EXPECT_EQ(steps_of(small), "all_to_all, all_to_all");
  EXPECT_EQ(small.received_bytes_total, 20480);
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[256@y,256,256@x]", "f32[256,256@(x,y),256]")), "exchange");
}

// ---- Known traps ----

TEST(Trap, OneExchangeDoesWhatThreeNamedStepsNeed) {
  const Plan change = plan_of("x:2,y:3,z:2", "f32[6@(y,x),6@z]", "f32[6@x,6@(y,z)]");
  EXPECT_EQ(steps_of(change), "exchange");
  EXPECT_EQ(change.received_bytes_total, change.lower_bound_bytes_total);
}

TEST(Trap, UnevenMiddlesStayWithinTheBound) {
  const Plan change = plan_of("x:2,y:3,z:2", "f32[7@(z,x),7@y]", "f32[7@y,7@(z,x)]");
  EXPECT_LE(change.local_bytes_max, change.bound_bytes);
  expect_moves_data(change);
}

TEST(Trap, EqualLayoutsWrittenDifferentlyPlanToNothing) {
  const Plan change = plan_of("x:4,one:1", "f32[8@(x,one)]", "f32[8@(x:(1)2,x:(2)2)]");
  EXPECT_TRUE(change.steps.empty());
  EXPECT_EQ(change.received_bytes_total, 0);
  EXPECT_EQ(change.peak_bytes, 8);
  EXPECT_EQ(change.local_bytes_max, 8);
  EXPECT_TRUE(change.verified);
  EXPECT_TRUE(plan_of("x:2,y:2", "f32[1@(x,y)]", "f32[1@(y,x)]").steps.empty());
  EXPECT_TRUE(plan_of("x:2", "f32[0@x]", "f32[0]").steps.empty());
}

TEST(Trap, ALayoutAlikeInDataIsRenamedWhereALaterStepNeedsItsAxis) {
  const Plan change = plan_of("x:4", "f32[2@x:(2)2,0@x:(1)2]", "f32[2,0]{min x}");
  EXPECT_EQ(kind_of(change.steps.back().collective), CollectiveKind::keep);
  expect_moves_data(change);
}

TEST(Trap, LargeBoxesAreCutOverReplicas) {
  const MeshRef on = mesh("a:2,b:5,c:3");
  const Plan change = test::planned(type("f32[30000@c,30000@a]", on), type("f32[30000@b,30000@(c,a)]", on));
  EXPECT_LE(change.seconds, 1.03 * change.lower_bound_seconds);
}

TEST(Trap, CoPrimeMeshes) {
  for (const char* on : {"x:2,y:3", "x:3,y:5", "x:5,y:4,z:3", "x:7"}) {
    const MeshRef shared = mesh(on);
    const auto layouts = all_layouts(*shared, 1);
    for (const Layout& from : layouts) {
      for (const Layout& to : layouts) {
        const ArrayType array = *ArrayType::make(ElementType::i32, {11}, shared, from);
        expect_moves_data(test::planned(array, *array.with_layout(to)));
      }
    }
  }
}

// ---- Pending sums ----

TEST(PendingPlan, ScattersStraightIntoWhatTheTargetWants) {
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[8,8]{+y}", "f32[8@y,8]")), "reduce_scatter");
  // Groups of 4 and of 2 have fewer peers than groups of 8.
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[8,8]{+x,y}", "f32[8@(x,y),8]")), "reduce_scatter, reduce_scatter");
  const Plan both = plan_of("x:4,y:2", "f32[8,8]{+x,y}", "f32[8@x,8@y]");
  EXPECT_EQ(steps_of(both), "reduce_scatter, reduce_scatter");
  EXPECT_EQ(both.received_bytes_total, both.lower_bound_bytes_total);
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[8@y,8]{+x}", "f32[8@(x,y),8]")), "reduce_scatter, permute");
}

TEST(PendingPlan, LeavesPendingWhatTheTargetLeavesPending) {
  const Plan change = plan_of("x:4,y:2", "f32[8,8]{+x,y}", "f32[8@x,8]{+y}");
  EXPECT_EQ(steps_of(change), "reduce_scatter");
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[8@x,8]{+y}", "f32[8,8@x]{+y}")), "all_to_all");
}

TEST(PendingPlan, ScalarsAndTinyArraysAreReducedWhole) {
  EXPECT_EQ(steps_of(plan_of("x:4", "f32{+x}", "f32")), "all_reduce");
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[1,1]{max x}", "f32[1,1]")), "all_reduce");
}

TEST(PendingPlan, NeverTurnsOneReductionIntoAnother) {
  const Plan change = plan_of("x:4", "f32[8]{max x}", "f32[8]{+x}");
  EXPECT_EQ(kind_of(change.steps.back().collective), CollectiveKind::keep);
  EXPECT_EQ(std::get<Keep>(change.steps.back().collective.effect).reduce, ReduceOp::sum);
  EXPECT_GT(change.received_bytes_total, 0);
  EXPECT_FALSE(plan_of("x:4,y:2", "f32[8]{max x}", "f32[8]{min x}").steps.empty());
}

TEST(PendingPlan, CutsBeforeItAdds) {
  const Plan change = plan_of("x:4,y:2", "f32[8000,3000]{+y}", "f32[8000@x,3000]");
  EXPECT_EQ(kind_of(change.steps.front().collective), CollectiveKind::slice);
  EXPECT_EQ(change.received_bytes_total, 192'000'000);
  EXPECT_EQ(change.received_bytes_total, change.lower_bound_bytes_total);
  EXPECT_EQ(steps_of(plan_of("x:4,y:8", "f32[1024,1024]{+x}", "f32[1024,1024@y]")), "slice, all_reduce");
}

TEST(PendingPlan, DealsOutWhatReplicasWouldAddTwice) {
  const Plan change = plan_of("x:4,y:2", "f32[8000,3000]{+y}", "f32[8000,3000]");
  EXPECT_EQ(steps_of(change), "slice, reduce_scatter, all_gather");
  EXPECT_EQ(change.received_bytes_total, change.lower_bound_bytes_total);
}

TEST(PendingPlan, MovesTheSumInsteadOfItsPartsWhereThatIsFaster) {
  const RunMachine nodes = on_run({{{"node", 4, 12.5e9, 5e-6}, {"device", 4, 300e9, 1e-6}}});
  const MeshRef on = mesh("a:4,b:4");
  const Plan change =
      test::planned(type("f32[4096@a,4096]{+b}", on), type("f32[4096,4096@a]{+b}", on), PlanOptions{}, nodes);
  EXPECT_EQ(steps_of(change), "reduce_scatter, permute, keep");
  EXPECT_EQ(steps_of(plan_of("x:4,y:2", "f32[8@x,8]{+y}", "f32[8,8@x]{+y}")), "all_to_all");
}

// Gathering the parts and adding them up leaves nothing to move, but the sum of the tiles and a relay are faster.
TEST(PendingPlan, RelaysTheSumWhereAnotherWayLeavesNothingToMove) {
  const MeshRef on = mesh("x:2,y:1,z:7");
  const RunMachine levels = on_run({{{"pod", 2, 3.4e9, 5e-6}, {"node", 3, 9.3e9, 0}, {"device", 4, 28.9e9, 5e-6}}});
  const Plan change = planned(type("f64[6000@z]{+x,y}", on), type("f64[6000@y]", on), PlanOptions{}, levels);
  EXPECT_EQ(steps_of(change), "all_reduce, relay") << print_text(change);
  EXPECT_LT(change.seconds, 61e-6);
}

// Devices of one group of the sum are 10, 11, 0 and 1: in the order of devices they hold other tiles than the first's.
TEST(PendingPlan, OnDevicesInAnyOrder) {
  for (const char* devices : {"w:3,x:4 on (2:12,0:2)", "w:3,x:4 on (11:12,0:11)", "w:3,x:4"}) {
    const MeshRef on = mesh(devices);
    const Plan change = planned(type("i32[2@(x:(2)2,x:(1)2)]{+w}", on), type("i32[2@x]{+w}", on));
    EXPECT_EQ(change.received_bytes_total, 12) << devices;
  }
}

TEST(ChoiceTest, TakesTheFewestBytesOfThoseThatAreAsFast) {
  const Plan change = plan_of("x:2,y:2,z:2", "f32[4096,4096@x]", "f32[4096@z,4096@y]");
  EXPECT_EQ(change.received_bytes_total, 67'108'864);
  EXPECT_EQ(change.peak_bytes, 50'331'648);
}

TEST(PendingPlan, LargeReplicatedSumsAreReducedInPartsOnly) {
  const Plan change = plan_of("x:4,y:2", "f32[4096,4096]{+x}", "f32[4096@y,4096]");
  EXPECT_LE(change.local_bytes_max, change.bound_bytes);
  expect_moves_data(plan_of("x:4,y:2", "i32[16,3]{+x}", "i32[16@y,3]"));
}

// ---- Options and refusals ----

// The second of two steps has the first one's output and its own; and the source, where somebody uses that again.
TEST(PlanOptionsTest, ABudgetHoldsASourceThatLivesOn) {
  const RunMachine nodes = on_run({{{"n", 2, 12.5e9, 5e-6}, {"g", 4, 300e9, 1e-6}}});
  const MeshRef on = mesh("n:2,g:4");
  const ArrayType from = type("f32[1048576@(n,g)]", on);
  const ArrayType to = type("f32[1048576]", on);
  const std::int64_t tile =
      524'288;  // of the source; the refinement's has twice, the target's eight times as many bytes
  PlanOptions options = within(10 * tile);
  options.source = Source::kept_whole;
  const Plan both = test::planned(from, to, options, nodes);
  EXPECT_EQ(steps_of(both), "exchange, all_gather");
  EXPECT_EQ(both.peak_bytes, 10 * tile);
  options.source = Source::lives_on;
  EXPECT_EQ(steps_of(test::planned(from, to, options, nodes)), "all_gather");
  options.within_bytes = 11 * tile;
  EXPECT_EQ(steps_of(test::planned(from, to, options, nodes)), "exchange, all_gather");
  options.within_bytes = 9 * tile - 1;
  EXPECT_THAT(first_message(plan(from, to, nodes, options)), ::testing::HasSubstr("the peak of 4.5 MiB per device"));
}

// The steps of any plan that is chosen, and the source beside them, keep the budget.
RC_GTEST_PROP(PlanOptionsProperty, ABudgetHoldsASourceThatLivesOn, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(2, 40);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType to = any_type(on, shape, true);
  const Plan free = test::planned(from, to);
  PlanOptions options = within(*rc::gen::inRange<std::int64_t>(0, 2 * free.peak_bytes + 1));
  options.source = Source::lives_on;
  const auto made = plan(from, to, Machine{}, options);
  if (!made.ok()) {
    RC_ASSERT(first_error(made) == "over-budget");
    return;
  }
  Chain chain;
  for (const PlanStep& step : made->steps) chain.push_back(step.collective);
  const auto peaks = *step_peaks(chain, from, Source::lives_on);
  for (const std::int64_t peak : peaks) RC_ASSERT(peak <= *options.within_bytes);
}

TEST(PlanOptionsTest, ABudgetNotMetNamesTheLeastThatIs) {
  const MeshRef on = mesh("x:4");
  PlanOptions options = within(320);
  options.source = Source::kept_whole;
  EXPECT_EQ(plan_of("x:4", "f32[8@x,8]", "f32[8,8]", options).peak_bytes, 320);
  options.within_bytes = 319;
  const auto refused = plan(type("f32[8@x,8]", on), type("f32[8,8]", on), Machine{}, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(first_error(refused), "over-budget");
  EXPECT_EQ(refused.errors()[0].help, "least budget: 320 bytes");
}

TEST(PlanOptionsTest, CollectivesOnlyUsesNoExchange) {
  PlanOptions only;
  only.collectives_only = true;
  const Plan change = plan_of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", only);
  for (const PlanStep& step : change.steps) EXPECT_NE(kind_of(step.collective), CollectiveKind::exchange);
  expect_moves_data(change);
  EXPECT_EQ(steps_of(plan_of("x:4", "f32[8@x,8]", "f32[8,8@x]", only)), "all_to_all");
}

// One permutation is not always enough under strictly named axes.
TEST(PlanOptionsTest, CollectivesOnlyMayNeedPermutationsOnBothSides) {
  PlanOptions only;
  only.collectives_only = true;
  const Plan change = plan_of("x:2,y:3,z:2", "f32[6@(y,x),6@z]", "f32[6@x,6@(y,z)]", only);
  EXPECT_EQ(steps_of(change), "permute, all_to_all, permute");
  EXPECT_LE(change.local_bytes_max, change.bound_bytes);
  const Plan uneven = plan_of("x:2,y:3,z:2", "f32[7@(z,x),7@y]", "f32[7@y,7@(z,x)]", only);
  EXPECT_LE(uneven.steps.size(), 5U);
  expect_moves_data(uneven);
}

TEST(PlanOptionsTest, RivalsSayWhatTheyCannotDo) {
  EXPECT_EQ(failure("x:4", "f32[8@x]", "f32[8]{+x}", by(Planner::xla)), "unsupported");
  EXPECT_EQ(failure("x:4,y:2", "f32[8@(y,x)]", "f32[8]", by(Planner::dtensor)), "unsupported");
  EXPECT_EQ(name(Planner::dtensor), "dtensor");
  EXPECT_EQ(planner_by_name("gather"), Planner::gather);
  EXPECT_EQ(planner_by_name("gathers"), std::nullopt);
}

TEST(PlanRefusals, OtherArraysOtherDevicesTooManyBytes) {
  EXPECT_EQ(failure("x:4", "f32[8@x]", "f32[9]"), "as-changes-shape");
  EXPECT_EQ(failure("x:4", "f32[8@x]", "i32[8]"), "as-changes-shape");
  EXPECT_EQ(failure("x:4", "f32[1000000000000000000@x]", "f32[1000000000000000000]"), "size-too-large");
  PlanOptions by_name;
  by_name.collectives_only = true;
  EXPECT_EQ(first_error(plan(type("f32[8@x]", "x:4"), type("f32[8@x]", "x:2"), Machine{}, by_name)), "cross-mesh");
  const RunMachine wrong = on_run({{{"node", 3, 1e9, 1e-6}}});
  EXPECT_EQ(first_error(plan(type("f32[8@x]", "x:4"), type("f32[8]", "x:4"), wrong)), "machine-mismatch");
}

TEST(PlanAcrossMeshes, IsOneExchange) {
  const Plan change = test::planned(type("i32[8@x,6]", "x:4,y:2"), type("i32[8,6@a]", "a:8"));
  EXPECT_EQ(steps_of(change), "exchange");
  expect_moves_data(change);
  const Plan summed = test::planned(type("i32[8,6]{+x}", "x:4,y:2"), type("i32[8,6@a]{+b}", "a:4,b:2"));
  EXPECT_EQ(kind_of(summed.steps.back().collective), CollectiveKind::keep);
  expect_moves_data(summed);
}

TEST(PlanText, IsForPeople) {
  const std::string text = print_text(plan_of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16@y,16@x,16]"));
  EXPECT_EQ(text,
            "f32[16@y, 16, 16@x] -> f32[16@y, 16@x, 16]\n"
            "  step        axes               MPI            local shape               received by each  peak\n"
            "  all_to_all  x: dim 2 -> dim 1  MPI_Alltoallv  [8, 16, 4] -> [8, 4, 16]  1.5 KiB           4 KiB\n"
            "  received  12 KiB in all (at least 12 KiB; gather, then slice: 112 KiB)\n"
            "  array     2 KiB at most on a device (bound 2 KiB)\n"
            "  peak      4 KiB on a device (gather, then slice: 20 KiB)\n"
            "  time      3.015 us by the machine model (at least 15.36 ns)\n");
  EXPECT_EQ(print_text(plan_of("x:4", "f32[8@x]", "f32[8@x]")),
            "f32[8@x] -> f32[8@x]\n  nothing to do: every device holds its part already\n");
}

// Random types, sub-axes and pending sums included, by every planner there is.
RC_GTEST_PROP(PlanProperty, EveryPlanMovesTheData, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(0, 4), 6);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType to = any_type(on, shape, true);
  PlanOptions options;
  options.planner = *rc::gen::element(Planner::tessera, Planner::tessera, Planner::gather);
  options.collectives_only = options.planner == Planner::tessera && *rc::gen::arbitrary<bool>();
  const auto made = plan(from, to, Machine{}, options);
  RC_LOG() << print(*on) << "; " << print(from) << " -> " << print(to) << ": " << first_message(made);
  RC_ASSERT(made.ok());
  RC_ASSERT(made->steps.empty() == same_type(from, to));
  expect_moves_data(*made);
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace tessera::synth::test
