// Checks a choice without planner or search: that every operation may have its types, that every use finds what it
// wants, and that the seconds are what steps and conversions add up to.
#pragma once

#include <optional>
#include <string>

#include "synth/choice/choice.hpp"
#include "synth/cluster/machine.hpp"

namespace tessera::synth {

// The fault, in a sentence without a full stop, or nothing.
std::optional<std::string> fault_of_choice(const ChoiceProblem& problem, const LayoutChoice& choice,
                                           const Machine& machine);

}  // namespace tessera::synth
