// Twenty thousand plans, right and then with one thing changed: the verifier refuses each, or the change makes no
// difference, which the simulator and figures counted anew have to confirm.
#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

#include "synth/planner/chain.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/support.hpp"
#include "tests/synth/verify/mutations.hpp"

namespace tessera::synth::test {
namespace {

constexpr int kMutants = 22'000;
// At least so many changes of each sort have to be refused, even of those that few plans can suffer.
constexpr int kRefusedLeast = 30;

constexpr std::array kMutations = {
#define ROW(identifier) Mutation::identifier,
    TESSERA_MUTATIONS(ROW)
#undef ROW
};
constexpr std::array kPlanners = {
#define ROW(identifier, text) Planner::identifier,
    TESSERA_PLANNERS(ROW)
#undef ROW
};

struct Sample {
  Plan plan;
  Machine machine;
};

Machine any_machine(std::int64_t devices, Random& random) {
  const std::int64_t node = devices % 4 == 0 ? 4 : devices % 3 == 0 ? 3 : 1;
  if (random.coin()) return Machine{};
  RunMachine machine = on_run({{{"node", devices / node, 12.5e9, 5e-6}, {"device", node, 300e9, 1e-6}}});
  if (random.coin()) machine.levels[0].gap_seconds = 1e-6;
  return machine;
}

std::vector<AxesAt> moves_of(const ArrayType& type) {
  std::vector<AxesAt> moves;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (!type.layout().split(d).empty()) moves.push_back({type.layout().split(d), d});
  }
  return moves;
}

// Slices of all that is free, in one launch, and everything gathered again in one more: steps of several moves.
std::optional<Plan> slices_and_gathers(const ArrayType& from, const ArrayType& to, const Machine& machine) {
  AllGather gather{moves_of(from)};
  Slice slice{moves_of(to)};
  Chain chain;
  if (!gather.moves.empty()) chain.push_back({std::move(gather), Direct{}});
  if (!slice.moves.empty()) chain.push_back({std::move(slice), Direct{}});
  auto made = plan_of_steps(from, chain, machine);
  return made.ok() ? std::optional(std::move(*made)) : std::nullopt;
}

// The plan within as few bytes as may be, or a few more: mostly an exchange in rounds.
std::optional<Plan> in_little_memory(const ArrayType& from, const ArrayType& to, const Machine& machine,
                                     Random& random) {
  const auto whole = plan(from, to, machine);
  if (!whole.ok() || whole->peak_bytes < 2) return std::nullopt;
  PlanOptions options;
  options.within_bytes = whole->peak_bytes - 1 - static_cast<std::int64_t>(random.below(12));
  auto made = plan(from, to, machine, options);
  return made.ok() ? std::optional(std::move(*made)) : std::nullopt;
}

// A verified plan of some planner for some change of layout, of steps of several moves, or in rounds.
std::optional<Sample> any_sample(Random& random) {
  static const std::vector<MeshRef> meshes{mesh("x:2,y:2"),
                                           mesh("x:4,y:2"),
                                           mesh("x:2,y:3"),
                                           mesh("x:2,y:2,z:2"),
                                           mesh("x:6,y:2"),
                                           mesh("x:4,y:3"),
                                           mesh("x:2 work(3,1),y:3 work(1,2,2)"),
                                           mesh("x:4 work(4,2,1,1),y:2")};
  const MeshRef& on = meshes[random.below(meshes.size())];
  Shape shape;
  for (std::size_t rank = 1 + random.below(3); rank > 0; --rank) {
    const std::size_t extent = random.below(20) == 0 ? 0 : 1 + random.below(shape.size() < 2 ? 12 : 4);
    shape.push_back(static_cast<std::int64_t>(extent));
  }
  const bool sums = random.coin();
  const auto any_type = [&](bool pending) {
    return *ArrayType::make(ElementType::i32, shape, on, any_layout(*on, shape.size(), pending, random));
  };
  const ArrayType from = any_type(sums);
  const ArrayType to = any_type(sums && random.coin());
  Sample sample{{}, any_machine(on->devices(), random)};
  if (random.below(4) == 0) {
    if (auto made = slices_and_gathers(from, to, sample.machine)) {
      sample.plan = std::move(*made);
      return sample;
    }
  }
  if (random.below(4) == 0) {
    if (auto made = in_little_memory(from, to, sample.machine, random)) {
      sample.plan = std::move(*made);
      return sample;
    }
  }
  PlanOptions options;
  options.planner = kPlanners[random.below(kPlanners.size())];
  auto made = plan(from, to, sample.machine, options);
  if (!made.ok()) return std::nullopt;
  sample.plan = std::move(*made);
  return sample;
}

// Does every step lead to the layout that is said to follow it?
bool steps_lead_where_they_say(const Plan& plan) {
  ArrayType type = plan.from;
  for (const PlanStep& step : plan.steps) {
    const auto after = apply(step.collective, type);
    if (!after.ok() || !same_type(*after, step.after)) return false;
    type = step.after;
  }
  return type.mesh() == plan.to.mesh() && type.element() == plan.to.element() && type.shape() == plan.to.shape();
}

// A plan that the verifier takes has to be one that is right.
void expect_right(const Plan& taken, const Machine& machine) {
  EXPECT_TRUE(steps_lead_where_they_say(taken)) << print_text(taken);
  Plan counted = taken;
  ASSERT_TRUE(recount(counted, machine)) << print_text(taken);
  EXPECT_TRUE(same_figures(taken, counted)) << print_text(taken) << print_text(counted);
  EXPECT_TRUE(!taken.bound_promised || counted.local_bytes_max <= counted.bound_bytes);
  expect_moves_data(taken);
}

struct Tally {
  int refused = 0;
  int harmless = 0;
};

// All figures may follow the change, and the layouts after the steps where it is not one of those, so that nothing but
// the steps can be found wrong. Figures that cannot follow stay as they were.
void cover_up(Plan& plan, const Machine& machine, bool may_follow, Random& random) {
  if (may_follow && random.coin()) {
    Plan followed = plan;
    if (follow_steps(followed)) plan = followed;
  }
  if (random.below(4) > 0) {
    Plan counted = plan;
    if (recount(counted, machine)) plan = counted;
  }
}

// One changed plan; nothing where it could not be changed so.
void try_mutation(const Sample& sample, Mutation mutation, Random& random, Tally& tally) {
  Plan mutant = sample.plan;
  if (!mutate(mutant, mutation, random)) return;
  const bool of_layouts = mutation == Mutation::tile_shifted || mutation == Mutation::pending_changed;
  if (is_of_steps(mutation)) cover_up(mutant, sample.machine, !of_layouts, random);
  if (!verify(mutant, sample.machine).ok()) {
    ++tally.refused;
    return;
  }
  ++tally.harmless;
  SCOPED_TRACE(fmt::format("{}, taken:\n{}\nwas:\n{}", name(mutation), print_text(mutant), print_text(sample.plan)));
  expect_right(mutant, sample.machine);
}

TEST(Mutations, AreRefusedOrHarmless) {
  Random random(20240607);
  std::map<Mutation, Tally> tallies;
  int mutants = 0;
  while (mutants < kMutants && !HasFailure()) {
    const auto sample = any_sample(random);
    if (!sample) continue;
    for (const Mutation mutation : kMutations) {
      Tally& tally = tallies[mutation];
      const int before = tally.refused + tally.harmless;
      try_mutation(*sample, mutation, random, tally);
      mutants += tally.refused + tally.harmless - before;
    }
  }
  for (const auto& [mutation, tally] : tallies) {
    RecordProperty(std::string(name(mutation)), fmt::format("{} refused, {} harmless", tally.refused, tally.harmless));
    EXPECT_GE(tally.refused, kRefusedLeast) << name(mutation) << ": " << tally.harmless << " harmless";
    EXPECT_GT(tally.refused, tally.harmless / 2) << name(mutation);
  }
}

// The figures that a plan says of itself are those counted anew, so that a difference is due to the change.
TEST(Mutations, StartFromPlansWithTheirFigures) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const auto sample = any_sample(random);
    if (sample) expect_right(sample->plan, sample->machine);
  }
}

}  // namespace
}  // namespace tessera::synth::test
