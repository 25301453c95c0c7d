// Plans as JSON: one line, keys in the order of the contract.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::synth {

// One line, the contract of language.md section 10.
std::string print_json(const Plan& plan);
// The JSON object of a failure: {"mesh","from","to","planner","devices","error","message"[,"least_bytes"]}.
std::string print_json_error(const ArrayType& from, const ArrayType& to, Planner planner, const base::Diagnostic& why);

}  // namespace tessera::synth
