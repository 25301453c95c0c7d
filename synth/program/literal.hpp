// Arrays that a program holds as they are written.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/layout/element.hpp"
#include "synth/layout/shape.hpp"

namespace tessera::synth {

// Dense, row-major.
struct Literal {
  ElementType element = ElementType::f32;
  Shape shape;
  std::vector<std::byte> bytes;
};

}  // namespace tessera::synth
