#include "synth/choose/choose.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop_scope.hpp"
#include "synth/choose/closed.hpp"
#include "synth/choose/limited.hpp"
#include "synth/choose/model.hpp"
#include "synth/choose/rounds.hpp"
#include "synth/choose/search.hpp"
#include "synth/program/choice/memory.hpp"
#include "synth/program/compute_cost.hpp"

namespace tessera::synth {

namespace {

// The fastest program, whatever memory it needs.
base::Result<LayoutChoice> fastest(Model& model, const ChooseOptions& options, PlanCache& cache, base::StopToken stop) {
  const Searched found = search(model, options);
  TESSERA_CHECK(!found.best.empty() || model.nodes.empty(), "a search found no program");
  TESSERA_TRY(choice, closed(model, found.best, cache, stop));
  choice.bound_seconds = found.bound;
  choice.proof = found.proof;
  return choice;
}

bool fits(const std::vector<std::int64_t>& peaks, const std::vector<std::int64_t>& limits) {
  for (std::size_t device = 0; device < peaks.size(); ++device) {
    if (limits[device] > 0 && peaks[device] > limits[device]) return false;
  }
  return true;
}

// What the devices may hold for this program; empty: nobody says.
std::vector<std::int64_t> limits_of(const ChoiceProblem& problem, const Machine& devices, double share) {
  if (problem.lives.empty()) return {};
  std::vector<std::int64_t> limits = memory_limits(devices, *problem.mesh);
  for (std::int64_t& limit : limits) {
    if (limit > 0) limit = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(limit)));
  }
  return limits;
}

base::Result<LayoutChoice> choose_at_once(const ChoiceProblem& problem, PlanCache& cache, const Machine& devices,
                                          const std::vector<std::int64_t>& limits, const ChooseOptions& options,
                                          base::StopToken stop) {
  TESSERA_TRY(model, model_of(problem, cache.machine(), devices));
  Model all = limits.empty() ? Model{} : *model;
  TESSERA_TRY(choice, fastest(*model, options, cache, stop));
  if (!limits.empty()) {
    choice.peak_bytes = MemoryUse(problem, choice).peaks();
    if (!fits(choice.peak_bytes, limits)) {
      TESSERA_TRY(within, LimitedChoice(problem, all, limits, cache, options, stop).run(std::move(choice)));
      choice = std::move(within);
    }
  }
  choice.operations = problem.nodes.size();
  choice.strategies = model->strategies;
  choice.plans = model->plans();
  return choice;
}

}  // namespace

base::Result<LayoutChoice> choose(const ChoiceProblem& problem, PlanCache& cache, const ChooseOptions& options,
                                  base::StopToken stop) {
  return base::guarded_until_stopped([&]() -> base::Result<LayoutChoice> {
    const base::StopScope scope(stop);
    const Machine devices = with_every_device(cache.machine(), problem.mesh->devices_end());
    const std::vector<std::int64_t> limits = limits_of(problem, devices, options.memory_share);
    if (has_rounds(problem)) {
      TESSERA_TRY(choice, choose_by_rounds(problem, cache, devices, limits, options, stop));
      if (choice) return std::move(*choice);
    }
    return choose_at_once(problem, cache, devices, limits, options, stop);
  });
}

}  // namespace tessera::synth
