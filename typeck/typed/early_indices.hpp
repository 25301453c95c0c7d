// Positions before what is done there.
#pragma once

#include "synth/program/program.hpp"

namespace tessera::typeck {

// In the body of a loop, sums, differences and products of whole numbers, and the constants that they are made of, come
// first, in the order that they had, unless they need what another step of the turn makes. So the elementwise steps
// between slices that begin there follow each other, and are taken together.
//
//     a[:, i] + a[:, i + 1] + a[:, i + 2]        i + 1, i + 2, then three slices and two sums
//
// Pipelines stay as they are: they were cut into visits so.
void take_indices_first(synth::Program& program);

}  // namespace tessera::typeck
