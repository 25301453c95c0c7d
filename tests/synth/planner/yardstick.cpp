#include "tests/synth/planner/yardstick.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tessera::bench {

void PrintTo(const ProblemClass& problems, std::ostream* out) {
  std::string text = name(problems);
  std::erase(text, ',');
  std::replace(text.begin(), text.end(), ' ', '_');
  *out << text;
}

}  // namespace tessera::bench

namespace tessera::synth::test {

namespace {

using bench::Extents;
using bench::MachineShape;
using bench::Meshes;
using bench::ProblemClass;
using bench::Score;

// Our time over its bound, a little above what 3,000 problems gave.
struct Ratio {
  double mean;  // geometric
  double most;
};
struct Ceiling {
  Meshes meshes;
  Extents extents;
  MachineShape machine;
  Ratio huge;
  Ratio large;
};
constexpr std::array kCeilings = {
    Ceiling{Meshes::powers_of_two, Extents::even, MachineShape::flat, {1.005, 1.05}, {1.02, 1.1}},
    Ceiling{Meshes::powers_of_two, Extents::even, MachineShape::steep, {1.03, 1.76}, {1.04, 1.82}},
    Ceiling{Meshes::powers_of_two, Extents::even, MachineShape::mild, {1.12, 2.26}, {1.14, 3.04}},
    Ceiling{Meshes::others, Extents::even, MachineShape::flat, {1.005, 1.05}, {1.02, 1.08}},
    Ceiling{Meshes::others, Extents::even, MachineShape::steep, {1.045, 2.01}, {1.055, 2.06}},
    Ceiling{Meshes::others, Extents::even, MachineShape::mild, {1.08, 2.01}, {1.11, 2.1}},
    Ceiling{Meshes::powers_of_two, Extents::tight, MachineShape::flat, {1.02, 1.51}, {1.04, 1.53}},
    Ceiling{Meshes::powers_of_two, Extents::tight, MachineShape::steep, {1.035, 4.03}, {1.05, 4.04}},
    Ceiling{Meshes::powers_of_two, Extents::tight, MachineShape::mild, {1.13, 3.01}, {1.15, 3.03}},
    Ceiling{Meshes::others, Extents::tight, MachineShape::flat, {1.025, 1.51}, {1.04, 1.53}},
    Ceiling{Meshes::others, Extents::tight, MachineShape::steep, {1.06, 3.01}, {1.07, 3.02}},
    Ceiling{Meshes::others, Extents::tight, MachineShape::mild, {1.12, 2.5}, {1.145, 2.5}},
};

// Small arrays take the time of their messages, of which the bound knows nothing.
std::optional<Ratio> ceiling_of(const ProblemClass& problems) {
  if (problems.local_bytes == bench::kSmallBytes || problems.sums == bench::Sums::pending) return std::nullopt;
  for (const Ceiling& c : kCeilings) {
    if (c.meshes != problems.meshes || c.extents != problems.extents || c.machine != problems.machine) continue;
    return problems.local_bytes == bench::kHugeBytes ? c.huge : c.large;
  }
  return std::nullopt;
}

// Of bytes nothing is said: replicas that relay for each other receive more, and take less time for it.
void expect_ours(const ProblemClass& problems, const Score& ours) {
  EXPECT_EQ(ours.unsolved, 0U);
  EXPECT_EQ(ours.beyond_bound, 0U);
  const auto ceiling = ceiling_of(problems);
  if (!ceiling) return;
  // The mean of fewer problems strays from that of 3,000.
  const double stray = 0.3 / std::sqrt(static_cast<double>(ours.problems));
  EXPECT_LE(ours.seconds.geometric_mean, ceiling->mean * (1 + stray));
  EXPECT_LE(ours.seconds.most, ceiling->most);
}

// A rival's bytes over the least: what models of it without data measured on problems like these, even extents.
struct Model {
  Planner planner;
  double powers_of_two;
  double others;
};
constexpr std::array kModels = {Model{Planner::xla, 2.37, 2.76}, Model{Planner::dtensor, 2.70, 2.34},
                                Model{Planner::shardy, 1.21, 1.29}, Model{Planner::paper, 1.21, 1.28}};

void expect_rival(const ProblemClass& problems, const Score& rival) {
  const double tolerance = 0.12 + 2 / std::sqrt(static_cast<double>(rival.problems));
  EXPECT_EQ(rival.losses_within_bound, 0U);
  if (problems.sums == bench::Sums::pending) return;  // few rivals know them
  if (rival.planner != Planner::dtensor && rival.planner != Planner::shardy) {
    EXPECT_EQ(rival.unsolved, 0U);
  }
  if (problems.extents != Extents::even) return;
  if (rival.planner == Planner::paper || rival.planner == Planner::shardy) {
    EXPECT_EQ(rival.beyond_bound, 0U);  // rounding alone takes them beyond it
  }
  for (const Model& model : kModels) {
    const double mean = problems.meshes == Meshes::powers_of_two ? model.powers_of_two : model.others;
    if (model.planner == rival.planner) {
      EXPECT_NEAR(rival.bytes.geometric_mean, mean, tolerance * mean);
    }
  }
}

}  // namespace

void expect_known_figures(const ProblemClass& problems, std::size_t count) {
  const std::vector<Score> all = bench::scores(problems, count, 1);
  for (const Score& score : all) {
    SCOPED_TRACE(std::string(name(score.planner)) + ": " + name(problems));
    EXPECT_EQ(score.problems, count);
    if (score.planner == Planner::tessera) {
      expect_ours(problems, score);
    } else {
      expect_rival(problems, score);
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<ProblemClass>& info) {
  return ::testing::PrintToString(info.param);
}

}  // namespace tessera::synth::test
