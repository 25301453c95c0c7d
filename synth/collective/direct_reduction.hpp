// A reduction that devices of a group carry out directly: every part goes straight to the device that adds it.
//
//   reduce_scatter   each device gets the others' parts of its own tile, and adds them
//   all_reduce       all want the same box. It is cut evenly into a stretch for each device, in row-major order: first
//                    a device gets the others' parts of its stretch and adds them, then the others get the sum
//
// Example: an all_reduce of 10 elements between 4 devices cuts stretches of 2, 3, 2 and 3. Device 0 receives 3 * 2
// elements to add, and then 8 sums.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/collective/collective.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::synth {

class DirectReduction {
 public:
  // The kind is reduce_scatter or all_reduce.
  DirectReduction(CollectiveKind kind, std::int64_t devices)
      : is_shared_(kind == CollectiveKind::all_reduce), devices_(devices) {}

  std::int64_t hops() const { return is_shared_ ? 2 : 1; }
  // The stretch of a device's target box, in row-major order, that the device at this position adds up.
  Interval stretch(std::int64_t elements, std::int64_t position) const {
    return is_shared_ ? share(elements, devices_, position) : Interval{0, elements};
  }
  // Elements that the device at `receiver` gets from the one at `sender`, to add and as sums.
  std::int64_t sent(std::int64_t elements, std::int64_t receiver, std::int64_t sender) const {
    const std::int64_t added = stretch(elements, receiver).length();
    return is_shared_ ? added + stretch(elements, sender).length() : added;
  }
  // Elements that the device at a position gets from all others.
  std::int64_t received(std::int64_t elements, std::int64_t position) const {
    const std::int64_t added = stretch(elements, position).length();
    return added * (devices_ - 1) + elements - added;
  }

 private:
  bool is_shared_;
  std::int64_t devices_;
};

// Elements begin to end - 1 of a box, in row-major order, as boxes.
std::vector<Box> boxes_of_stretch(const Box& box, Interval stretch);

}  // namespace tessera::synth
