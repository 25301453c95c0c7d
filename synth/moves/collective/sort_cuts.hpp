// Sorting lines that lie on several devices. Every device sorts its part of a line; then the line's elements are to be
// told apart by the tile of the sorted line that they belong to. That is found by cuts: a cut parts each device's run
// so that the parts before it are the first elements of the line, as many as lie before the tile that begins there. Of
// equal elements those of earlier tiles come first, so there is one such cut. Then every device receives its parts of
// the others' runs, no element twice, and merges them.
//
// A cut is sought by the device whose tile begins there. In a round each device of the line sends it how many of its
// elements may still lie on either side, and up to eight of these, evenly spaced. Whatever is not sent lies between two
// that are, so the searcher knows two samples that surely enclose the cut, and tells them. Of n elements that may lie
// on either side no more than 4/9 are left. When every device has eight or fewer the cut is known.
//
// Example: f32[1000@x] on x:4. Device 1 seeks the cut with 250 elements before it. At first all 1,000 may lie on either
// side, then at most 444, 197, 87, 38, 16, 7: seven rounds. In each it receives 3 times 8 bytes and 8 elements, and
// sends 3 times two elements and two bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// Is an array that lies so sorted along its last dimension by cuts?
bool sorts_by_cuts(const ArrayType& type);

class SortCuts {
 public:
  // Of lines along this dimension; where positions are sought, they move beside the elements.
  SortCuts(const ArrayType& type, std::size_t dimension, bool positions);
  // Along the last.
  SortCuts(const ArrayType& type, bool positions) : SortCuts(type, type.rank() - 1, positions) {}

  static constexpr std::int64_t kSamples = 8;
  // How many rounds a cut of lines of so many elements takes at most.
  static std::int64_t rounds_at_most(std::int64_t elements);

  const ArrayType& type() const { return type_; }
  // How many tiles a line is cut into, and the positions of each.
  std::int64_t tiles() const { return cuts_.tiles(); }
  Interval positions(std::int64_t tile) const { return cuts_.tile(tile); }
  std::int64_t own_tile(std::int32_t device) const { return positions_[static_cast<std::size_t>(device)]; }
  // The device that has a tile of the same lines; of its own tile it is itself.
  std::int32_t member(std::int32_t device, std::int64_t tile) const;
  std::int32_t leader(std::int32_t device) const { return member(device, 0); }
  std::int64_t lines(std::int32_t device) const;
  // The tiles that hold something, in their order. At the begin of each but the first a cut is sought.
  const std::vector<std::int64_t>& filled() const { return filled_; }

  // The bytes of a position on its way, of an element with its position, if these are sought, and of what a device and
  // a searcher tell each other of a line in a round.
  std::int64_t number_bytes() const { return number_bytes_; }
  std::int64_t key_bytes() const { return bytes_of(type_.element()); }
  std::int64_t record_bytes() const { return key_bytes() + (is_of_positions_ ? number_bytes_ : 0); }
  std::int64_t sample_bytes() const { return 2 * number_bytes_ + kSamples * key_bytes(); }
  std::int64_t answer_bytes() const { return 2 * key_bytes() + 2; }

  // What a device receives at most: as it searches and is asked, with how much it gets from each, and of elements.
  std::int64_t search_bytes_at_most(std::int32_t device) const;
  std::int64_t run_bytes_at_most(std::int32_t device) const;

 private:
  ArrayType type_;
  std::size_t dimension_;
  bool is_of_positions_;
  Cuts cuts_;
  std::vector<std::int32_t> positions_;  // of every device along the axes of the dimension
  std::vector<std::int64_t> offsets_;    // of the places at each position
  std::vector<std::int64_t> filled_;
  std::int64_t number_bytes_;
};

// What all devices receive at most.
std::int64_t cut_bytes_at_most(const SortCuts& cuts);

}  // namespace tessera::synth
