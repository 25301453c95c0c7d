// Every plan that is printed reads back and verifies, with its sends and without: random meshes, ranges of devices,
// placements, budgets and planners on random machines.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "synth/layout/place/matrix.hpp"
#include "synth/planner/list_sends.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr int kProblems = 500;
constexpr std::int64_t kDevicesOfMachineMax = 24;

// Of one to four levels, whose links differ now and then.
Machine any_machine(Random& random) {
  Machine machine;
  std::int64_t units = 1;
  for (std::size_t left = 1 + random.below(4); left > 0; --left) {
    std::int64_t count = 1 + static_cast<std::int64_t>(random.below(6));
    if (units * count > kDevicesOfMachineMax) count = 1;
    units *= count;
    MachineLevel level{"level", count, random.coin() ? 1e6 : 8e6, random.coin() ? 0 : 1e-6};
    if (random.below(4) == 0)
      level.unit_bandwidths.assign(static_cast<std::size_t>(units), level.bandwidth_bytes_per_second);
    for (double& bandwidth : level.unit_bandwidths) bandwidth /= static_cast<double>(1 + random.below(3));
    machine.levels.push_back(std::move(level));
  }
  return machine;
}

std::int64_t devices_of(const Machine& machine) {
  std::int64_t devices = 1;
  for (const MachineLevel& level : machine.levels) devices *= level.count;
  return devices;
}

// Axes with as many devices.
std::vector<MeshAxis> any_axes(std::int64_t devices, Random& random) {
  std::vector<MeshAxis> axes{{"x", 1}, {"y", 1}, {"z", 1}};
  axes.resize(1 + random.below(3));
  for (std::int64_t prime = 2; devices > 1; ++prime) {
    for (; devices % prime == 0; devices /= prime) axes[random.below(axes.size())].size *= prime;
  }
  return axes;
}

// Anywhere on the machine: all of it or a part, placed by a matrix where it is all.
MeshRef any_mesh_on(const Machine& machine, Random& random) {
  const std::int64_t all = devices_of(machine);
  const std::int64_t devices = random.coin() ? all : 1 + static_cast<std::int64_t>(random.below(all));
  std::vector<MeshAxis> axes = any_axes(devices, random);
  if (devices < all) {
    const auto begin = static_cast<std::int64_t>(random.below(all - devices + 1));
    return *Mesh::make_on(std::move(axes), {{begin, begin + devices}});
  }
  PlaceProblem problem{{}, {}};
  for (const MeshAxis& axis : axes) problem.sizes.push_back(axis.size);
  for (const MachineLevel& level : machine.levels) problem.counts.push_back(level.count);
  std::vector<PlaceMatrix> matrices;
  for_each_placement(problem, [&](const PlaceMatrix& matrix) {
    matrices.push_back(matrix);
    return matrices.size() < 20;
  });
  if (random.coin() || matrices.empty()) return *Mesh::make(std::move(axes));
  return *Mesh::placed(std::move(axes), matrices[random.below(matrices.size())]);
}

ArrayType any_type_of(const Shape& shape, const MeshRef& on, Random& random) {
  return *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, shape.size(), true, random));
}

// False where a step has no type, so that it cannot be read back.
bool expect_reads_back_and_verifies(const Plan& plan, const Machine& machine) {
  const std::string text = print_json(plan);
  if (text.find("\"type\": null") != std::string::npos) return false;
  const auto read = read_json(text);
  EXPECT_TRUE(read.ok()) << first_message(read) << "\n" << text;
  if (!read.ok()) return true;
  const auto fault = fault_of(*read, machine);
  EXPECT_TRUE(fault.ok());
  EXPECT_EQ(fault.ok() ? fault->value_or("") : first_message(fault), "") << text;
  return true;
}

class PrintedPlans {
 public:
  explicit PrintedPlans(std::uint64_t seed) : random_(seed) {}

  void next() {
    const Machine machine = any_machine(random_);
    const MeshRef on = any_mesh_on(machine, random_);
    Shape shape;
    for (std::size_t left = 1 + random_.below(3); left > 0; --left)
      shape.push_back(static_cast<std::int64_t>(1 + random_.below(20)));
    const ArrayType from = any_type_of(shape, on, random_);
    const ArrayType to = any_type_of(shape, on, random_);
    for (std::size_t i = 0; i < kPlanners && !::testing::Test::HasFailure(); ++i) {
      PlanOptions options;
      options.planner = static_cast<Planner>(i);
      expect(from, to, machine, options);
    }
    PlanOptions options;
    options.collectives_only = true;
    expect(from, to, machine, options);
    const auto free = plan(from, to, machine);
    if (!free.ok() || free->peak_bytes <= free->bound_bytes) return;
    options.collectives_only = false;
    options.within_bytes =
        free->bound_bytes + static_cast<std::int64_t>(random_.below(free->peak_bytes - free->bound_bytes));
    expect(from, to, machine, options);
  }
  int plans() const { return plans_; }
  int programs() const { return programs_; }

 private:
  void expect(const ArrayType& from, const ArrayType& to, const Machine& machine, const PlanOptions& options) {
    const auto made = plan(from, to, machine, options);
    if (!made.ok() || !expect_reads_back_and_verifies(*made, machine)) return;
    const auto listed = with_sends(*made, machine);
    ASSERT_TRUE(listed.ok()) << first_message(listed);
    expect_reads_back_and_verifies(*listed, machine);
    ++plans_;
    for (const PlanStep& step : made->steps) programs_ += program_of(step.collective) != nullptr ? 1 : 0;
  }

  static constexpr std::size_t kPlanners = std::size_t{1} + static_cast<std::size_t>(Planner::p2);
  Random random_;
  int plans_ = 0;
  int programs_ = 0;
};

TEST(EveryPrintedPlan, VerifiesWithItsSendsAndWithout) {
  PrintedPlans plans(26);
  for (int i = 0; i < kProblems && !HasFailure(); ++i) plans.next();
  EXPECT_GE(plans.plans(), 1'600);
  EXPECT_GE(plans.programs(), 50);
}

// The names of axes that a plan's types say are those of its mesh, on whatever devices that lies.
TEST(EveryPrintedPlan, NamesAxesOfItsMeshOrNone) {
  const RunMachine machine = on_run({{{"node", 2, 1e9, 5e-6}, {"gpu", 6, 5e9, 1e-6}}});
  for (const char* on : {"w:2,x:3 on 4:10", "w:2,x:3", "w:2,x:3 on 0:6", "w:2,x:3 on (6:9,0:3)"}) {
    const MeshRef grid = mesh(on);
    PlanOptions options;
    options.within_bytes = 64;
    for (const Planner planner : {Planner::tessera, Planner::xla}) {
      options.planner = planner;
      for (const char* from : {"f32[12@w,2]{min x}", "f32[12@(w,x),2]"}) {
        const auto made = plan(type(from, grid), type("f32[12@x,2@w]", grid), machine, options);
        if (!made.ok()) continue;
        EXPECT_EQ(print_json(*made).find("dim0"), std::string::npos) << print_json(*made);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::synth::test
