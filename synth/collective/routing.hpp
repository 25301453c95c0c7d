// Private to synth: which device sends which box to which, as a walk, so that nobody has to hold all copies at once.
//
// The source tiles of an array form a grid of cells, each held by equally many devices. A target tile is a run of cells
// per dimension, so its boxes are the products of those runs: nothing is looked for among all pairs of devices.
//
// Who sends. A device fetches a cell's box from the nearest of its holders. Those that fetch of one cell from the same
// senders are laid end to end, and each sender sends an equal stretch of that: all send as much, and a box is cut only
// where one stretch ends and the next begins.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "synth/collective/moves.hpp"

namespace tessera::synth {

struct SenderRule {
  // How many neighbouring devices make a unit of a machine's level, ascending, above 1. A sender out of the smallest
  // unit that has one is nearest. Empty: all devices are equally near.
  std::vector<std::int64_t> unit_devices;
  // A box is not cut where that leaves a piece smaller than this.
  double piece_bytes = 0;
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
  // Those that a device fetches a box from: `count` of holders_ from `first` on. They send `total` elements to all that
  // fetch from them; the box begins at `offset`.
  struct Senders {
    std::int32_t first = 0;
    std::int32_t count = 1;
    std::int64_t offset = 0;
    std::int64_t total = 0;
  };

  void add_dimension(const ArrayType& from, const ArrayType& to, std::size_t d, std::int64_t offset);
  void number_sources(const ArrayType& from);
  void number_targets(const ArrayType& to);
  std::vector<std::int32_t> classes(const ArrayType& type, std::vector<std::int64_t>* strides) const;
  const std::vector<Run>& runs(std::size_t d, std::int32_t target) const {
    return dimensions_[d].runs[static_cast<std::size_t>(dimensions_[d].target_tile[static_cast<std::size_t>(target)])];
  }
  std::size_t unit_count() const;
  // The nearest holders, and a number for all devices that have the same ones, below cells * unit_count().
  std::pair<Senders, std::size_t> nearest(std::int64_t cell_class, std::int32_t target) const;
  void share_senders();
  Senders senders_of(std::int64_t cell_class, std::int32_t target, std::size_t fetch, std::int64_t elements) const;
  // f(cell class, box) for every box of the target tile.
  template <class F>
  void walk_cells(std::int32_t target, F&& f) const;
  template <class F>
  void send(const Senders& senders, std::int32_t target, Box& box, F&& f) const;

  std::vector<Dimension> dimensions_;
  SenderRule rule_;
  double piece_elements_ = 1;
  std::int64_t pending_count_ = 1;
  std::vector<std::int32_t> target_pending_;  // of every device: its position along the pending axes
  std::vector<std::int32_t> source_class_;    // of every device: its cell and pending position
  std::vector<std::int32_t> holders_;         // all devices, by source class, then id
  std::int64_t replicas_ = 1;                 // holders of each class
  std::int32_t tile_copies_ = 1;              // devices with one target tile
  std::vector<std::int32_t> number_in_tile_;  // of every device among those with its target tile
  std::vector<Senders> shares_;               // of every box that a walk meets, in its order
  std::vector<std::size_t> shares_begin_;     // of every device
};

// All copies, in order of target device, then box.
std::vector<BoxCopy> all_copies(const Routing& routing);

template <class F>
void Routing::send(const Senders& senders, std::int32_t target, Box& box, F&& f) const {
  const std::int64_t count = elements(box);
  const auto sender_at = [&](std::int64_t at) { return scaled(at, senders.count, senders.total); };
  const auto device = [&](std::int64_t sender) { return holders_[static_cast<std::size_t>(senders.first + sender)]; };
  const std::int64_t first = senders.count == 1 ? 0 : sender_at(senders.offset);
  const std::int64_t last = senders.count == 1 ? 0 : sender_at(senders.offset + count - 1);
  if (first == last || box.empty()) {
    f(device(first), target, std::as_const(box), count);
    return;
  }
  const auto by_length = [](const Interval& a, const Interval& b) { return a.length() < b.length(); };
  Interval* longest = std::max_element(box.begin(), box.end(), by_length);
  const Interval uncut = *longest;
  const std::int64_t slice = count / uncut.length();
  const auto smallest = static_cast<std::int64_t>(std::ceil(piece_elements_ / static_cast<double>(slice)));
  std::int64_t begin = uncut.begin;
  for (std::int64_t s = first; s <= last && begin < uncut.end; ++s) {
    // Where the next sender's stretch begins, in the box.
    const std::int64_t ends = (scaled(senders.total, s + 1, senders.count) - senders.offset) / slice;
    std::int64_t end = s == last ? uncut.end : std::clamp(uncut.begin + ends, begin, uncut.end);
    if (uncut.end - end < smallest) end = uncut.end;
    if (end - begin < std::max<std::int64_t>(smallest, 1) && end < uncut.end) continue;
    *longest = Interval{begin, end};
    f(device(s), target, std::as_const(box), slice * (end - begin));
    begin = end;
  }
  *longest = uncut;
}

template <class F>
void Routing::walk_target(std::int32_t target, F&& f) const {
  const std::int32_t own = source_class_[static_cast<std::size_t>(target)];
  std::size_t fetch = shares_.empty() ? 0 : shares_begin_[static_cast<std::size_t>(target)];
  walk_cells(target, [&](std::int64_t cell_class, Box& box) {
    if (cell_class == own) {
      f(target, target, std::as_const(box), elements(box));
    } else {
      send(senders_of(cell_class, target, fetch++, elements(box)), target, box, f);
    }
  });
}

template <class F>
void Routing::walk_cells(std::int32_t target, F&& f) const {
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
    f(cell_class, box);
    std::size_t d = rank_of_array;
    while (d > 0 && ++at[d - 1] == all[d - 1]->size()) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace tessera::synth
