// Private to synth: which device sends which box to which, as a walk, so that nobody has to hold all copies at once.
//
// The source tiles of an array form a grid of cells, each held by equally many devices. A target tile is a run of cells
// per dimension, so its boxes are the products of those runs: nothing is looked for among all pairs of devices.
//
// A device fetches a cell's box from the nearest of its holders. The boxes that are fetched of one cell from the same
// senders are laid end to end, and each sender sends an equal stretch of that row: all send as much, and a box is cut
// only where one stretch ends and the next begins. If near senders would be busy for longer than any device receives,
// the last stretch comes from the farther holders: as much as they and the links between the units can send in less
// time.
//
// Example: on x:2,y:2 `f32[8@x] -> f32[8]` has the cells 0:4, held by devices 0 and 1, and 4:8, held by 2 and 3.
// Devices 0 and 1 lack 4:8: end to end these are eight elements, of which device 2 sends the first four, all to 0, and
// device 3 the rest, all to 1. On x:2,y:3 devices 3, 4 and 5 send four of twelve each, so again no box is cut; on x:3
// the cell 0:2 of `f32[6@x]` has one holder, which sends it twice.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

struct SenderRule {
  // How many neighbouring devices make a unit of a machine's level, ascending, above 1. A sender out of the smallest
  // unit that has one is nearest. Empty: all devices are equally near.
  std::vector<std::int64_t> unit_devices;
  std::int64_t devices = 0;  // of the machine
  // The elements that the link of an innermost unit carries in the time that a device's own link carries one.
  double unit_bandwidth = 0;
  // A box is not cut where that leaves a piece smaller than this.
  double piece_bytes = 0;
};
SenderRule sender_rule(const Cluster& cluster);

class Routing {
 public:
  Routing(const ArrayType& from, const ArrayType& to, const Offset* offset, SenderRule rule = {},
          std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // The devices of the target's mesh.
  std::int64_t devices() const { return static_cast<std::int64_t>(target_pending_.size()); }
  // An upper bound of the number of copies the walk meets.
  std::int64_t copies_at_most() const;
  // The most cells that one target tile meets.
  std::int64_t cells_max() const;

  // f(source, target, box, elements) for every copy, local ones included, in order of target device. Both are devices
  // of the run; those that are asked for are numbers of the target's mesh. Boxes are not empty.
  template <class F>
  void walk(F&& f) const {
    for (std::int32_t target = 0; target < devices(); ++target) walk_target(target, f);
  }
  template <class F>
  void walk_target(std::int32_t target, F&& f) const {
    walk_target(target, [](std::int32_t) { return true; }, f);
  }
  // The copies out of those sources only that `wants` takes; the others' boxes are not made.
  template <class Wants, class F>
  void walk_target(std::int32_t target, const Wants& wants, F&& f) const;
  // f(source, target, elements) for the same copies of one device, for callers that only count.
  template <class F>
  void count_target(std::int32_t target, F&& f) const;

  // Elements of the target tile that the device does not hold, without a walk.
  std::int64_t received_elements(std::int32_t target) const;

 private:
  // A cell's interval within one target tile: numbers of elements (Shift).
  struct Run {
    std::int32_t cell = 0;
    Interval interval;
  };
  struct Dimension {
    explicit Dimension(std::pmr::memory_resource* memory) : target_tile(memory), runs(memory), runs_begin(memory) {}
    std::pmr::vector<std::int32_t> target_tile;  // of every device
    std::pmr::vector<Run> runs;                  // of all target tiles, one after another, each's in order of numbers
    std::pmr::vector<std::size_t> runs_begin;    // of every target tile, and the end
    std::int64_t class_stride = 1;
  };
  // The devices from which a device fetches a box: `count` of holders_ from `first` on, with what they send to all that
  // fetch from them.
  struct Senders {
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int64_t total = 0;
    std::int64_t from_near = std::numeric_limits<std::int64_t>::max();  // the rest comes from the class' other holders
  };
  // A box of the target tile: its cell, its size, its longest dimension and how many elements each of its steps has.
  struct Cell {
    std::int64_t source_class = 0;
    std::int64_t elements = 1;
    std::int64_t longest = 1;
    std::int64_t slice = 1;
    std::size_t longest_dimension = 0;
  };
  // The position of a fetched box among all that its senders send.
  struct Share {
    Senders senders;
    std::int64_t offset = 0;
  };

  void add_dimension(const ArrayType& from, const ArrayType& to, std::size_t d, const Shift& shift);
  static std::int64_t numbers_of_cell(std::span<const Run> all, std::int32_t cell);
  void number_sources(const ArrayType& from);
  void number_targets(const ArrayType& to);
  void name_devices(const Mesh& from, const Mesh& to);
  std::int32_t run_device(std::int32_t target) const {
    return target_ids_.empty() ? target : target_ids_[static_cast<std::size_t>(target)];
  }
  // The class of what a target device holds of the source; -1 if it holds nothing.
  std::int32_t own_class(std::int32_t target) const {
    return own_class_.empty() ? source_class_[static_cast<std::size_t>(target)]
                              : own_class_[static_cast<std::size_t>(target)];
  }
  std::int64_t units_of(std::int64_t unit_devices) const { return rule_.devices / unit_devices; }
  using Strides = base::FixedVector<std::int64_t, kRankMax>;
  void write_classes(const ArrayType& type, std::span<std::int32_t> into, Strides* strides) const;
  std::span<const Run> runs(std::size_t d, std::int32_t target) const {
    const Dimension& dimension = dimensions_[d];
    const auto tile = static_cast<std::size_t>(dimension.target_tile[static_cast<std::size_t>(target)]);
    const std::size_t begin = dimension.runs_begin[tile];
    return std::span(dimension.runs).subspan(begin, dimension.runs_begin[tile + 1] - begin);
  }
  // The number, among all, of the first unit of a device that f takes: innermost first, the whole machine, 0, last.
  template <class F>
  std::size_t first_unit(std::int64_t device, F&& f) const;
  std::pmr::vector<Senders> senders_by_unit() const;
  std::size_t nearest(std::int64_t source_class, std::int64_t device) const;
  Senders search_nearest(std::int64_t source_class, std::int32_t target) const;
  bool share_senders();
  void relieve_near_senders(std::int64_t most_fetched, std::span<const std::int64_t> fetched_far);
  double sent_far(std::size_t source_class, std::int64_t holder) const;
  Share share_of(const Cell& cell, std::int32_t target, std::size_t fetch) const;
  template <class F>
  void count_single(std::int32_t target, std::size_t d, std::int64_t source_class, std::int64_t elements, F&& f) const;
  // f(cell, runs) for every box of the target tile; runs are its intervals, one for each dimension.
  using RunOf = std::array<const Run*, kRankMax>;
  template <class F>
  void walk_cells(std::int32_t target, F&& f) const;
  // f(source, begin, end): the box cut along its longest dimension, from 0 on.
  template <class F>
  void send(const Share& share, const Cell& cell, F&& f) const;
  // The same for the part of the box that lies in one stretch: `begins` in the stretch of `length`, shared by `count`
  // senders; sender(i) is the device of each.
  struct Stretch {
    std::int64_t begins = 0;
    std::int64_t length = 0;
    std::int64_t count = 1;
  };
  template <class Sender, class F>
  void send_stretch(const Stretch& stretch, const Cell& cell, std::int64_t end, std::int64_t& sent, Sender&& sender,
                    F&& f) const;
  // f(cell, runs, source, begin, end) for every piece of the target tile.
  template <class F>
  void walk_pieces(std::int32_t target, F&& f) const;

  std::pmr::memory_resource* memory_;
  std::pmr::vector<Dimension> dimensions_;
  SenderRule rule_;
  std::int64_t piece_elements_ = 1;
  std::int64_t unit_count_ = 1;  // of all levels, and the whole machine
  std::int64_t pending_count_ = 1;
  std::pmr::vector<std::int32_t> target_pending_;  // of every device: its position along the pending axes
  std::pmr::vector<std::int32_t> source_class_;    // of every source device: its cell and pending position
  std::pmr::vector<std::int32_t> own_class_;       // of every target device; none where both ends have the same devices
  std::pmr::vector<std::int32_t> target_ids_;      // of every target device its device of the run; none on 0:D
  std::pmr::vector<std::int32_t> holders_;         // all source devices of the run, by source class, then id
  std::int64_t replicas_ = 1;                      // holders of each class
  // Used where nobody remembers who shares senders: the number of devices with one target tile, and every device's
  // number among those with its tile.
  std::int32_t tile_copies_ = 1;
  std::pmr::vector<std::int32_t> number_in_tile_;
  std::pmr::vector<Senders> groups_;  // those with different senders, where they are remembered
  struct Fetch {
    std::int32_t group = 0;
    std::int64_t offset = 0;
  };
  std::pmr::vector<Fetch> fetches_;              // every box that comes from another device, in the order of the walk
  std::pmr::vector<std::size_t> fetches_begin_;  // of every device
};

// All copies from a mesh, in order of target device, then box.
std::vector<BoxCopy> all_copies(const Routing& routing, const Mesh& from);

template <class F>
void Routing::send(const Share& share, const Cell& cell, F&& f) const {
  const Senders& senders = share.senders;
  const auto near = [&](std::int64_t i) { return holders_[static_cast<std::size_t>(senders.first + i)]; };
  const std::int64_t near_total = std::min(senders.total, senders.from_near);
  std::int64_t sent = 0;
  if (share.offset < near_total) {
    const std::int64_t end =
        share.offset + cell.elements <= near_total ? cell.longest : (near_total - share.offset) / cell.slice;
    send_stretch(Stretch{share.offset, near_total, senders.count}, cell, end, sent, near, f);
  }
  if (sent == cell.longest) return;
  const auto first = static_cast<std::int64_t>(senders.first / replicas_ * replicas_);  // of the class
  const auto others = [&](std::int64_t i) {
    const std::int64_t at = first + i;
    return holders_[static_cast<std::size_t>(at < senders.first ? at : at + senders.count)];
  };
  const Stretch rest{share.offset - near_total, senders.total - near_total, replicas_ - senders.count};
  send_stretch(rest, cell, cell.longest, sent, others, f);
}

template <class Sender, class F>
void Routing::send_stretch(const Stretch& stretch, const Cell& cell, std::int64_t end, std::int64_t& sent,
                           Sender&& sender, F&& f) const {
  if (sent == end) return;
  if (stretch.count == 1) {
    f(sender(std::int64_t{0}), sent, end);
    sent = end;
    return;
  }
  const std::int64_t slice = cell.slice;
  const auto sender_at = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(scaled(std::max<std::int64_t>(at, 0), stretch.count, stretch.length), 0,
                                    stretch.count - 1);
  };
  const std::int64_t first = sender_at(stretch.begins + sent * slice);
  const std::int64_t last = sender_at(stretch.begins + end * slice - 1);
  if (first == last) {
    f(sender(first), sent, end);
    sent = end;
    return;
  }
  const std::int64_t smallest = std::max<std::int64_t>(1, (piece_elements_ + slice - 1) / slice);
  for (std::int64_t s = first; s <= last && sent < end; ++s) {
    // The begin of the next sender's part in the box.
    const std::int64_t next = s == last ? end : (scaled(stretch.length, s + 1, stretch.count) - stretch.begins) / slice;
    std::int64_t until = std::clamp(next, sent, end);
    if (end - until < smallest) until = end;
    if (until - sent < smallest && until < end) continue;
    f(sender(s), sent, until);
    sent = until;
  }
}

template <class F>
void Routing::walk_pieces(std::int32_t target, F&& f) const {
  const std::int32_t own = own_class(target);
  const std::int32_t self = run_device(target);
  std::size_t fetch = fetches_begin_.empty() ? 0 : fetches_begin_[static_cast<std::size_t>(target)];
  walk_cells(target, [&](const Cell& cell, const RunOf& runs) {
    if (cell.source_class == own) {
      f(cell, runs, self, 0, cell.longest);
    } else {
      send(share_of(cell, target, fetch++), cell,
           [&](std::int32_t source, std::int64_t begin, std::int64_t end) { f(cell, runs, source, begin, end); });
    }
  });
}

template <class Wants, class F>
void Routing::walk_target(std::int32_t target, const Wants& wants, F&& f) const {
  const std::int32_t self = run_device(target);
  walk_pieces(target,
              [&](const Cell& cell, const RunOf& runs, std::int32_t source, std::int64_t begin, std::int64_t end) {
                if (!wants(source)) return;
                Box box;
                for (std::size_t d = 0; d < dimensions_.size(); ++d) box.push_back(runs[d]->interval);
                if (!box.empty()) {
                  Interval& longest = box[cell.longest_dimension];
                  longest = Interval{longest.begin + begin, longest.begin + end};
                }
                f(source, self, std::as_const(box), cell.slice * (end - begin));
              });
}

// Counts without sharing, because every cell has one holder: most of what planning does with many devices is this loop.
template <class F>
void Routing::count_single(std::int32_t target, std::size_t d, std::int64_t source_class, std::int64_t elements,
                           F&& f) const {
  const std::int32_t self = run_device(target);
  if (d == dimensions_.size()) return f(holders_[static_cast<std::size_t>(source_class)], self, elements);
  const std::int64_t stride = dimensions_[d].class_stride;
  if (d + 1 < dimensions_.size()) {
    for (const Run& run : runs(d, target)) {
      count_single(target, d + 1, source_class + run.cell * stride, elements * run.interval.length(), f);
    }
    return;
  }
  for (const Run& run : runs(d, target)) {
    f(holders_[static_cast<std::size_t>(source_class + run.cell * stride)], self, elements * run.interval.length());
  }
}

template <class F>
void Routing::count_target(std::int32_t target, F&& f) const {
  if (replicas_ == 1) return count_single(target, 0, target_pending_[static_cast<std::size_t>(target)], 1, f);
  const std::int32_t self = run_device(target);
  walk_pieces(target, [&](const Cell& cell, const RunOf&, std::int32_t source, std::int64_t begin, std::int64_t end) {
    f(source, self, cell.slice * (end - begin));
  });
}

template <class F>
void Routing::walk_cells(std::int32_t target, F&& f) const {
  const std::size_t rank_of_array = dimensions_.size();
  std::array<std::span<const Run>, kRankMax> all{};
  std::array<std::size_t, kRankMax> at{};
  RunOf run{};
  std::array<Cell, kRankMax + 1> outer{};  // what the dimensions before each make of a cell
  for (std::size_t d = 0; d < rank_of_array; ++d) {
    all[d] = runs(d, target);
    if (all[d].empty()) return;
  }
  outer[0].source_class = target_pending_[static_cast<std::size_t>(target)];
  for (std::size_t changed = 0;;) {
    for (std::size_t d = changed; d < rank_of_array; ++d) {
      run[d] = &all[d][at[d]];
      const std::int64_t length = run[d]->interval.length();
      const Cell& before = outer[d];
      const std::int64_t source_class = before.source_class + run[d]->cell * dimensions_[d].class_stride;
      outer[d + 1] = length > before.longest ? Cell{source_class, before.elements * length, length, before.elements, d}
                                             : Cell{source_class, before.elements * length, before.longest,
                                                    before.slice * length, before.longest_dimension};
    }
    f(outer[rank_of_array], run);
    changed = rank_of_array;
    while (changed > 0 && ++at[changed - 1] == all[changed - 1].size()) at[--changed] = 0;
    if (changed == 0) return;
    --changed;
  }
}

}  // namespace tessera::synth
