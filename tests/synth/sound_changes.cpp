#include "tests/synth/sound_changes.hpp"

#include <algorithm>

#include "synth/planner/chains.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_text.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {

namespace {

// The simplest candidate: all that is pending scattered or reduced, one exchange, a keep.
Plan direct_plan(const ArrayType& from, const ArrayType& to) {
  const PendingChange change = pending_change(from, to);
  Chain chain;
  if (!change.resolve.empty()) chain.push_back(all_reduce_step(change.resolve));
  const ArrayType target = *without_keeps(to, change);
  const ArrayType resolved = *after_chain(chain, from);
  for (const Collective& step : direct_move(resolved, target, !change.keep.empty())) chain.push_back(step);
  if (!change.keep.empty()) chain.push_back(keep_step(change.keep, to.layout().reduce()));
  return *plan_of_steps(from, chain, Machine{});
}

std::int64_t launches_of(const Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& s) { return is_launch(s.collective); });
}

}  // namespace

void expect_sound(const ArrayType& from, const ArrayType& to) {
  const auto made = plan(from, to, Machine{});
  ASSERT_TRUE(made.ok()) << print(from) << " -> " << print(to) << ": " << first_message(made);
  EXPECT_TRUE(made->verified);
  EXPECT_LE(made->local_bytes_max, made->bound_bytes) << print_text(*made);
  EXPECT_EQ(made->steps.empty(), same_type(from, to)) << print_text(*made);
  EXPECT_GE(made->seconds, made->lower_bound_seconds * (1 - 1e-9)) << print_text(*made);
  if (made->steps.empty()) return;
  // A plan of few launches keeps the bound and is among the candidates; only one that gains something may have more.
  const bool pending = !from.layout().pending().empty() || !to.layout().pending().empty();
  const Plan direct = direct_plan(from, to);
  EXPECT_LE(direct.local_bytes_max, direct.bound_bytes);
  EXPECT_LE(launches_of(direct), pending ? 2 : 1);
  if (!pending) {
    EXPECT_EQ(direct.received_bytes_total, direct.lower_bound_bytes_total) << print_text(direct);
  }
  EXPECT_LE(made->seconds, direct.seconds * kAsFast) << print_text(*made) << print_text(direct);
  const bool few = launches_of(*made) <= (pending ? 3 : 2);
  const bool gains = made->seconds < direct.seconds || made->received_bytes_total < direct.received_bytes_total ||
                     made->peak_bytes < direct.peak_bytes;
  EXPECT_TRUE(few || gains) << print_text(*made) << print_text(direct);
  expect_moves_data(*made);
}

std::vector<ArrayType> types_of(const MeshRef& on, const Shape& shape, const std::vector<Layout>& layouts) {
  std::vector<ArrayType> types;
  for (const Layout& layout : layouts) types.push_back(*ArrayType::make(ElementType::i32, shape, on, layout));
  return types;
}

void expect_all_pairs_sound(const std::vector<ArrayType>& types, std::size_t every) {
  std::size_t number = 0;
  for (const ArrayType& from : types) {
    for (const ArrayType& to : types) {
      if (number++ % every == 0) expect_sound(from, to);
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace tessera::synth::test
