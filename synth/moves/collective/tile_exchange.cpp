#include "synth/moves/collective/tile_exchange.hpp"

#include <algorithm>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

// Numbers of things in a set that is emptied often: a mark says in which turn it was put in.
class Marks {
 public:
  Marks(std::size_t count, std::pmr::memory_resource* memory) : turn_of_(count, 0, memory) {}
  void clear() { ++turn_; }
  bool has(std::size_t i) const { return turn_of_[i] == turn_; }
  // True if it was not there.
  bool add(std::size_t i) {
    const bool is_new = !has(i);
    turn_of_[i] = turn_;
    return is_new;
  }

 private:
  std::pmr::vector<std::int32_t> turn_of_;
  std::int32_t turn_ = 1;
};

// The source's intervals along a dimension that the devices of a unit hold.
class HeldAlong {
 public:
  HeldAlong(const Tiling& source, const Tiling& target, std::size_t dimension, std::pmr::memory_resource* memory)
      : source_(source),
        target_(target),
        dimension_(dimension),
        is_held_(source.cuts(dimension).size(), memory),
        held_(memory),
        joined_(memory),
        length_before_(memory),
        is_known_(target.cuts(dimension).size(), memory),
        known_(target.cuts(dimension).size(), 0, memory) {}

  void clear() {
    is_held_.clear();
    is_known_.clear();
    held_.clear();
  }
  void add(std::size_t device) {
    const std::size_t place = source_.place(dimension_, device);
    if (is_held_.add(place)) held_.push_back(place);
  }
  std::size_t count() const { return held_.size(); }

  // Intervals side by side are one: often there is no other.
  void measure() {
    if (!std::is_sorted(held_.begin(), held_.end())) std::sort(held_.begin(), held_.end());
    joined_.clear();
    length_before_.assign(1, 0);
    for (const std::size_t place : held_) {
      const Interval& next = source_.cuts(dimension_)[place];
      if (!joined_.empty() && joined_.back().end == next.begin) {
        joined_.back().end = next.end;
        length_before_.back() += next.length();
      } else {
        joined_.push_back(next);
        length_before_.push_back(length_before_.back() + next.length());
      }
    }
  }
  // How much of a device's target interval the unit holds.
  std::int64_t in_target(std::size_t device) {
    const std::size_t place = target_.place(dimension_, device);
    if (is_known_.add(place)) {
      const Interval wanted = target_.cuts(dimension_)[place];
      known_[place] = length_below(wanted.end) - length_below(wanted.begin);
    }
    return known_[place];
  }

 private:
  std::int64_t length_below(std::int64_t at) const {
    const auto first =
        std::partition_point(joined_.begin(), joined_.end(), [&](const Interval& one) { return one.end <= at; });
    const std::int64_t below = length_before_[static_cast<std::size_t>(first - joined_.begin())];
    return first == joined_.end() ? below : below + std::max<std::int64_t>(0, at - first->begin);
  }

  const Tiling& source_;
  const Tiling& target_;
  std::size_t dimension_;
  Marks is_held_;
  std::pmr::vector<std::size_t> held_;
  std::pmr::vector<Interval> joined_;
  std::pmr::vector<std::int64_t> length_before_;  // of the joined intervals before each, and of all
  Marks is_known_;
  std::pmr::vector<std::int64_t> known_;  // by target interval
};

// The elements that the devices of a unit hold.
class UnitHoldings {
 public:
  UnitHoldings(const Tiling& source, const Tiling& target, std::pmr::memory_resource* memory)
      : source_(source),
        target_(target),
        along_(memory),
        parts_(static_cast<std::size_t>(source.contributors), memory),
        tiles_(static_cast<std::size_t>(source.tiles * source.contributors), memory) {
    for (std::size_t d = 0; d < source_.rank(); ++d) along_.emplace_back(source, target, d, memory);
  }

  // From now on it is the unit of devices begin to end - 1. False if their tiles, each counted once, are no grid.
  bool hold(std::size_t begin, std::size_t end) {
    for (HeldAlong& along : along_) along.clear();
    parts_.clear();
    tiles_.clear();
    std::size_t tiles = 0;
    std::size_t grid = 0;  // tiles of the grid, if it is one
    for (std::size_t device = begin; device < end; ++device) {
      if (!source_.has(device)) continue;
      const auto part = static_cast<std::size_t>(source_.contributor[device]);
      const auto tile = static_cast<std::size_t>(source_.tile_of[device]);
      if (!tiles_.add(tile * static_cast<std::size_t>(source_.contributors) + part)) continue;
      ++tiles;
      grid += parts_.add(part) ? 1 : 0;
      for (HeldAlong& along : along_) along.add(device);
    }
    for (HeldAlong& along : along_) {
      grid *= along.count();
      if (grid > tiles) return false;
      along.measure();
    }
    return grid == tiles;
  }

  // Elements that the unit holds of what a device needs.
  std::int64_t held_for(std::size_t device) {
    if (!target_.has(device)) return 0;
    std::int64_t elements = parts_.has(static_cast<std::size_t>(target_.contributor[device])) ? 1 : 0;
    for (HeldAlong& along : along_) elements *= along.in_target(device);
    return elements;
  }

 private:
  const Tiling& source_;
  const Tiling& target_;
  std::pmr::vector<HeldAlong> along_;  // of every dimension
  Marks parts_;                        // of pending sums
  Marks tiles_;                        // of each part of the sums
};

// For each interval of one tiling of a dimension, the number of intervals of another that overlap it.
std::pmr::vector<std::int64_t> meetings(const Tiling& of, const Tiling& with, std::size_t dimension,
                                        std::pmr::memory_resource* memory) {
  std::pmr::vector<Interval> others(memory);
  for (const Interval& other : with.cuts(dimension)) {
    if (other.length() > 0) others.push_back(other);
  }
  std::pmr::vector<std::int64_t> met(memory);
  for (const Interval& interval : of.cuts(dimension)) {
    const auto first = std::partition_point(others.begin(), others.end(),
                                            [&](const Interval& other) { return other.end <= interval.begin; });
    const auto last =
        std::partition_point(first, others.end(), [&](const Interval& other) { return other.begin < interval.end; });
    met.push_back(interval.length() == 0 ? 0 : last - first);
  }
  return met;
}

// The elements that a device holds and needs.
std::int64_t kept_elements(const Tiling& source, const Tiling& target, std::size_t device) {
  const bool is_same_part = source.contributor[device] == target.contributor[device];
  return is_same_part ? shared_elements(source, device, target, device) : 0;
}

}  // namespace

TileExchange::TileExchange(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                           std::pmr::memory_resource* memory)
    : source_(before, cluster.devices(), memory),
      target_(after, cluster.devices(), memory),
      met_by_source_(memory),
      met_by_target_(memory),
      held_(memory),
      needed_(memory),
      own_(memory),
      links_(cluster.links(), memory) {
  held_.reserve(devices());
  needed_.reserve(devices());
  own_.reserve(devices());
  for (std::size_t d = 0; d < source_.rank(); ++d) {
    met_by_source_.push_back(meetings(source_, target_, d, memory));
    met_by_target_.push_back(meetings(target_, source_, d, memory));
  }
}

std::optional<TileExchange> TileExchange::of(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                                             std::pmr::memory_resource* memory) {
  std::int64_t holders = shard_count(before.layout().pending());
  for (const AxisList& split : before.layout().splits()) holders *= shard_count(split);
  if (holders != before.devices()) return std::nullopt;
  TileExchange exchange(cluster, before, after, memory);
  exchange.add_devices();
  for (std::size_t level = 0; level + 1 < cluster.levels().size(); ++level) {
    if (!exchange.add_level(cluster, level)) return std::nullopt;
  }
  return exchange;
}

std::int64_t TileExchange::receivers(std::size_t device) const {
  std::int64_t count = source_.has(device) ? target_.copies : 0;
  for (std::size_t d = 0; d < source_.rank(); ++d) count *= met_by_source_[d][source_.place(d, device)];
  return count - (own_[device] > 0 ? 1 : 0);
}

std::int64_t TileExchange::senders(std::size_t device) const {
  std::int64_t count = target_.has(device) ? 1 : 0;
  for (std::size_t d = 0; d < target_.rank(); ++d) count *= met_by_target_[d][target_.place(d, device)];
  return count - (own_[device] > 0 ? 1 : 0);
}

void TileExchange::add_devices() {
  Exchanged* const links = links_.data() + (links_.size() - devices());
  for (std::size_t device = 0; device < devices(); ++device) {
    held_.push_back(source_.elements(device) * target_.copies);
    needed_.push_back(target_.elements(device));
    own_.push_back(kept_elements(source_, target_, device));
    links[device] = {held_[device] - own_[device], needed_[device] - own_[device]};
  }
}

// The bytes that the units' devices send and need, without those that they have from one another.
bool TileExchange::add_level(const Cluster& cluster, std::size_t level) {
  const auto unit_devices = static_cast<std::size_t>(cluster.levels()[level].unit_devices);
  UnitHoldings unit(source_, target_, links_.get_allocator().resource());
  for (std::size_t begin = 0; begin < devices(); begin += unit_devices) {
    base::look_for_stop();
    if (!unit.hold(begin, begin + unit_devices)) return false;
    Exchanged& link = links_[cluster.link(level, static_cast<std::int32_t>(begin))];
    for (std::size_t device = begin; device < begin + unit_devices; ++device) {
      const std::int64_t inner = unit.held_for(device);
      link.sent += held_[device] - inner;
      link.received += needed_[device] - inner;
    }
  }
  return true;
}

// ---- Several holders ----

NearestExchange::NearestExchange(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                                 std::pmr::memory_resource* memory)
    : received_(cluster.links(), 0, memory), has_source_(cluster.links(), false, memory) {
  const Tiling source(before, cluster.devices(), memory);
  const Tiling target(after, cluster.devices(), memory);
  const std::size_t devices = target.devices();
  std::pmr::vector<std::pmr::vector<std::int64_t>> met(memory);
  for (std::size_t d = 0; d < target.rank(); ++d) met.push_back(meetings(target, source, d, memory));
  const std::size_t first = received_.size() - devices;
  for (std::size_t device = 0; device < devices; ++device) {
    has_source_[first + device] = source.has(device);
    if (!target.has(device)) continue;
    std::int64_t cells = 1;
    for (std::size_t d = 0; d < target.rank(); ++d) cells *= met[d][target.place(d, device)];
    cells_max_ = std::max(cells_max_, cells);
    messages_ += static_cast<double>(cells) * static_cast<double>(source.copies);
    received_[first + device] = target.elements(device) - kept_elements(source, target, device);
  }
  UnitHoldings unit(source, target, memory);
  for (std::size_t l = 0; l + 1 < cluster.levels().size(); ++l) {
    const Cluster::Level& level = cluster.levels()[l];
    const auto unit_devices = static_cast<std::size_t>(level.unit_devices);
    is_known_.push_back(true);
    for (std::size_t u = 0; u < level.units && is_known_[l]; ++u) {
      base::look_for_stop();
      const std::size_t begin = u * unit_devices;
      is_known_[l] = unit.hold(begin, begin + unit_devices);
      for (std::size_t device = begin; is_known_[l] && device < begin + unit_devices; ++device) {
        if (source.has(device)) has_source_[level.first_link + u] = true;
        if (target.has(device)) received_[level.first_link + u] += target.elements(device) - unit.held_for(device);
      }
    }
  }
  is_known_.push_back(true);
}

}  // namespace tessera::synth
