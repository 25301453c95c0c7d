#include "tests/synth/yardstick.hpp"

#include <algorithm>
#include <array>

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

// Our time over its bound: geometric mean and maximum, a little above what 3,000 problems of each kind of extents gave.
struct Ceiling {
  Meshes meshes;
  MachineShape machine;
  std::int64_t local_bytes;
  double mean;
  double most;
};
constexpr std::array kCeilings = {
    Ceiling{Meshes::powers_of_two, MachineShape::flat, bench::kHugeBytes, 1.005, 1.05},
};

const Ceiling* ceiling_of(const ProblemClass& problems) {
  const auto* found = std::find_if(kCeilings.begin(), kCeilings.end(), [&](const Ceiling& c) {
    return c.meshes == problems.meshes && c.machine == problems.machine && c.local_bytes == problems.local_bytes;
  });
  return found == kCeilings.end() ? nullptr : found;
}

// Our bytes are never what is wrong: replicas that relay for each other receive more, and take less time for it.
void expect_ours(const ProblemClass& problems, const Score& ours) {
  EXPECT_EQ(ours.unsolved, 0U);
  EXPECT_EQ(ours.beyond_bound, 0U);
  const Ceiling* ceiling = ceiling_of(problems);
  if (ceiling == nullptr) return;
  EXPECT_LE(ours.seconds.geometric_mean, ceiling->mean);
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
constexpr double kModelTolerance = 0.25;

void expect_rival(const ProblemClass& problems, const Score& rival) {
  EXPECT_EQ(rival.losses_within_bound, 0U);
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
      EXPECT_NEAR(rival.bytes.geometric_mean, mean, kModelTolerance * mean);
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
