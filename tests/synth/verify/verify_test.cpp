// The verifier refuses what is wrong: dropped steps, swapped axes, other tiles, every changed figure.
#include "synth/verify/verify.hpp"

#include <fmt/format.h>

#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_text.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::HasSubstr;

std::string verdict(const Plan& plan) { return first_message(verify(plan, Machine{})); }

Plan of(std::string_view on, std::string_view from, std::string_view to, Planner planner = Planner::tessera) {
  const MeshRef shared = mesh(on);
  PlanOptions options;
  options.planner = planner;
  return planned(type(from, shared), type(to, shared), options);
}

// Plans of every kind of step, and of several steps.
std::vector<Plan> samples() {
  return {of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]"),
          of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", Planner::gather),
          of("x:4", "f32[6@x,7]", "f32[6,7@x]"),
          of("x:4", "f32[8,8]", "f32[8@x,8]"),
          of("x:2,y:2", "f32[8@(x,y)]", "f32[8@(y,x)]"),
          of("x:4,y:2", "f32[8,8]{+x,y}", "f32[8@x,8@y]"),
          of("x:4", "f32[9]{max x}", "f32[9]"),
          of("x:4,y:2", "f32[8@y,8]{+x}", "f32[8@(x,y),8]"),
          of("x:4", "f32[8]{max x}", "f32[8]{+x}"),
          of("x:4", "f32[8]", "f32[8]{+x}")};
}

void expect_refused(const Plan& plan, const std::string& what) {
  EXPECT_NE(verdict(plan), "") << what << "\n" << print_text(plan);
}

TEST(VerifyTest, AcceptsTheSamples) {
  for (const Plan& plan : samples()) EXPECT_EQ(verdict(plan), "");
}

TEST(VerifyTest, RefusesADroppedStep) {
  for (const Plan& plan : samples()) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      Plan wrong = plan;
      wrong.steps.erase(wrong.steps.begin() + static_cast<std::ptrdiff_t>(i));
      expect_refused(wrong, fmt::format("without step {}", i));
    }
  }
}

TEST(VerifyTest, RefusesEveryChangedFigure) {
  using Field = std::int64_t Plan::*;
  for (const Field field : {&Plan::received_bytes_total, &Plan::lower_bound_bytes_total, &Plan::local_bytes_max,
                            &Plan::bound_bytes, &Plan::peak_bytes}) {
    for (Plan plan : samples()) {
      plan.*field += 4;
      expect_refused(plan, "a figure of the plan");
    }
  }
  for (double Plan::* field : {&Plan::seconds, &Plan::lower_bound_seconds}) {
    for (Plan plan : samples()) {
      plan.*field += 1e-9;
      expect_refused(plan, "a time of the plan");
    }
  }
}

TEST(VerifyTest, RefusesEveryChangedFigureOfAStep) {
  using Field = std::int64_t PlanStep::*;
  for (const Field field : {&PlanStep::local_bytes_max, &PlanStep::received_bytes_total, &PlanStep::received_bytes_max,
                            &PlanStep::groups, &PlanStep::group_size, &PlanStep::peak_bytes}) {
    for (Plan plan : samples()) {
      plan.steps[0].*field += 1;
      expect_refused(plan, "a figure of a step");
    }
  }
  for (Plan plan : samples()) {
    plan.steps[0].seconds += 1e-9;
    expect_refused(plan, "a time of a step");
  }
}

// Of a step that leads to a target.
void retarget(PlanStep& step, const ArrayType& target) {
  if (auto* permute = std::get_if<Permute>(&step.collective.effect))
    permute->target = target;
  else
    std::get<Exchange>(step.collective.effect).target = target;
}

TEST(VerifyTest, RefusesAChangedTile) {
  for (const Plan& plan : samples()) {
    for (const Layout& layout : all_layouts(plan.from.mesh(), plan.from.rank())) {
      Plan wrong = plan;
      PlanStep& last = wrong.steps.back();
      const auto other =
          Layout::make(plan.from.mesh(), layout.splits(), last.after.layout().pending(), last.after.layout().reduce());
      if (!other.ok() || *other == last.after.layout()) continue;
      last.after = *last.after.with_layout(*other);
      if (target_of(last.collective) != nullptr) retarget(last, last.after);
      expect_refused(wrong, "another end");
    }
  }
}

TEST(VerifyTest, RefusesSwappedAxes) {
  const ArrayType sum = type("f32[16,16]{+x,y}", "x:4,y:4");
  Plan plan = *plan_of_steps(sum, {reduce_scatter_step(sum.layout().pending(), 0)}, Machine{});
  auto& scatter = std::get<ReduceScatter>(plan.steps[0].collective.effect);
  std::swap(scatter.axes[0], scatter.axes[1]);
  EXPECT_THAT(verdict(plan), HasSubstr("step 1 (reduce_scatter): a reduce_scatter does not give this type"));
  Plan gather = of("x:4,y:4", "f32[16@(x,y)]", "f32[16@x]");
  std::get<AllGather>(gather.steps[0].collective.effect).moves[0].axes = {whole_axis(gather.from.mesh(), 0)};
  EXPECT_THAT(verdict(gather), HasSubstr("an all_gather does not give this type"));
}

TEST(VerifyTest, KnowsWhatAScatterCutsFurther) {
  Plan plan = of("a:5,b:4", "f32[40,8]{+b}", "f32[40@(b,a),8]");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(verdict(plan), "");
  auto& scatter = std::get<ReduceScatter>(plan.steps[0].collective.effect);
  ASSERT_EQ(scatter.cut, AxisList{whole_axis(plan.from.mesh(), 0)});
  std::swap(scatter.axes, scatter.cut);
  EXPECT_THAT(verdict(plan), HasSubstr("a reduce_scatter does not give this type"));
  std::swap(scatter.axes, scatter.cut);
  scatter.cut.clear();
  EXPECT_THAT(verdict(plan), HasSubstr("a reduce_scatter does not give this type"));
  scatter.cut = {AxisPart{9, 1, 5}};
  EXPECT_THAT(verdict(plan), HasSubstr("its axes are not those of the mesh"));
  scatter.cut = scatter.axes;
  EXPECT_THAT(verdict(plan), HasSubstr("its axes are not those of the mesh"));
}

TEST(VerifyTest, RefusesStepsThatMayNotBeTaken) {
  Plan plan = of("x:4", "f32[8@x,8]", "f32[8,8@x]");
  AxisMove& move = std::get<AllToAll>(plan.steps[0].collective.effect).moves[0];
  move.to = 5;
  EXPECT_THAT(verdict(plan), HasSubstr("it names a dimension that is not there"));
  move.to = 1;
  move.axes = {AxisPart{9, 1, 4}};
  EXPECT_THAT(verdict(plan), HasSubstr("its axes are not those of the mesh"));
  move.axes = {AxisPart{0, 1, 4}, AxisPart{0, 1, 4}};
  EXPECT_THAT(verdict(plan), HasSubstr("its axes are not those of the mesh"));
  move.axes.clear();
  EXPECT_THAT(verdict(plan), HasSubstr("its axes are not those of the mesh"));
  plan.steps[0].collective.effect = Permute{};
  EXPECT_THAT(verdict(plan), HasSubstr("its type is not its target"));
  plan.steps[0].collective.effect = Permute{plan.to};
  EXPECT_THAT(verdict(plan), HasSubstr("a permute changes the tiles"));
}

TEST(VerifyTest, NeverLetsAMaximumBecomeASum) {
  Plan plan = of("x:4", "f32[8]{max x}", "f32[8]");
  plan.to = *plan.from.with_layout(*Layout::make(plan.from.mesh(), {{}}, plan.from.layout().pending(), ReduceOp::sum));
  plan.steps.clear();
  EXPECT_THAT(verdict(plan), HasSubstr("the end has another pending set"));
}

TEST(VerifyTest, RefusesAnArrayLargerThanBothEnds) {
  Plan plan = of("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", Planner::gather);
  plan.bound_promised = true;
  EXPECT_THAT(verdict(plan), HasSubstr("an array is larger than both ends"));
  plan.bound_promised = false;
  EXPECT_EQ(verdict(plan), "");
}

TEST(VerifyTest, RefusesABoundThatCannotBe) {
  Plan plan = of("x:4", "f32[8@x,8]", "f32[8,8@x]");
  const RunMachine slow = on_run({{{"node", 4, 1e3, 1e-3}}});
  EXPECT_THAT(first_message(verify(plan, slow)), HasSubstr("seconds says 3.00048e-06, the replay finds 0.051"));
  const RunMachine other = on_run({{{"node", 3, 1e3, 1e-3}}});
  EXPECT_EQ(first_error(verify(plan, other)), "machine-mismatch");
}

TEST(VerifyTest, RefusesBytesBeyondCounting) {
  const MeshRef on = mesh("x:1024");
  Plan plan;
  plan.from = type("f32[1000000000000000000@x]", on);
  plan.to = type("f32[1000000000000000000]", on);
  EXPECT_THAT(verdict(plan), HasSubstr("its bytes are too many to count"));
}

// A mutated step type, whatever it is, never passes for the plan's own.
RC_GTEST_PROP(VerifyProperty, NoOtherStepPasses, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(2, 12);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType to = any_type(on, shape, true);
  Plan plan = planned(from, to);
  if (plan.steps.empty()) return;
  const auto at = *rc::gen::inRange<std::size_t>(0, plan.steps.size());
  const ArrayType other = any_type(on, shape, true);
  if (same_type(plan.steps[at].after, other)) return;
  // Before a step that leads anywhere, another middle may be as good.
  if (at + 1 < plan.steps.size() && target_of(plan.steps[at + 1].collective) != nullptr) return;
  plan.steps[at].after = other;
  if (target_of(plan.steps[at].collective) != nullptr) retarget(plan.steps[at], other);
  RC_ASSERT(!verify(plan, Machine{}).ok());
}

}  // namespace
}  // namespace tessera::synth::test
