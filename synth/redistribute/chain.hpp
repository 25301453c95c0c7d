// Private to synth: chains of steps, found and turned into plans with all their figures.
#pragma once

#include <optional>
#include <vector>

#include "synth/redistribute/plan.hpp"

namespace tessera::synth {

using Chain = std::vector<Collective>;

// Steps by their fields.
Collective slice_step(AxisList axes, std::size_t to);
Collective all_gather_step(AxisList axes, std::size_t from);
Collective all_to_all_step(AxisList axes, std::size_t from, std::size_t to);
Collective reduce_scatter_step(AxisList axes, std::size_t to);
Collective all_reduce_step(AxisList axes);
Collective keep_step(AxisList axes, ReduceOp reduce);
Collective permute_step(const ArrayType& target);
Collective exchange_step(const ArrayType& target);

// Does the step communicate at all?
bool is_launch(const Collective& step);

// The named collectives (or slices) that make one type of another with the same pending set, if one launch, or none, is
// enough.
std::optional<Chain> recognise(const ArrayType& from, const ArrayType& to);

// How the pending set has to change: what stays pending, what is resolved, what is kept by one replica.
struct PendingChange {
  AxisList common;
  AxisList resolve;
  AxisList keep;
};
PendingChange pending_change(const ArrayType& from, const ArrayType& to);
// The target before anything is kept: its splits, pending over what stays pending only.
base::Result<ArrayType> unkept(const ArrayType& to, const PendingChange& change);

// What the target may be refined to on the way (refinements.cpp), the more promising ones first; at most 24.
std::vector<ArrayType> refinements(const ArrayType& from, const ArrayType& to, const Machine& machine);

// Candidate chains of our planner, the simpler ones first; `from` and `to` differ as data.
base::Result<std::vector<Chain>> portfolio(const ArrayType& from, const ArrayType& to, const Machine& machine);
// The same without a general exchange.
base::Result<std::vector<Chain>> collectives_only_chains(const ArrayType& from, const ArrayType& to);

// The rivals (docs/redistribution.md says what each does); `unsupported` where a rival cannot express or finish it.
base::Result<Chain> paper_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> xla_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> shardy_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> dtensor_chain(const ArrayType& from, const ArrayType& to);
// Gather everything, then slice.
base::Result<Chain> gather_chain(const ArrayType& from, const ArrayType& to);

// The plan of a chain, priced but not verified. `machine` is one that machine_for gave.
base::Result<Plan> priced(const Machine& machine, const ArrayType& from, const ArrayType& to, Planner planner,
                          const Chain& chain);

// A plan with all figures but its lower bounds, not verified.
base::Result<Plan> plan_unverified(const ArrayType& from, const ArrayType& to, const Machine& machine,
                                   const PlanOptions& options);
// Puts the lower bounds beside the plan's figures and has it verified.
base::Status with_bounds(Plan& plan, const Machine& machine);

// Works out the steps' peaks from their types: what a plan's JSON does not say.
void set_step_peaks(Plan& plan);

}  // namespace tessera::synth
