// The ids of `take`, scatters and one-hot rows, read where they lie.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// An id that names no row: its row-major position among the ids, and itself.
struct BadId {
  std::int64_t position = 0;
  std::int64_t id = 0;
};

// Integers of any width and strides, in row-major order.
class Ids {
 public:
  explicit Ids(const TileView& ids);

  std::int64_t size() const { return nest_.count; }
  // Those from `begin` to `end` - 1.
  void read(std::int64_t begin, std::int64_t end, std::int64_t* into) const;
  std::optional<BadId> first_outside(std::int64_t low, std::int64_t high) const;

 private:
  synth::ElementType element_;
  const std::byte* data_;
  Nest<1> nest_;
};

// For one thread that reads ids mostly one after the other, up to `end` - 1: some are read at a time, however many
// there are.
class IdsInOrder {
 public:
  IdsInOrder(const Ids& ids, std::int64_t end) : ids_(ids), limit_(end) {}

  std::int64_t operator()(std::int64_t i) {
    if (i < begin_ || i >= end_) read_from(i);
    return some_[static_cast<std::size_t>(i - begin_)];
  }

 private:
  static constexpr std::int64_t kSome = 1024;

  void read_from(std::int64_t i);

  const Ids& ids_;
  std::int64_t limit_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::array<std::int64_t, kSome> some_;  // as it is: filling it would take longer
};

}  // namespace tessera::runtime
