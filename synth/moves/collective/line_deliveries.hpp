// Elements that are added up along lines that lie over several devices, at places that are known at run time only: the
// way back of `sort` and `topk`, where a line's cotangents lie together and the line itself does not.
//
// Each device that has a part of a line gets what is added there from those that have the values and the ids of the
// line. Who that is says the exchange that would bring every device its lines' values whole (moves.hpp); of each of its
// boxes only the elements go whose ids name a place that the device has, with the number of that place in its tile.
//
// Example: on x:2, values and ids of [4@x, 3] are added into f32[4, 8@x]: device 0 has lines 0 and 1 of the values, and
// places 0 to 3 of all lines. If the ids of line 2 are 1, 6 and 2, device 1 sends two values and the numbers 9 and 10,
// which are places 1 and 2 of line 2. All devices together receive at most what all ids name: twelve values and twelve
// numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

// Does a ScatterAdd along lines deliver its elements? Else what is added lies where it goes, or a sum is left.
bool adds_along_by_delivery(const ArrayType& values, const ArrayType& ids, const ArrayType& result);

class LineDeliveries {
 public:
  LineDeliveries(const ArrayType& values, const ArrayType& result);

  // The boxes of the values that may be added to a device's tile, from itself and from others; those that share a line
  // in the order of its elements, which is the order in which one device would add them.
  std::vector<BoxCopy> boxes(std::int32_t device) const;
  // An upper bound of the number of boxes of all devices.
  std::int64_t boxes_at_most() const { return walk_.copies_at_most(); }
  // The places of a line that a device has; and that part of it as a box of the result.
  Interval places(std::int32_t device) const { return tile_interval(result_, result_.rank() - 1, device); }

  // The bytes of a place's number on its way, and of an element with it.
  std::int64_t number_bytes() const { return number_bytes_; }
  std::int64_t element_bytes() const { return number_bytes_ + bytes_of(result_.element()); }
  // The values that a device can lack at most, and that move at most in all: each goes to one device of those that have
  // its line together.
  std::int64_t values_at_most(std::int32_t device) const;
  std::int64_t values_at_most() const;
  const ArrayType& values() const { return values_; }
  const ArrayType& result() const { return result_; }

 private:
  Box lines_of(std::int32_t device) const;

  ArrayType values_;
  ArrayType result_;
  ArrayType whole_;  // the values as the lines of the result lie, each whole
  CopyWalk walk_;
  std::int64_t number_bytes_;
};

}  // namespace tessera::synth
