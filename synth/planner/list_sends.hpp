// Plans with their sends, one by one.
#pragma once

#include "base/result.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::synth {

// The plan with the sends of every step that moves something listed, for print_json: as they are on its machine. Fails
// with too_many_sends.
base::Result<Plan> with_sends(Plan plan, const Machine& machine);

}  // namespace tessera::synth
