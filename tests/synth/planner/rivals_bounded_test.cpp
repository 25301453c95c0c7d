// The two rivals that keep the bound here, on every change of a small scope and on random ones: their plans verify,
// move the data and hold no array larger than both ends; and they measure as planners like them are known to.
#include <array>
#include <cmath>

#include "bench/planner/problems.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/planner/text/read_json.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/planner/rivals_support.hpp"

namespace tessera::synth::test {
namespace {

using bench::Meshes;

#ifdef NDEBUG
constexpr std::size_t kEveryBounded = 1;
#else
constexpr std::size_t kEveryBounded = 7;
#endif

constexpr std::array kRivals = {Planner::paper, Planner::shardy};

base::Result<Plan> rival_plan(Planner planner, const ArrayType& from, const ArrayType& to) {
  PlanOptions options;
  options.planner = planner;
  return plan(from, to, Machine{}, options);
}

// A plan that is there is verified, which says that it ends at the target and that its figures are right.
void expect_bounded(Planner planner, const ArrayType& from, const ArrayType& to) {
  const auto made = rival_plan(planner, from, to);
  if (!made.ok()) {
    EXPECT_EQ(first_error(made), "unsupported") << first_message(made);
    EXPECT_NE(planner, Planner::paper) << print(from) << " -> " << print(to) << ": " << first_message(made);
    return;
  }
  EXPECT_TRUE(made->verified);
  EXPECT_LE(made->local_bytes_max, made->bound_bytes) << print_text(*made);
}

void expect_right_data(Planner planner, const ArrayType& from, const ArrayType& to) {
  const auto made = rival_plan(planner, from, to);
  if (made.ok()) expect_moves_data(*made);
}

std::vector<ArrayType> types_of(const MeshRef& on, const Shape& shape) {
  std::vector<ArrayType> types;
  for (const Layout& layout : all_layouts(*on, shape.size())) {
    types.push_back(*ArrayType::make(ElementType::i32, shape, on, layout));
  }
  return types;
}

// Every so many-th of all ordered pairs.
template <class Check>
void for_pairs(std::string_view on, const Shape& shape, std::size_t every, Check check) {
  const std::vector<ArrayType> types = types_of(mesh(on), shape);
  std::size_t number = 0;
  for (const ArrayType& from : types) {
    for (const ArrayType& to : types) {
      if (number++ % every != 0) continue;
      for (const Planner planner : kRivals) check(planner, from, to);
    }
  }
}

TEST(BoundedRivals, OfRankTwoOnTwoByTwoByTwo) { for_pairs("x:2,y:2,z:2", {8, 8}, kEveryBounded, expect_bounded); }
TEST(BoundedRivals, OfRankThreeOnTwoByTwoByTwo) {
  for_pairs("x:2,y:2,z:2", {8, 8, 8}, 11 * kEveryBounded, expect_bounded);
}
TEST(BoundedRivals, OfRankTwoOnTwoByThreeByTwo) {
  for_pairs("x:2,y:3,z:2", {12, 12}, 3 * kEveryBounded, expect_bounded);
}
TEST(BoundedRivals, MoveTheData) {
  for_pairs("x:2,y:2,z:2", {8, 8}, 5 * kEveryBounded, expect_right_data);
  for_pairs("x:2,y:3,z:2", {7, 5}, 11 * kEveryBounded, expect_right_data);
}

TEST(BoundedRivals, ShardyIsDoneBetweenPowersOfTwo) {
  for_pairs("x:2,y:2,z:2", {8, 8, 8}, 7 * kEveryBounded, [](Planner, const ArrayType& from, const ArrayType& to) {
    const auto chain = shardy_chain(from, to);
    EXPECT_TRUE(chain.ok()) << print(from) << " -> " << print(to) << ": " << first_message(chain);
  });
}

// Uneven extents and parts of axes: a plan is a right one, or there is none.
RC_GTEST_PROP(BoundedRivalsProperty, PlansVerifyOnAnyTypes, ()) {
  const MeshRef on = any_mesh(Weighted::never);
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(0, 4), 20);
  const ArrayType from = any_type(on, shape, true);
  ArrayType to = any_type(on, shape, true);
  const auto same_sums = Layout::make(*on, to.layout().splits(), from.layout().pending(), from.layout().reduce());
  if (same_sums.ok()) to = *to.with_layout(*same_sums);
  for (const Planner planner : kRivals) {
    const auto made = rival_plan(planner, from, to);
    if (!made.ok()) {
      if (first_error(made) != "unsupported")
        RC_FAIL(fmt::format("{}, {} -> {}: {}", name(planner), print(from), print(to), first_message(made)));
      continue;
    }
    const auto read = read_json(print_json(*made));
    RC_ASSERT(read.ok());
    RC_ASSERT(print_json(*read) == print_json(*made));
    expect_moves_data(*made);
  }
}

// ---- Figures on random changes ----

// Bytes received over those that any plan has to receive. A permute is charged with what its devices lack, as
// everywhere; or with whole tiles; or so, and always, needed or not: as models of these planners without data have it.
enum class Charge : std::uint8_t { what_moves, whole_permutes, always_a_permute };

double received(const Plan& plan, Charge charge) {
  double bytes = 0;
  double smallest = static_cast<double>(tile_bytes_max(plan.from));
  bool permutes = false;
  for (const PlanStep& step : plan.steps) {
    const bool is_permute = kind_of(step.collective) == CollectiveKind::permute;
    const auto whole = static_cast<double>(step.local_bytes_max);
    smallest = std::min(smallest, whole);
    permutes = permutes || is_permute;
    const bool by_tiles = is_permute && charge != Charge::what_moves;
    bytes +=
        by_tiles ? whole * static_cast<double>(plan.from.devices()) : static_cast<double>(step.received_bytes_total);
  }
  const bool one_more = charge == Charge::always_a_permute && !permutes;
  return bytes + (one_more ? smallest * static_cast<double>(plan.from.devices()) : 0);
}

struct Figures {
  int unsolved = 0;
  int counted = 0;
  std::array<double, 3> logarithms{};
  std::array<double, 3> most{};

  double mean(Charge charge) const { return std::exp(logarithms[static_cast<std::size_t>(charge)] / counted); }
  double max(Charge charge) const { return most[static_cast<std::size_t>(charge)]; }

  void add(const Plan& plan) {
    if (plan.lower_bound_bytes_total == 0) return;
    ++counted;
    for (const Charge charge : {Charge::what_moves, Charge::whole_permutes, Charge::always_a_permute}) {
      const double ratio = received(plan, charge) / static_cast<double>(plan.lower_bound_bytes_total);
      logarithms[static_cast<std::size_t>(charge)] += std::log(ratio);
      most[static_cast<std::size_t>(charge)] = std::max(max(charge), ratio);
    }
  }
};

constexpr std::size_t kProblems = 1500;
constexpr std::uint64_t kSeed = 1;

Figures measured(Planner planner, Meshes meshes) {
  Figures figures;
  for (const auto& [from, to] : bench::problems(meshes, bench::Extents::even, kProblems, kSeed)) {
    const auto made = rival_plan(planner, from, to);
    if (!made.ok()) {
      EXPECT_EQ(first_error(made), "unsupported") << first_message(made);
      ++figures.unsolved;
      continue;
    }
    EXPECT_LE(made->local_bytes_max, made->bound_bytes) << print_text(*made);
    figures.add(*made);
  }
  return figures;
}

void expect_near(double value, double wanted) { EXPECT_NEAR(value, wanted, 0.1 * wanted); }

// A model of Shardy that charges whole permutes was measured at 1.30 and 1.38, with 0.5 to 1.3% unsolved beyond powers
// of two.
TEST(BoundedRivals, ShardyMeasuresOnPowersOfTwo) {
  const Figures figures = measured(Planner::shardy, Meshes::powers_of_two);
  EXPECT_EQ(figures.unsolved, 0);
  expect_near(figures.mean(Charge::whole_permutes), 1.30);
  EXPECT_LE(figures.max(Charge::whole_permutes), 3.5);
  expect_near(figures.mean(Charge::what_moves), 1.21);
}
TEST(BoundedRivals, ShardyMeasuresOnOtherMeshes) {
  const Figures figures = measured(Planner::shardy, Meshes::others);
  EXPECT_GE(figures.unsolved, 4);
  EXPECT_LE(figures.unsolved, 20);
  expect_near(figures.mean(Charge::whole_permutes), 1.38);
  EXPECT_LE(figures.max(Charge::whole_permutes), 5.5);
  expect_near(figures.mean(Charge::what_moves), 1.29);
}

// A model of the paper's form that always charges a permute was measured at 1.66 and 1.74.
TEST(BoundedRivals, PaperMeasuresOnPowersOfTwo) {
  const Figures figures = measured(Planner::paper, Meshes::powers_of_two);
  EXPECT_EQ(figures.unsolved, 0);
  expect_near(figures.mean(Charge::always_a_permute), 1.66);
  EXPECT_LE(figures.max(Charge::always_a_permute), 3.5);
  expect_near(figures.mean(Charge::what_moves), 1.21);
}
TEST(BoundedRivals, PaperMeasuresOnOtherMeshes) {
  const Figures figures = measured(Planner::paper, Meshes::others);
  EXPECT_EQ(figures.unsolved, 0);
  expect_near(figures.mean(Charge::always_a_permute), 1.74);
  EXPECT_LE(figures.max(Charge::always_a_permute), 4.0);
  expect_near(figures.mean(Charge::what_moves), 1.28);
}

}  // namespace
}  // namespace tessera::synth::test
