// Which boxes move in a step, from whom to whom and in which order: what pictures, prices, statistics and messages are
// made of. Every kind of step is carried out as this says. Devices are those of the run.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/cluster/machine.hpp"
#include "synth/collective/collective.hpp"
#include "synth/transfer/box_send.hpp"

namespace tessera::synth {

// On a machine that machine_for gave: who sends what others hold, too, depends on it. Of a round, `before` is what the
// whole exchange begins with. In order of hops, then of targets.
std::vector<BoxSend> sends(const Machine& machine, const Collective& step, const ArrayType& before,
                           const ArrayType& after);

// Elements that each device of the target's mesh receives from others in the step: those of its sends, counted without
// making them.
std::vector<std::int64_t> received_elements(const Collective& step, const ArrayType& before, const ArrayType& after);

}  // namespace tessera::synth
