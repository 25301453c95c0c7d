// What the rivals xla and dtensor cost on seeded problems, beside what the design's models of them measured.
#include <cmath>

#include "bench/planner/problems.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/prices.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/rivals/xla.hpp"
#include "synth/planner/steps.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using bench::Meshes;

constexpr std::size_t kProblems = 1500;

struct Attempt {
  Chain chain;
  bool rematerialization = false;  // of the whole array or of a group's part of it
};
using RivalPlanner = base::Result<Attempt> (*)(const ArrayType& from, const ArrayType& to);

base::Result<Attempt> xla_attempt(const ArrayType& from, const ArrayType& to, xla::Flow flow) {
  TESSERA_TRY(found, xla::flow_chain(from, to, flow));
  return Attempt{found.chain, found.full_rematerialization || found.partial_rematerialization};
}
base::Result<Attempt> xla_2021(const ArrayType& from, const ArrayType& to) {
  return xla_attempt(from, to, xla::Flow::dec_2021);
}
base::Result<Attempt> xla_2025(const ArrayType& from, const ArrayType& to) {
  return xla_attempt(from, to, xla::Flow::nov_2025);
}
base::Result<Attempt> dtensor(const ArrayType& from, const ArrayType& to) {
  TESSERA_TRY(chain, dtensor_chain(from, to));
  return Attempt{chain, false};
}

struct Measures {
  double unsolved = 0;            // share of all problems; what follows is of the others
  double rematerializations = 0;  // share
  double over = 0;                // share with an array larger than both ends
  double bytes_mean = 0;          // received over what any plan receives: geometric mean
  double bytes_max = 0;
  double launches_mean = 0;
};

double missing_bytes(const ArrayType& from, const ArrayType& to) {
  double bytes = 0;
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    const Box wanted = tile(to, device);
    const std::int64_t held = elements(intersect(wanted, tile(from, device)));
    bytes += static_cast<double>((elements(wanted) - held) * bytes_of(to.element()));
  }
  return bytes;
}

// Sums until `finished`.
class Measurement {
 public:
  void add(const ArrayType& from, const ArrayType& to, const base::Result<Attempt>& attempt) {
    ++problems_;
    if (!attempt.ok()) return;
    const RunMachine machine = *machine_for(Machine{}, from.devices());
    Prices prices(machine);
    const Plan plan = *priced(prices, from, to, Planner::xla, attempt->chain);
    ++solved_;
    sums_.rematerializations += attempt->rematerialization ? 1 : 0;
    sums_.over += plan.local_bytes_max > plan.bound_bytes ? 1 : 0;
    for (const PlanStep& step : plan.steps) sums_.launches_mean += is_launch(step.collective) ? 1 : 0;
    add_bytes(static_cast<double>(plan.received_bytes_total), missing_bytes(from, to));
  }

  Measures finished() const {
    Measures measures = sums_;
    measures.unsolved = 1 - solved_ / problems_;
    measures.rematerializations /= solved_;
    measures.over /= solved_;
    measures.launches_mean /= solved_;
    measures.bytes_mean = std::exp(sums_.bytes_mean / moving_);
    return measures;
  }

 private:
  void add_bytes(double received, double least) {
    if (least == 0) return;
    ++moving_;
    sums_.bytes_mean += std::log(received / least);
    sums_.bytes_max = std::max(sums_.bytes_max, received / least);
  }

  double problems_ = 0;
  double solved_ = 0;
  double moving_ = 0;
  Measures sums_;
};

Measures measured(RivalPlanner planner, Meshes meshes) {
  Measurement measurement;
  for (const auto& [from, to] : bench::problems(meshes, bench::Extents::even, kProblems, 1)) {
    measurement.add(from, to, planner(from, to));
  }
  return measurement.finished();
}

// The model's figures: a share, a geometric mean, a mean; and how far the largest may lie from the model's.
struct Model {
  double over;
  double bytes_mean;
  double launches_mean;
  double bytes_max_least;
  double bytes_max_most;
};

// 1,500 problems tell shares apart by some three points, and means by some tenth; the models gather a whole array where
// XLA gathers what a group of devices has.
void expect_near(const Measures& measures, const Model& model) {
  EXPECT_NEAR(measures.over, model.over, 0.04);
  EXPECT_NEAR(measures.bytes_mean, model.bytes_mean, 0.2 * model.bytes_mean);
  EXPECT_NEAR(measures.launches_mean, model.launches_mean, 0.1);
  EXPECT_GE(measures.bytes_max, model.bytes_max_least);
  EXPECT_LE(measures.bytes_max, model.bytes_max_most);
}

TEST(RivalMeasures, Xla2021) {
  const Measures two = measured(xla_2021, Meshes::powers_of_two);
  expect_near(two, Model{0.48, 4.46, 1.5, 80, 128});
  EXPECT_EQ(two.unsolved, 0);
  EXPECT_EQ(two.rematerializations, two.over);
  const Measures others = measured(xla_2021, Meshes::others);
  expect_near(others, Model{0.59, 4.97, 1.4, 60, 96});
  EXPECT_EQ(others.unsolved, 0);
}

TEST(RivalMeasures, Xla2025) {
  const Measures two = measured(xla_2025, Meshes::powers_of_two);
  expect_near(two, Model{0.23, 2.37, 1.5, 60, 128});
  EXPECT_EQ(two.unsolved, 0);
  EXPECT_NEAR(two.rematerializations, two.over, 0.01);
  const Measures others = measured(xla_2025, Meshes::others);
  expect_near(others, Model{0.35, 2.76, 1.4, 40, 96});
  EXPECT_EQ(others.unsolved, 0);
}

// What has its axes in mesh order, a half to three quarters of all.
TEST(RivalMeasures, Dtensor) {
  const Measures two = measured(dtensor, Meshes::powers_of_two);
  expect_near(two, Model{0.39, 2.70, 1.6, 30, 64});
  EXPECT_NEAR(two.unsolved, 0.37, 0.05);
  const Measures others = measured(dtensor, Meshes::others);
  expect_near(others, Model{0.35, 2.34, 1.4, 20, 48});
  EXPECT_NEAR(others.unsolved, 0.30, 0.05);
}

}  // namespace
}  // namespace tessera::synth::test
