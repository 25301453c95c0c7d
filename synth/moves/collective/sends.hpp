// The boxes that move in a step, with sender, receiver and order. Pictures, prices, statistics and messages are made
// from these, and every kind of step is carried out in this way. Devices are those of the run.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/collective/collective.hpp"
#include "synth/moves/transfer/box_send.hpp"

namespace tessera::synth {

// The machine decides who sends a box that several devices hold. For a round, `before` is the type before the whole
// exchange. In order of hops, then of targets.
std::vector<BoxSend> sends(const RunMachine& machine, const Collective& step, const ArrayType& before,
                           const ArrayType& after);

// Elements that each device of the target's mesh receives from others in the step: those of its sends, counted without
// making them.
std::vector<std::int64_t> received_elements(const Collective& step, const ArrayType& before, const ArrayType& after);

}  // namespace tessera::synth
