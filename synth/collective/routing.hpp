// Private to synth: which device sends which box to which, as a walk, so that nobody has to hold all copies at once.
//
// The source tiles of an array form a grid of cells, each held by equally many devices. A target tile is a run of cells
// per dimension, so its boxes are the products of those runs: nothing is looked for among all pairs of devices.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "synth/collective/moves.hpp"

namespace tessera::synth {

// Which replicas send, and how finely they share a box.
struct SenderRule {
  // How many neighbouring devices make a unit of a machine's level, ascending, above 1. A sender out of the smallest
  // unit that has one is nearest. Empty: all devices are equally near.
  std::vector<std::int64_t> unit_devices;
  // Pieces below this are not cut further.
  double piece_bytes = kPieceBytes;
};

class Routing {
 public:
  Routing(const ArrayType& from, const ArrayType& to, const Offset* offset, SenderRule rule = {});

  std::int64_t devices() const { return static_cast<std::int64_t>(source_class_.size()); }
  // An upper bound of the number of copies the walk meets.
  std::int64_t copies_at_most() const;
  // The most cells that one target tile meets.
  std::int64_t cells_max() const;

  // f(source, target, box, elements) for every copy, local ones included, in order of target device. Boxes are not
  // empty.
  template <class F>
  void walk(F&& f) const {
    for (std::int32_t target = 0; target < devices(); ++target) walk_target(target, f);
  }
  template <class F>
  void walk_target(std::int32_t target, F&& f) const;

  // Elements of the target tile that the device does not hold, without a walk.
  std::int64_t received_elements(std::int32_t target) const;

 private:
  // A cell's interval within one target tile, in coordinates of the target array.
  struct Run {
    std::int32_t cell = 0;
    Interval interval;
  };
  struct Dimension {
    std::vector<std::int32_t> target_tile;  // of every device
    std::vector<std::vector<Run>> runs;     // of every target tile, ascending
    std::int64_t class_stride = 1;
  };
  struct Senders {
    const std::int32_t* first = nullptr;
    std::int64_t count = 0;
  };

  void add_dimension(const ArrayType& from, const ArrayType& to, std::size_t d, std::int64_t offset);
  void number_sources(const ArrayType& from);
  void number_targets(const ArrayType& to);
  std::vector<std::int32_t> classes(const ArrayType& type, std::vector<std::int64_t>* strides) const;
  const std::vector<Run>& runs(std::size_t d, std::int32_t target) const {
    return dimensions_[d].runs[static_cast<std::size_t>(dimensions_[d].target_tile[static_cast<std::size_t>(target)])];
  }
  Senders nearest(std::int64_t cell_class, std::int32_t target) const;
  // How many devices before this one want the box too, and must receive it.
  std::int64_t rank(std::int64_t cell_class, std::int32_t target) const;
  std::int64_t parts(std::int64_t senders, std::int64_t longest, std::int64_t elements) const;
  template <class F>
  void send(std::int64_t cell_class, std::int32_t target, Box& box, F&& f) const;

  std::vector<Dimension> dimensions_;
  SenderRule rule_;
  double piece_elements_ = 1;
  std::int64_t pending_count_ = 1;
  std::vector<std::int32_t> target_pending_;  // of every device: its position along the pending axes
  std::vector<std::int32_t> source_class_;    // of every device: its cell and pending position
  std::vector<std::int32_t> holders_;         // all devices, by source class, then id
  std::vector<std::int32_t> holders_begin_;   // by source class
  // Of every device, its target class' number, its number within the class, and all devices by target class, source
  // class and number: what `rank` searches.
  std::vector<std::int32_t> target_class_;
  std::vector<std::int32_t> number_in_class_;
  struct Wanter {
    std::int32_t target_class = 0;
    std::int32_t source_class = 0;
    std::int32_t number = 0;
    friend auto operator<=>(const Wanter&, const Wanter&) = default;
  };
  std::vector<Wanter> wanters_;
};

// All copies, in order of target device, then box.
std::vector<BoxCopy> all_copies(const Routing& routing);

template <class F>
void Routing::send(std::int64_t cell_class, std::int32_t target, Box& box, F&& f) const {
  const auto elements_of = [&] {
    std::int64_t count = 1;
    for (const Interval& i : box) count *= i.length();
    return count;
  };
  const std::int64_t count = elements_of();
  if (source_class_[static_cast<std::size_t>(target)] == cell_class) {
    f(target, target, std::as_const(box), count);
    return;
  }
  const Senders senders = nearest(cell_class, target);
  const std::int64_t first = senders.count > 1 ? rank(cell_class, target) : 0;
  const auto by_length = [](const Interval& a, const Interval& b) { return a.length() < b.length(); };
  Interval* longest = std::max_element(box.begin(), box.end(), by_length);
  const bool whole = senders.count == 1 || box.empty();
  const std::int64_t pieces = whole ? 1 : parts(senders.count, longest->length(), count);
  if (pieces == 1) {
    f(senders.first[first % senders.count], target, std::as_const(box), count);
    return;
  }
  const Interval uncut = *longest;
  for (std::int64_t j = 0; j < pieces; ++j) {
    const Interval piece = cut(uncut.length(), pieces, j);
    *longest = Interval{uncut.begin + piece.begin, uncut.begin + piece.end};
    f(senders.first[(j + first) % senders.count], target, std::as_const(box), elements_of());
  }
  *longest = uncut;
}

template <class F>
void Routing::walk_target(std::int32_t target, F&& f) const {
  const std::size_t rank_of_array = dimensions_.size();
  std::array<const std::vector<Run>*, kRankMax> all{};
  std::array<std::size_t, kRankMax> at{};
  for (std::size_t d = 0; d < rank_of_array; ++d) {
    all[d] = &runs(d, target);
    if (all[d]->empty()) return;
  }
  Box box(rank_of_array);
  while (true) {
    std::int64_t cell_class = target_pending_[static_cast<std::size_t>(target)];
    for (std::size_t d = 0; d < rank_of_array; ++d) {
      const Run& run = (*all[d])[at[d]];
      cell_class += run.cell * dimensions_[d].class_stride;
      box[d] = run.interval;
    }
    send(cell_class, target, box, f);
    std::size_t d = rank_of_array;
    while (d > 0 && ++at[d - 1] == all[d - 1]->size()) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace tessera::synth
