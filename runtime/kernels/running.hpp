// The running sum, product, maximum or minimum along a split dimension, tile by tile: the bits are those of scan() on
// the whole array.
//
// Every tile first takes the values inside its own blocks. Then one tile after the other learns what stands in front of
// it and says what stands behind it, from the totals of its blocks alone. At last every tile puts what it was told in
// front of its values.
#pragma once

#include <cstdint>

#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/tile.hpp"
#include "synth/moves/collective/carries.hpp"

namespace tessera::runtime {

// What stands at a boundary, of each line in row-major order of the other dimensions: all its sums, then what they
// lost, then the sums inside the cut block, as far as there are such.
struct Carry {
  synth::CarryForm form;
  std::byte* data = nullptr;
};

class RunningTile {
 public:
  // `position` is where the tile begins along the dimension, in the direction of the scan.
  RunningTile(synth::ReduceOp op, TileView operand, std::size_t dimension, TileOut out, Direction direction,
              std::int64_t position)
      : op_(op), operand_(operand), dimension_(dimension), out_(out), direction_(direction), position_(position) {}

  void run_inside() const;
  // After run_inside(), and before what is in front is put there.
  void carry_on(const Carry& in_front, const Carry& behind) const;
  void put_in_front(const Carry& in_front) const;

 private:
  template <class F>
  void for_strips(const F& f) const;

  synth::ReduceOp op_;
  TileView operand_;
  std::size_t dimension_;
  TileOut out_;
  Direction direction_;
  std::int64_t position_;
};

}  // namespace tessera::runtime
