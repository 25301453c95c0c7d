// Plans read from JSON. Figures missing in the JSON are worked out from the types; whether they are right is for verify
// to say.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::synth {

// Reads what print_json wrote (by the full structure, not by trust: the result must still be verified).
base::Result<Plan> read_json(std::string_view json);

}  // namespace tessera::synth
