// The time of an expression's local steps on a machine that says what its devices can do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "synth/program/compute_cost.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

struct LocalWork {
  base::Span span;   // the expression that is computed
  std::string step;  // `map add`, `contract`
  synth::ComputeCost cost;
};

// The work of every step that computes something, in order; steps of a called function, a loop's body and both branches
// count once. Empty where the machine says nothing of its devices, or has not as many as the arrays.
std::vector<LocalWork> local_work(const Typed& typed, const Region& region, const synth::Machine& machine);

// The lines that `plan e` prints of it: the sum, and the steps that take longest. Empty where there are none.
std::string local_work_text(const std::vector<LocalWork>& work, const base::SourceMap& sources,
                            const std::function<std::uint32_t(base::SourceId)>& first_line);

}  // namespace tessera::typeck
