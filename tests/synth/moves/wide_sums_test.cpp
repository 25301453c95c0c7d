// Sums over more members, or on more devices, than are looked at one by one: what follows from the digits of positions
// is what members say one by one, on every program small enough for both; and the plans on many devices.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/moves/collective/even_sum.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/prices/even_traffic.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/reduce/price.hpp"
#include "synth/moves/transfer/reduce_moves.hpp"
#include "synth/planner/programs.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/programs.hpp"
#include "synth/verify/verify.hpp"
#include "synth/verify/wide.hpp"
#include "tests/synth/programs.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// A mesh, the levels that it lies on, and the primes of its axes, which steps are made of.
struct Ground {
  std::string mesh;
  std::vector<std::int64_t> counts;
};
const std::vector<Ground> kGrounds{
    {"x:4", {2, 2}},        {"x:8", {2, 4}},       {"x:8", {2, 2, 2}},
    {"x:12", {3, 4}},       {"x:2,y:6", {2, 6}},   {"x:4,y:3", {3, 4}},
    {"x:6,y:2", {2, 2, 3}}, {"x:3,y:4,z:2", {24}}, {"x:4,y:4 place [[2,2],[2,2]]", {4, 4}}};

Machine machine_of(const Ground& ground, Random& random) {
  Machine machine;
  double bandwidth = 1e6;
  for (const std::int64_t count : ground.counts) {
    machine.levels.push_back({"level", count, bandwidth, random.coin() ? 0 : 1e-6});
    bandwidth *= 4;
  }
  return machine;
}

AxisList primes_of(const Mesh& mesh, const AxisList& axes) {
  AxisList primes;
  for (const AxisPart& part : axes) {
    std::int64_t before = part.before;
    std::int64_t rest = part.size;
    for (std::int64_t prime = 2; rest > 1; ++prime) {
      for (; rest % prime == 0; rest /= prime, before *= prime) {
        AxisPart digit = whole_axis(mesh, part.axis);
        digit.before = before;
        digit.size = prime;
        primes.push_back(digit);
      }
    }
  }
  return primes;
}

// Steps over some of the digits in any order; most sum what is open and gather what is scattered.
ReduceProgram random_program(const AxisList& primes, Random& random) {
  ReduceProgram program;
  std::map<std::size_t, int> sums;  // of every prime: 0 open, 1 scattered, 2 whole
  for (std::size_t count = 1 + random.below(5); program.steps.size() < count;) {
    ReduceStep step;
    step.kind = static_cast<ReduceStepKind>(random.below(random.below(8) == 0 ? 5 : 2));
    if (random.coin()) step.kind = ReduceStepKind::all_gather;
    const int wanted = step.kind == ReduceStepKind::all_gather ? 1 : 0;
    for (std::size_t i = 0; i < primes.size(); ++i) {
      if (random.below(3) == 0 || (sums[i] != wanted && random.below(20) != 0)) continue;
      step.axes.push_back(primes[i]);
      sums[i] = step.kind == ReduceStepKind::reduce_scatter ? 1 : 2;
    }
    if (step.axes.empty()) {
      if (random.below(4) == 0) --count;
      if (count == program.steps.size()) break;
      continue;
    }
    if (random.below(20) == 0) step.first = {primes[random.below(primes.size())]};
    if (random.coin()) step.form = ReduceForm::halving;
    if (step.form == ReduceForm::direct) step.axes = canonical(step.axes);
    program.steps.push_back(step);
  }
  program.stretches = static_cast<std::int64_t>(1 + random.below(4));
  return program;
}

// All that is left to do, so that many programs end where they have to.
ReduceProgram finished(ReduceProgram program, const AxisList& primes, bool scatters) {
  for (const AxisPart& prime : primes) {
    int sums = 0;
    for (const ReduceStep& step : program.steps) {
      const bool meets = std::any_of(step.axes.begin(), step.axes.end(), [&](const AxisPart& part) {
        return part.axis == prime.axis && part.before <= prime.before && end_of(prime) <= end_of(part);
      });
      if (meets) sums = step.kind == ReduceStepKind::reduce_scatter ? 1 : 2;
    }
    if (sums == 0)
      program.steps.push_back({scatters ? ReduceStepKind::reduce_scatter : ReduceStepKind::all_reduce, {prime}, {}});
    if (sums == 1 && !scatters) program.steps.push_back({ReduceStepKind::all_gather, {prime}, {}});
  }
  return program;
}

bool is_even(const ReduceProgram& program) {
  return std::all_of(program.steps.begin(), program.steps.end(), [](const ReduceStep& step) {
    return step.first.empty() && step.kind != ReduceStepKind::reduce && step.kind != ReduceStepKind::broadcast;
  });
}

using Move = std::tuple<std::int32_t, std::vector<std::pair<std::int32_t, bool>>, std::vector<std::int32_t>>;
std::vector<Move> sorted(const std::vector<ReduceMove>& moves) {
  std::vector<Move> all;
  for (const ReduceMove& move : moves) {
    std::vector<std::pair<std::int32_t, bool>> from;
    for (const ReduceMove::From& of : move.from) from.emplace_back(of.member, of.of_source);
    all.emplace_back(move.to, from, move.chunks);
  }
  std::sort(all.begin(), all.end());
  return all;
}

void expect_alike(const ReduceMoves& one_by_one, const EvenProgram& even) {
  const ReduceMoves wide = wide_moves(even);
  ASSERT_EQ(wide.hops.size(), one_by_one.hops.size());
  EXPECT_EQ(wide.hop_slots, one_by_one.hop_slots);
  EXPECT_EQ(wide.stretches, one_by_one.stretches);
  EXPECT_EQ(wide.has_aside, one_by_one.has_aside);
  for (std::size_t hop = 0; hop < wide.hops.size(); ++hop) {
    EXPECT_EQ(wide.hops[hop].slot, one_by_one.hops[hop].slot);
    EXPECT_EQ(wide.hops[hop].aside, one_by_one.hops[hop].aside);
    std::vector<ReduceMove> all;
    for (std::int32_t member = 0; member < wide.members; ++member) {
      if (place_of(even.hops[hop].digits, member) != 0) continue;
      for (ReduceMove& move : moves_with(even, hop, member)) all.push_back(std::move(move));
    }
    EXPECT_EQ(sorted(all), sorted(one_by_one.hops[hop].moves)) << "hop " << hop;
  }
  std::int64_t most = 0;
  for (std::int32_t member = 0; member < wide.members; ++member) {
    EXPECT_EQ(wide.foreign_of(member), one_by_one.foreign_of(member));
    most = std::max(most, std::ssize(one_by_one.foreign_of(member)));
    for (std::int32_t chunk = 0; chunk < wide.members; ++chunk)
      EXPECT_EQ(wide.is_foreign(member, chunk), one_by_one.is_foreign(member, chunk));
  }
  EXPECT_EQ(even.foreign, most);
  EXPECT_EQ(sum_tree(wide, 0).nodes, sum_tree(one_by_one, 0).nodes);
}

TEST(EvenPrograms, AreWhatMembersSayOneByOne) {
  Random random(21);
  int even = 0;
  int refused = 0;
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) {
    const MeshRef on = mesh(kGrounds[random.below(kGrounds.size())].mesh);
    AxisList reduced;
    for (std::size_t axis = 0; axis < on->axes().size(); ++axis) {
      if (axis == 0 || random.coin()) reduced.push_back(whole_axis(*on, axis));
    }
    const AxisList primes = primes_of(*on, reduced);
    const bool scatters = random.below(3) == 0;
    ReduceProgram program = random_program(primes, random);
    if (random.below(4) != 0) program = finished(program, primes, scatters);
    const auto one_by_one = reduce_moves(reduced, scatters, program);
    const auto digits = even_program(reduced, scatters, program);
    ASSERT_EQ(digits.has_value(), one_by_one.has_value() && is_even(program)) << print(*on, program);
    (digits ? even : refused) += 1;
    if (digits) expect_alike(*one_by_one, *digits);
  }
  EXPECT_GE(even, 1'000);
  EXPECT_GE(refused, 1'000);
}

TEST(ExampleOf, EvenProgram) {
  const MeshRef on = mesh("dp:64");
  const auto steps =
      parse_reduce_program(*on, "reduce_scatter dp:(4)16; all_reduce dp:(1)4; all_gather dp:(4)16").value();
  const EvenProgram program = even_program({whole_axis(*on, 0)}, false, steps).value();
  std::vector<std::pair<std::int64_t, std::int64_t>> hops;
  for (const EvenHop& hop : program.hops) hops.emplace_back(hop.talkers - 1, hop.chunks);
  EXPECT_EQ(hops, (std::vector<std::pair<std::int64_t, std::int64_t>>{{15, 4}, {3, 1}, {3, 1}, {15, 4}}));
}

void expect_alike(const StepLoads& a, const StepLoads& b) {
  const auto expect_same = [](const SlotLoad& one, const SlotLoad& other) {
    ASSERT_EQ(one.links.size(), other.links.size());
    for (std::size_t l = 0; l < one.links.size(); ++l) {
      EXPECT_EQ(one.links[l].level, other.links[l].level);
      EXPECT_NEAR(one.links[l].seconds, other.links[l].seconds, 1e-9 * one.links[l].seconds);
    }
    EXPECT_NEAR(static_cast<double>(one.received_bytes), static_cast<double>(other.received_bytes), 1);
  };
  EXPECT_EQ(a.hops, b.hops);
  ASSERT_EQ(a.slots.size(), b.slots.size());
  for (std::size_t s = 0; s < a.slots.size(); ++s) expect_same(a.slots[s], b.slots[s]);
  expect_same(a.all, b.all);
  ASSERT_EQ(a.each_hop.size(), b.each_hop.size());
  for (std::size_t h = 0; h < a.each_hop.size(); ++h) {
    const HopLoad& one = a.each_hop[h];
    const HopLoad& other = b.each_hop[h];
    EXPECT_EQ(std::tuple(one.receivers, one.received_bytes_min, one.received_bytes_max, one.senders_min),
              std::tuple(other.receivers, other.received_bytes_min, other.received_bytes_max, other.senders_min));
    EXPECT_EQ(std::tuple(one.senders_max, one.receiver, one.senders),
              std::tuple(other.senders_max, other.receiver, other.senders));
    expect_same(one.load, other.load);
  }
}

// Where tiles are as large as each other and divide evenly, nothing is rounded.
TEST(EvenSums, HaveTheFiguresOfMembersOneByOne) {
  Random random(22);
  int alike = 0;
  int unlike = 0;  // groups that do not all lie alike
  for (int i = 0; i < 6'000 && !HasFailure(); ++i) {
    const Ground& ground = kGrounds[random.below(kGrounds.size())];
    const MeshRef on = mesh(ground.mesh);
    const RunMachine machine = *machine_for(machine_of(ground, random), *on);
    const bool all = random.coin();
    const std::string summed = all && on->axes().size() > 1 ? (on->axes().size() > 2 ? "x,y,z" : "x,y") : "x";
    const bool scatters = random.coin();
    const ArrayType from = type("i64[576,7]{+" + summed + "}", on);
    const ArrayType to = type(scatters ? "i64[576@(" + summed + "),7]" : "i64[576,7]", on);
    const AxisList reduced = from.layout().pending();
    const AxisList primes = primes_of(*on, reduced);
    const ReduceProgram program = finished(random_program(primes, random), primes, scatters);
    Collective step = scatters ? reduce_scatter_step(to.layout().split(0), 0) : all_reduce_step(reduced);
    step.recipe = std::make_shared<const ReduceProgram>(program);
    const auto sum = EvenSum::of_any_size(step, from, to);
    verifier::ReductionRequest request{on, reduced, scatters, {}, 8};
    for (std::int64_t device = 0; device < to.devices(); ++device)
      request.elements.push_back(elements(tile(to, device)));
    verifier::ProgramFigures wide;
    EXPECT_EQ(sum.has_value(), !verifier::replay_wide(request, program, machine, wide).has_value())
        << print(*on, program);
    if (!sum) continue;
    const auto reduction = ProgrammedReduction::of(step, from, to);
    ASSERT_TRUE(reduction.has_value());
    const EvenTraffic traffic(machine, *sum, to);
    const StepCost cost = traffic.cost();
    const StepCost exact = reduction->cost(Cluster(machine));
    EXPECT_NEAR(cost.seconds, exact.seconds, 1e-9 * exact.seconds) << ground.mesh << print(*on, program);
    EXPECT_EQ(cost.received_bytes_total, exact.received_bytes_total);
    EXPECT_EQ(cost.received_bytes_max, exact.received_bytes_max);
    EXPECT_EQ(cost.peers, exact.peers);
    EXPECT_EQ(sum->received_elements(), reduction->received_elements());
    EXPECT_EQ(sum->beside_bytes(), reduction->beside_bytes());
    StepLoads loads = loads_of(machine, step, from, to);
    expect_alike(traffic.loads(), loads);
    verifier::ProgramFigures figures;
    ASSERT_FALSE(verifier::replay_program(request, program, machine, figures).has_value());
    EXPECT_NEAR(wide.seconds, figures.seconds, 1e-9 * figures.seconds);
    EXPECT_EQ(wide.hops, figures.hops);
    EXPECT_EQ(wide.received_bytes, figures.received_bytes);
    EXPECT_EQ(wide.beside_bytes, figures.beside_bytes);
    (fills_units(Cluster(machine), *on) && matrix_on(*on, machine) ? alike : unlike) += 1;
  }
  EXPECT_GE(alike, 300);
  EXPECT_GE(unlike, 50);
}

// Where they do not, no chunk counts for more than an element less or more than it has.
TEST(EvenSums, AreOffByAnElementOfEachChunk) {
  Random random(23);
  int compared = 0;
  for (int i = 0; i < 2'000 && !HasFailure(); ++i) {
    const RandomSum problem = random_sum(random);
    const Plan plan = plan_of(problem);
    ArrayType before = plan.from;
    for (const PlanStep& step : plan.steps) {
      const bool is_whole = kind_of(step.collective) == CollectiveKind::all_reduce;
      const auto sum = EvenSum::of_any_size(step.collective, before, step.after);
      if (is_whole && sum) {
        const auto exact = ProgrammedReduction::of(step.collective, before, step.after)->received_elements();
        const auto even = sum->received_elements();
        std::int64_t chunks = 0;
        for (const EvenHop& hop : sum->program().hops) chunks += (hop.talkers - 1) * hop.chunks;
        for (std::size_t device = 0; device < exact.size(); ++device)
          EXPECT_LE(std::abs(exact[device] - even[device]), chunks);
        ++compared;
      }
      before = step.after;
    }
  }
  EXPECT_GE(compared, 50);
}

TEST(WideSums, ArePlannedVerifiedAndRefusedWhenChanged) {
  Random random(24);
  int programs = 0;
  int refused = 0;
  int taken = 0;
  for (int i = 0; i < 25 && !HasFailure(); ++i) {
    const RandomSum problem = random_wide_sum(random);
    const Plan plan = plan_of(problem);
    const std::string text = print_json(plan);
    const auto read = read_json(text);
    ASSERT_TRUE(read.ok()) << first_message(read) << "\n" << text;
    EXPECT_EQ(print_json(*read), text);
    EXPECT_TRUE(verify(*read, problem.machine).ok()) << text;
    ArrayType before = plan.from;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      const Collective& step = plan.steps[s].collective;
      if (program_of(step) != nullptr) {
        ++programs;
        for (int mutant = 0; mutant < 6; ++mutant) {
          Plan wrong = plan;
          wrong.steps[s].collective.recipe = std::make_shared<const ReduceProgram>(changed(*program_of(step), random));
          if (!verify(wrong, problem.machine).ok()) {
            ++refused;
            continue;
          }
          ++taken;
          const auto axes = without(before.layout().pending(), plan.steps[s].after.layout().pending());
          const bool is_wide_one = is_wide(before.devices(), shard_count(*axes));
          EXPECT_EQ(EvenSum::of(wrong.steps[s].collective, before, plan.steps[s].after).has_value(), is_wide_one);
        }
      }
      before = plan.steps[s].after;
    }
  }
  EXPECT_GE(programs, 15);
  EXPECT_GE(refused, 2 * taken);
}

// The largest groups that there are on three levels, and members beyond those that are looked at one by one.
TEST(WideSums, ComeNearTheirBound) {
  struct Case {
    std::string mesh;
    std::vector<std::int64_t> counts;
    std::string from;
    std::string to;
    double over_bound;
  };
  const std::vector<Case> cases{
      {"dp:65536", {64, 32, 32}, "f32[1048576,1024]{+dp}", "f32[1048576,1024]", 1.06},
      {"dp:65536", {64, 32, 32}, "f32[1048576,1024]{+dp}", "f32[1048576@dp,1024]", 1.06},
      {"z:64,y:32,x:32", {64, 32, 32}, "f32[1048576,1024]{+z,y,x}", "f32[1048576,1024]", 1.06},
      {"z:16,y:16,x:16", {16, 16, 16}, "f32[65536,1024]{+z,y}", "f32[65536,1024]", 1.15},
      {"dp:1024", {1, 128, 8}, "f32[65536,1024]{+dp}", "f32[65536,1024]", 1.03}};
  for (const Case& one : cases) {
    const MeshRef on = mesh(one.mesh);
    RunMachine machine = on_run({{{"pod", one.counts[0], 25e9, 1e-5},
                                  {"node", one.counts[1], 50e9, 5e-6},
                                  {"device", one.counts[2], 300e9, 1e-6}}});
    if (one.counts[0] == 1) machine.levels.erase(machine.levels.begin());
    const ArrayType from = type(one.from, on);
    const ArrayType to = type(one.to, on);
    const auto plan = synth::plan(from, to, machine);
    ASSERT_TRUE(plan.ok());
    const ReduceLevels levels = levels_of_sum(machine, *on, from.layout().pending()).value();
    const bool scatters = !to.layout().is_replicated();
    const double bound = reduction_bound(Cluster(machine), levels, static_cast<double>(tile_bytes_max(from)),
                                         scatters ? ReduceGoal::reduce_scatter : ReduceGoal::all_reduce);
    // Copies take part in a sum over some axes: then its bound is that of a sum over all.
    const double copies =
        static_cast<double>(on->devices()) / static_cast<double>(shard_count(from.layout().pending()));
    EXPECT_LE(plan->seconds, one.over_bound * bound / copies) << one.mesh << ": " << one.from << " -> " << one.to;
  }
}

}  // namespace
}  // namespace tessera::synth::test
