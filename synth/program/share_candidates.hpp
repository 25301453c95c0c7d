// The shares of an axis' devices that can be best for some program, from even to by speed: devices share as the smaller
// of their speed and one of the speeds that there are (synth/choose/weights.hpp says why).
#pragma once

#include <cstddef>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/layout/weights.hpp"

namespace tessera::synth {

std::vector<Weights> weights_to_search(const Machine& machine, const Mesh& mesh, std::size_t axis);

// Can no other shares be best? So it is on flat machines whose devices have one speed each and no limit of memory, but
// for rounding shares to whole numbers.
bool weights_to_search_are_all(const Machine& machine, const Mesh& mesh, std::size_t axis);

}  // namespace tessera::synth
