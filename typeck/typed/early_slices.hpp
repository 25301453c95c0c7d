// Slices before elementwise steps.
#pragma once

#include "synth/program/program.hpp"

namespace tessera::typeck {

// Where every device makes the whole of a value and then only its slice is wanted, the operands are sliced instead, and
// each device makes its part:
//
//     slice (a + b)        slice a + slice b
//
// Pipelines stay as they are: they were cut into visits so.
void slice_early(synth::Program& program);

}  // namespace tessera::typeck
