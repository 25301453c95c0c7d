// How a box is copied. A step may have thousands of them, so that nothing here takes memory.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fixed_vector.hpp"
#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// A dimension of a copy; strides count units.
struct CopyAxis {
  std::int64_t extent = 1;
  std::int64_t to = 0;
  std::int64_t from = 0;
};

// A box of units. Its dimensions are in the order of the target, the innermost last; none has extent 1.
struct UnitBox {
  int bytes = 1;  // of a unit
  Address from = 0;
  Address to = 0;
  base::FixedVector<CopyAxis, synth::kRankMax> axes;
  // The dimension along which the source is consecutive, if tiles are to be transposed; else the innermost.
  std::size_t crossing = 0;

  std::size_t rank() const { return axes.size(); }
  bool is_transposed() const { return crossing + 1 < rank(); }
  std::int64_t count() const;
};

// Appends the boxes that a move becomes: such that no two units of one lie 2^31 or more apart. None if there is nothing
// to copy.
void add_boxes(const runtime::BoxMove& move, std::vector<UnitBox>& boxes);

}  // namespace tessera::device
