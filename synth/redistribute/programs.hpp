// Private to synth: programs for the sums of a plan.
#pragma once

#include <memory>

#include "synth/collective/collective.hpp"
#include "synth/machine/machine.hpp"

namespace tessera::synth {

// Are sums on this machine made by programs? Where a machine file says what links there are, and each device can be
// looked at.
bool has_programs(const Machine& machine, const ArrayType& type);

// The fastest program of a reduce_scatter or an all_reduce by the closed formulas of synth/reduce; null where none
// takes less than so many seconds, and for groups that end inside a unit or have more than kProgramMembersMax members.
std::shared_ptr<const ReduceProgram> best_reduce_program(const Machine& machine, const Collective& step,
                                                         const ArrayType& before, const ArrayType& after,
                                                         double seconds);

}  // namespace tessera::synth
