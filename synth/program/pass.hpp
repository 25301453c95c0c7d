// The pass of a gradient that a step belongs to. Values that the forward pass makes and the backward pass reads are
// kept in between: most of the memory of a training step.
#pragma once

#include <cstdint>

namespace tessera::synth {

enum class Pass : std::uint8_t {
  none,      // not of a gradient
  forward,   // computes the function
  backward,  // computes its gradient; so do values that are computed a second time for it
};

}  // namespace tessera::synth
