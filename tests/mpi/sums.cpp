#include "tests/mpi/sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/planner/plan.hpp"
#include "synth/planner/text/print_json.hpp"
#include "tests/runtime/sums.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/programs.hpp"

namespace tessera::ranks {

namespace {

using runtime::Outcome;
using runtime::Value;

std::string other_tiles(const Value& simulated, const Value& mine) {
  std::string wrong;
  for (std::int64_t device = 0; device < mine.type().devices(); ++device) {
    if (mine.has_device(device) && !std::ranges::equal(mine.tile(device), simulated.tile(device)))
      wrong += fmt::format("device {} has another tile\n", device);
  }
  return wrong;
}

// Each step of the plan is an origin of its own. A step without a program may leave its result where its source is.
std::string other_peaks(const synth::Plan& plan, const Outcome& outcome) {
  std::string wrong;
  const std::size_t first = outcome.statistics.size() - plan.steps.size();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const std::int64_t planned = plan.steps[i].peak_bytes;
    const std::int64_t taken = outcome.statistics[first + i].peak_bytes;
    if (taken > planned || (synth::program_of(plan.steps[i].collective) != nullptr && taken != planned))
      wrong += fmt::format("step {} takes {} bytes on a device, planned are {}\n", i + 1, taken, planned);
  }
  return wrong;
}

}  // namespace

std::string differences_of_sum(std::uint64_t seed, const std::shared_ptr<runtime::Team>& team) {
  // One in so many has more members than are looked at one by one.
  constexpr std::uint64_t kWideAmong = 20;
  synth::test::Random random(seed);
  const synth::Plan plan = synth::test::plan_of(seed % kWideAmong == 0 ? synth::test::random_wide_sum(random)
                                                                       : synth::test::random_sum(random));
  const synth::Program program = runtime::test::program_of_sums(plan);
  const auto simulated = runtime::run(program, {}, runtime::World{});
  runtime::World world;
  world.team = team;
  const auto together = runtime::run(program, {}, world);
  if (!simulated.ok()) return simulated.errors()[0].message;
  if (!together.ok()) return together.errors()[0].message;
  const std::string wrong = other_tiles(simulated->outputs.at(0), together->outputs.at(0)) +
                            other_peaks(plan, *simulated) + other_peaks(plan, *together);
  return wrong.empty() ? "" : wrong + print_json(plan);
}

}  // namespace tessera::ranks
