// Tiles cut into blocks, for chains of steps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// Elements of a block: a few arrays of so many stay in a core's own cache. No more than a task of `map` takes.
inline constexpr std::int64_t kBlockElements = kGrain;

// The leading dimensions of a tile, cut into boxes that are consecutive in memory: a stretch of one dimension, all of
// the inner ones. Each index of them stands for a row of so many elements at most.
class Blocks {
 public:
  Blocks(const synth::Shape& lead, std::int64_t row) : shape_(lead), inner_(std::max<std::int64_t>(1, row)) {
    if (is_empty(shape_)) return;
    cut_ = shape_.size();
    while (cut_ > 0 && inner_ * shape_[cut_ - 1] <= kBlockElements) inner_ *= shape_[--cut_];
    count_ = 1;
    for (std::size_t d = 0; d < cut_; ++d) count_ *= d + 1 == cut_ ? stretches() : shape_[d];
  }
  std::int64_t count() const { return count_; }
  // The most elements that a block has.
  std::int64_t elements_max() const { return cut_ == 0 ? inner_ : inner_ * std::min(stretch(), shape_[cut_ - 1]); }

  struct Block {
    std::int64_t number;
    synth::Shape begin;
    synth::Shape shape;
    std::int64_t first_row = 0;  // row-major number of `begin`
  };
  Block block(std::int64_t number) const {
    Block block{number, synth::Shape(shape_.size(), std::int64_t{0}), shape_};
    for (std::size_t d = cut_; d-- > 0;) {
      const bool is_last = d + 1 == cut_;
      const std::int64_t extent = is_last ? stretches() : shape_[d];
      const std::int64_t step = is_last ? stretch() : 1;
      block.begin[d] = number % extent * step;
      block.shape[d] = std::min(step, shape_[d] - block.begin[d]);
      number /= extent;
    }
    for (std::size_t d = 0; d < shape_.size(); ++d) block.first_row = block.first_row * shape_[d] + block.begin[d];
    return block;
  }

 private:
  std::int64_t stretch() const { return std::max<std::int64_t>(1, kBlockElements / inner_); }
  std::int64_t stretches() const { return (shape_[cut_ - 1] + stretch() - 1) / stretch(); }

  synth::Shape shape_;
  std::size_t cut_ = 0;  // dimensions [0, cut) are walked, the last of them in stretches
  std::int64_t inner_;   // elements of the dimensions behind, and of a row
  std::int64_t count_ = 0;
};

}  // namespace tessera::runtime
