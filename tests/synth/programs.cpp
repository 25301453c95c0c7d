#include "tests/synth/programs.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "synth/layout/place_matrix.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {

namespace {

struct SummedOn {
  std::string mesh;
  std::vector<std::int64_t> counts;
};

// Groups that end amid units, and cuts by weights, among them.
const std::array<SummedOn, 11> kSummed = {{{"x:4,y:3", {3, 4}},
                                           {"x:6", {2, 4}},
                                           {"x:5,y:2", {2, 2, 3}},
                                           {"x:2,y:4", {2, 4}},
                                           {"x:8", {2, 4}},
                                           {"x:8", {8}},
                                           {"x:3,y:4", {3, 4}},
                                           {"x:12", {2, 2, 3}},
                                           {"x:4,y:4", {4, 4}},
                                           {"x:4,y:2", {2, 2, 2}},
                                           {"x:4 work(4,2,1,1),y:2 work(1,3)", {2, 4}}}};

// One to three axes, placed on one to three levels, of 2 to 16 devices.
SummedOn any_placed(Random& random) {
  const std::size_t axes = 1 + random.below(3);
  PlaceMatrix matrix{{axes, std::vector<std::int64_t>(1 + random.below(3), 1)}};
  for (std::int64_t devices = 1; devices < 2 || devices > 16;) {
    devices = 1;
    for (auto& row : matrix.rows) {
      for (std::int64_t& entry : row) devices *= entry = static_cast<std::int64_t>(1 + random.below(4));
    }
  }
  std::string mesh;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::int64_t size = 1;
    for (const std::int64_t entry : matrix.rows[axis]) size *= entry;
    mesh += fmt::format("{}{}:{}", axis == 0 ? "" : ",", "xyz"[axis], size);
  }
  return {mesh + " place " + print(matrix), counts_of(matrix)};
}

// One to three times as fast as the slowest.
std::vector<double> unequal_links(std::int64_t units, double slowest, Random& random) {
  std::vector<double> links;
  for (std::int64_t unit = 0; unit < units; ++unit)
    links.push_back(slowest * (1 + 0.25 * static_cast<double>(random.below(9))));
  return links;
}

AxisPart any_axis(const ReduceProgram& program, Random& random) {
  const AxisList& axes = program.steps[random.below(program.steps.size())].axes;
  return axes[random.below(axes.size())];
}

}  // namespace

RandomSum random_sum(Random& random) {
  constexpr std::array kElements = {ElementType::f32, ElementType::i32, ElementType::f64, ElementType::i64};
  const SummedOn chosen = random.coin() ? kSummed[random.below(kSummed.size())] : any_placed(random);
  const MeshRef on = mesh(chosen.mesh);
  Machine machine;
  double bandwidth = 1e6;
  std::int64_t units = 1;
  for (const std::int64_t count : chosen.counts) {
    machine.levels.push_back({"level", count, bandwidth, random.coin() ? 0 : 1e-5});
    if (random.coin()) machine.levels.back().gap_seconds = 2e-6;
    units *= count;
    if (random.below(3) == 0) machine.levels.back().unit_bandwidths = unequal_links(units, bandwidth, random);
    bandwidth *= random.coin() ? 8 : 1;
  }
  const auto extent = [&] { return static_cast<std::int64_t>(random.below(random.coin() ? 40 : 4'000)); };
  const Shape shape = random.coin() ? Shape{extent()} : Shape{extent(), static_cast<std::int64_t>(1 + random.below(9))};
  Layout summed = any_layout(*on, shape.size(), true, random);
  while (summed.pending().empty()) summed = any_layout(*on, shape.size(), true, random);
  const Layout wanted = any_layout(*on, shape.size(), false, random);
  const ElementType element = kElements[random.below(kElements.size())];
  return {*ArrayType::make(element, shape, on, summed), *ArrayType::make(element, shape, on, wanted), machine};
}

RandomSum random_wide_sum(Random& random) {
  struct Wide {
    std::string mesh;
    std::vector<std::int64_t> counts;
    std::string summed;
  };
  static const std::array<Wide, 8> kWide = {{{"x:1024", {8, 128}, "x"},
                                             {"x:1024", {4, 16, 16}, "x"},
                                             {"x:640", {5, 8, 16}, "x"},
                                             {"y:2,x:512", {128, 8}, "y,x"},
                                             {"x:512,y:2", {2, 32, 16}, "x,y"},
                                             {"x:24,y:32", {6, 8, 16}, "x,y"},
                                             {"x:32,y:32 place [[4,8],[4,8]]", {16, 64}, "x,y"},
                                             {"x:256,y:8", {16, 128}, "x"}}};
  const Wide& chosen = kWide[random.below(kWide.size())];
  Machine machine;
  double bandwidth = 1e6;
  for (const std::int64_t count : chosen.counts) {
    machine.levels.push_back({"level", count, bandwidth, random.coin() ? 0 : 1e-6});
    bandwidth *= random.coin() ? 8 : 1;
  }
  const MeshRef on = mesh(chosen.mesh);
  const std::string element = random.coin() ? "f32" : "i64";
  const auto extent = static_cast<std::int64_t>(random.below(random.coin() ? 40 : 6'000));
  const std::string rest = random.coin() ? "" : ",3";
  const std::string split = random.coin() ? "" : fmt::format("@({})", chosen.summed);
  return {type(fmt::format("{}[{}{}]{{+{}}}", element, extent, rest, chosen.summed), on),
          type(fmt::format("{}[{}{}{}]", element, extent, split, rest), on), machine};
}

Plan plan_of(const RandomSum& sum) { return planned(sum.from, sum.to, {}, sum.machine); }

ReduceProgram changed(ReduceProgram program, Random& random) {
  auto& steps = program.steps;
  const auto here = steps.begin() + static_cast<std::ptrdiff_t>(random.below(steps.size()));
  switch (random.below(9)) {
    case 0: steps.erase(here); break;
    case 1: steps.insert(here, ReduceStep(*here)); break;
    case 2: std::swap(*here, steps[random.below(steps.size())]); break;
    case 3: here->kind = static_cast<ReduceStepKind>(random.below(5)); break;
    case 4: here->axes = {any_axis(program, random)}; break;
    case 5: here->first = {any_axis(program, random)}; break;
    case 6:
      here->form = static_cast<ReduceForm>(random.below(4));
      here->unit_devices = here->form == ReduceForm::units ? static_cast<std::int64_t>(1 + random.below(5)) : 0;
      break;
    case 7:
      if (here->unit_rates.empty()) here->unit_rates.assign(16, 1);
      here->unit_rates[random.below(here->unit_rates.size())] = static_cast<std::int64_t>(1 + random.below(5));
      break;
    default: program.stretches = static_cast<std::int64_t>(random.below(5)); break;
  }
  return program;
}

}  // namespace tessera::synth::test
