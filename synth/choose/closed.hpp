// Private to synth: an assignment as a choice, with every conversion planned and verified.
#pragma once

#include "synth/choice/choice.hpp"
#include "synth/choose/model.hpp"
#include "synth/redistribute/plan.hpp"

namespace tessera::synth {

// Nodes, conversions and seconds; bound and proof are the caller's.
base::Result<LayoutChoice> closed(const Model& model, const Assignment& assignment, PlanCache& cache,
                                  base::StopToken stop);

}  // namespace tessera::synth
