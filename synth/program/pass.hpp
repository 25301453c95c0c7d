// Which pass of a gradient a step belongs to. What the forward pass makes and the backward pass reads is kept in
// between, and that is what most of the memory of a training step is for.
#pragma once

#include <cstdint>

namespace tessera::synth {

enum class Pass : std::uint8_t {
  none,      // not of a gradient
  forward,   // computes the function
  backward,  // computes its gradient; so do values that are computed a second time for it
};

}  // namespace tessera::synth
