#include "typeck/layouts/signature.hpp"

namespace tessera::typeck {

synth::Shape broadcast_shape(const std::vector<synth::Shape>& shapes) {
  synth::Shape shape;
  for (const synth::Shape& own : shapes) {
    while (shape.size() < own.size()) shape.insert(0, 1);
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& extent = shape[shape.size() - own.size() + d];
      if (extent == 1) extent = own[d];
    }
  }
  return shape;
}

}  // namespace tessera::typeck
