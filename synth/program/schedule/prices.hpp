// The modelled time of each step of a body.
#pragma once

#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/program/program.hpp"

namespace tessera::synth {

// Seconds of every step: of its slowest device, or of what it moves. A loop takes its body as often as its count says,
// where that is a constant; of a branch the longer side counts. Figures of devices that the machine does not give are
// DeviceKind's defaults.
std::vector<double> seconds_of_steps(const Program& program, const Body& body, const Machine& machine);

}  // namespace tessera::synth
