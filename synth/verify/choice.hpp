// Checks a choice without planner or search: that every operation may have its types, that every use finds what it
// wants, that parts bring every device what its tile has of them, that the seconds are what steps and conversions add
// up to, and that no device needs more memory than is said.
#pragma once

#include <optional>
#include <string>

#include "synth/layout/cluster/machine.hpp"
#include "synth/program/choice/choice.hpp"

namespace tessera::synth {

struct ChoiceProblem;

// The fault, in a sentence without a full stop, or nothing.
std::optional<std::string> fault_of_choice(const ChoiceProblem& problem, const LayoutChoice& choice,
                                           const Machine& machine);

}  // namespace tessera::synth
