// Private to synth: choices within what devices hold. Bytes are priced (memory_prices.hpp) where and when a program
// needs too many, dearer and dearer until it needs no more than there are; the fastest program that fits is taken. If
// none is found, that of the least need is, and what it lacks is said.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/choose/memory_prices.hpp"
#include "synth/choose/options.hpp"
#include "synth/choose/search.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/choice/memory.hpp"

namespace tessera::synth {

class LimitedChoice {
 public:
  // All outlive this. The model has all of its strategies; limits are of the mesh's devices, 0: none.
  LimitedChoice(const ChoiceProblem& problem, const Model& model, const std::vector<std::int64_t>& limits,
                PlanCache& cache, const ChooseOptions& options, base::StopToken stop);

  // `fastest` is the best choice without limits, and does not fit.
  base::Result<LayoutChoice> run(LayoutChoice fastest);

 private:
  // A device that has too little in a moment; times: what it needs over what it has.
  struct Lack {
    std::size_t moment = 0;
    std::size_t device = 0;
    double times = 0;
  };
  struct Trial {
    LayoutChoice choice;
    double bound = 0;  // of what time and memory cost
    Lack worst;
  };

  base::Status raise_prices(const Trial& first);
  base::Status settle(MemoryPrice& price, Trial& now);
  base::Status find_least();
  base::Result<Trial> tried(double time);
  void note(const Trial& trial);
  Lack worst_of(const LayoutChoice& choice) const;
  double need(const LayoutChoice& choice, const MemoryPrice& price) const;
  double cost_of_limits() const;
  LayoutChoice least_choice() const;

  const ChoiceProblem& problem_;
  const Model& model_;
  const std::vector<std::int64_t>& limits_;
  PlanCache& cache_;
  ChooseOptions options_;
  base::StopToken stop_;
  MemoryPrices memory_;
  std::vector<MemoryPrice> prices_;
  SearchStart start_;           // where the search at the last prices ended
  double dearest_seconds_ = 0;  // no program takes more
  double bound_seconds_ = 0;
  double fastest_seconds_ = 0;
  double least_times_ = 0;  // no program needs less than so many times what there is
  std::size_t trials_ = 0;
  std::optional<LayoutChoice> best_;
  std::optional<Trial> least_;
};

}  // namespace tessera::synth
