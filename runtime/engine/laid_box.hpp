// A box that is laid over an array, as a move of elements.
#pragma once

#include <cstdint>

#include "runtime/engine/engine.hpp"

namespace tessera::runtime {

// The part's elements that lie in the box, as far as it lies in the tile; `starts`: where the box begins.
BoxMove laid_box(const synth::Lay& lay, const synth::Shape& starts, const TileView& part, const synth::Box& tile,
                 const TileOut& out);

}  // namespace tessera::runtime
