// Machines for people: the line that says which machine modelled times belong to.
#pragma once

#include <string>

#include "synth/layout/cluster/machine.hpp"

namespace tessera::synth {

// `25 GB/s`, or `5 to 10 GB/s` if links differ.
std::string bandwidth_text(const MachineLevel& level);

// `modelled: links of 100 GB/s and 1 us, assumed` without levels, or all of them from the outside in: `modelled: node
// 25 GB/s and 5 us, device 200 GB/s and 1 us, as given`.
std::string modelled_text(const Machine& machine);

}  // namespace tessera::synth
