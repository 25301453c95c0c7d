// Scalars that every rank knows without a message, whatever mesh they are on: constants, indices of loops, and scalars
// computed from these. Loops count, and pieces are found, by such scalars; a rank that has no device of their mesh
// computes them for itself.
#pragma once

#include <vector>

#include "synth/program/program.hpp"

namespace tessera::runtime {

// One flag for every register of the program.
std::vector<bool> known_scalars(const synth::Program& program);

}  // namespace tessera::runtime
