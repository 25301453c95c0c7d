// Ten thousand relays with one thing changed: the verifier refuses each, or the change makes no difference, which the
// simulator on real data and the price counted anew have to confirm.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/collective.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/moves/relays.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr int kMutants = 10'000;

// A part of a task with something in it.
RelayPart& any_part(RelayRecipe& recipe, Random& random) {
  auto& parts = recipe.tasks[random.below(recipe.tasks.size())];
  return parts[random.below(parts.size())];
}

void change(RelayRecipe& recipe, std::int64_t devices, Random& random) {
  RelayPart& part = any_part(recipe, random);
  std::int32_t& source = part.sources[random.below(part.sources.size())];
  switch (random.below(8)) {
    case 0: source = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(devices))); break;
    case 1: std::swap(source, part.sources[random.below(part.sources.size())]); break;
    case 2: part.sources.pop_back(); break;
    case 3: part.weight = static_cast<std::int32_t>(random.below(4)); break;
    case 4: recipe.stretches += static_cast<std::int64_t>(random.below(3)) - 1; break;
    case 5: recipe.hops += random.coin() ? 1 : -1; break;
    case 6:
      recipe.tasks.erase(recipe.tasks.begin() + static_cast<std::ptrdiff_t>(random.below(recipe.tasks.size())));
      break;
    default: recipe.tasks.push_back(recipe.tasks[random.below(recipe.tasks.size())]); break;
  }
}

PlanStep* relay_of(Plan& plan) {
  for (PlanStep& step : plan.steps) {
    if (relay_of(step.collective) != nullptr) return &step;
  }
  return nullptr;
}

using AnyChange = RandomChange (*)(Random& random);

void expect_refused_or_harmless(AnyChange any_change) {
  Random random(7);
  int mutants = 0;
  int refused = 0;
  while (mutants < kMutants) {
    const RandomChange problem = any_change(random);
    const std::int64_t devices = run_devices(problem.from, problem.to);
    const Plan right = planned(problem.from, problem.to, {}, problem.machine);
    for (int i = 0; i < 50; ++i) {
      Plan wrong = right;
      PlanStep* const step = relay_of(wrong);
      if (step == nullptr) break;
      RelayRecipe recipe = *relay_of(step->collective);
      change(recipe, devices, random);
      ++mutants;
      step->collective.recipe = std::make_shared<const RelayRecipe>(recipe);
      const base::Status verdict = verify(wrong, problem.machine);
      refused += verdict.ok() ? 0 : 1;
      if (!verdict.ok()) continue;
      expect_moves_data(wrong);
      ASSERT_FALSE(::testing::Test::HasFailure()) << print_json(right) << "\n" << print_json(wrong);
    }
  }
  EXPECT_GE(refused, mutants / 2);
}

TEST(RelayMutations, AreRefusedOrMakeNoDifference) { expect_refused_or_harmless(random_change); }
TEST(RelayMutations, AreRefusedOrMakeNoDifferenceBetweenMeshes) { expect_refused_or_harmless(random_change_between); }

}  // namespace
}  // namespace tessera::synth::test
