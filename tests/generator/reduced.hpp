// What productions of reductions share: a wanted shape with dimensions more, over which it is reduced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

// The wanted shape with dimensions more, and which they are; or, kept, with dimensions longer that have extent 1 there.
struct Wider {
  Shape shape;
  std::vector<std::int64_t> reduced;
  std::int64_t elements = 1;
  bool kept = false;
};
Wider wider(Random& random, const Shape& shape, std::size_t most);

// `dim=1` or `dim=[0, 2]`, a negative number now and then; nothing where all dimensions are meant. Kept dimensions are
// asked for.
struct Dimensions {
  std::string tessera;
  std::string numpy;
};
Dimensions dimensions(Random& random, const Wider& from);

// The operation of a; in the template for NumPy $1 stands for the dimensions, $2 for the element type.
ExpressionRef reduced(std::string_view operation, std::string_view numpy, const Dimensions& over, Facts facts,
                      const ExpressionRef& a);

}  // namespace tessera::generator
