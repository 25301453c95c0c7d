// Private to synth: an assignment as a choice, with every conversion planned and verified.
#pragma once

#include "synth/choose/model.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/choice/choice.hpp"

namespace tessera::synth {

// Nodes, conversions and seconds; bound and proof are the caller's.
base::Result<LayoutChoice> closed(const Model& model, const Assignment& assignment, PlanCache& cache,
                                  base::StopToken stop);

}  // namespace tessera::synth
