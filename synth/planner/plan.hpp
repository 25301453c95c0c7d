// Making plans.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/persistent_map.hpp"
#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/moves/plan/plan.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/planner/known_sums.hpp"
#include "synth/planner/plan_options.hpp"

namespace tessera::synth {

// A pure function of its arguments; the plan comes back verified. Fails with unsupported, over-budget (the diagnostic's
// help is the line `least budget: N bytes`), cross-mesh, as-changes-shape and the like.
base::Result<Plan> plan(const ArrayType& from, const ArrayType& to, const Machine& machine,
                        const PlanOptions& options = {}, base::StopToken stop = {});

// A plan with all figures but its lower bounds, not verified. This and the next look at the token of the thread's scope
// (base/stop_scope.hpp). What is known of the machine's sums spares work and changes nothing.
base::Result<Plan> plan_unverified(const ArrayType& from, const ArrayType& to, const Machine& machine,
                                   const PlanOptions& options, KnownSums* known_sums = nullptr);
// Adds the lower bounds to the plan's figures and verifies it.
base::Status with_bounds(Plan& plan, const Machine& machine);

// The plan of these steps as they are: applied in order from `from`, priced, verified. Fails with bad_collective where
// a step may not be taken. Its bound is not promised.
base::Result<Plan> plan_of_steps(const ArrayType& from, const std::vector<Collective>& steps, const Machine& machine);

// The plan of the one step that somebody wrote out by hand (the language's explicit collectives). Which step it is was
// said; how its bytes move was not, and that is chosen as in every plan: a sum gets its program, and what copies is
// relayed, where that is faster. Fails as plan_of_steps does.
base::Result<Plan> plan_by_hand(const ArrayType& from, const Collective& step, const Machine& machine,
                                base::StopToken stop = {});

// Remembers plans of one machine by (from, to, options), and those by hand. Plans are shared and immutable; a copy of
// the cache costs nothing and goes its own way.
class PlanCache {
 public:
  explicit PlanCache(Machine machine) : machine_(std::move(machine)) {}
  base::Result<std::shared_ptr<const Plan>> get(const ArrayType& from, const ArrayType& to,
                                                const PlanOptions& options = {}, base::StopToken stop = {});
  // The same plan, which need not be verified yet: to be compared with others, not to be carried out.
  base::Result<std::shared_ptr<const Plan>> get_price(const ArrayType& from, const ArrayType& to,
                                                      const PlanOptions& options = {}, base::StopToken stop = {});
  // Takes over a plan that was made for this machine without options; verified or not.
  void remember(std::shared_ptr<const Plan> plan);
  base::Result<std::shared_ptr<const Plan>> get_by_hand(const ArrayType& from, const Collective& step,
                                                        base::StopToken stop = {});
  const Machine& machine() const { return machine_; }
  std::size_t size() const { return size_; }

 private:
  template <class Make>
  base::Result<std::shared_ptr<const Plan>> remembered(const std::string& key, const Make& make);

  Machine machine_;
  base::PersistentMap<std::string, std::shared_ptr<const Plan>> plans_;
  KnownSums known_sums_;
  std::size_t size_ = 0;
};

}  // namespace tessera::synth
