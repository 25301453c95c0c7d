// The time of a step of copies, from the overlaps of tiles. A device gets out of a unit the part of its tile that the
// unit's devices hold: where their tiles are all combinations of some intervals of each dimension, the product of the
// parts of its intervals that the unit holds.
#include <algorithm>
#include <map>
#include <set>

#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

// Intervals side by side, as one length: how much of another they cover.
class Cover {
 public:
  explicit Cover(const std::set<std::pair<std::int64_t, std::int64_t>>& intervals) {
    for (const auto& [begin, end] : intervals) {
      if (begin == end) continue;
      begins_.push_back(begin);
      ends_.push_back(end);
      sums_.push_back((sums_.empty() ? 0 : sums_.back()) + end - begin);
    }
  }
  std::int64_t of(const Interval& interval) const { return until(interval.end) - until(interval.begin); }
  std::int64_t pieces_in(const Interval& interval) const {
    if (interval.length() == 0) return 0;
    const auto first = std::upper_bound(ends_.begin(), ends_.end(), interval.begin) - ends_.begin();
    const auto last = std::lower_bound(begins_.begin(), begins_.end(), interval.end) - begins_.begin();
    return last - first;
  }

 private:
  std::int64_t until(std::int64_t at) const {
    const auto started =
        static_cast<std::size_t>(std::lower_bound(begins_.begin(), begins_.end(), at) - begins_.begin());
    return started == 0 ? 0 : sums_[started - 1] - std::max<std::int64_t>(0, ends_[started - 1] - at);
  }

  Numbers begins_;
  Numbers ends_;
  Numbers sums_;  // of the lengths up to each, its own included
};

class TilePrice {
 public:
  TilePrice(const Holdings& source, const Holdings& target, const Machine& machine, std::int64_t element_bytes)
      : source_(source), target_(target), slot_(machine), element_bytes_(element_bytes) {
    std::int64_t different = target_.contributors;
    for (const std::int64_t shards : target_.shards) different *= shards;
    copies_ = target_.devices() / different;
  }

  std::optional<double> seconds() {
    for (std::size_t level = 0; level < slot_.levels(); ++level) {
      std::map<std::int64_t, Numbers> holders;  // of the mesh before the step, by unit
      for (std::int64_t i = 0; i < source_.devices(); ++i) holders[unit(source_, i, level)].push_back(i);
      std::map<std::int64_t, Numbers> takers;
      for (std::int64_t i = 0; i < target_.devices(); ++i) takers[unit(target_, i, level)].push_back(i);
      for (const auto& [number, devices] : takers) {
        for (const std::int64_t i : devices) slot_.add_link(level, number, target_.elements(i) * element_bytes_, 0);
      }
      for (const auto& [number, devices] : holders) {
        for (const std::int64_t i : devices)
          slot_.add_link(level, number, 0, source_.elements(i) * copies_ * element_bytes_);
        const auto inner = inner_elements(devices, takers[number]);
        if (!inner) return std::nullopt;
        slot_.add_link(level, number, -*inner * element_bytes_, -*inner * element_bytes_);
      }
    }
    count_peers();
    return slot_.seconds();
  }

 private:
  std::int64_t unit(const Holdings& of, std::int64_t device, std::size_t level) const {
    return slot_.unit(level, of.ids[static_cast<std::size_t>(device)]);
  }
  static std::int64_t part(const Holdings& of, std::int64_t device) {
    return of.pending[static_cast<std::size_t>(device)];
  }

  // What the holders have of what the takers need, where the holders' tiles are all combinations.
  std::optional<std::int64_t> inner_elements(const Numbers& holders, const Numbers& takers) const {
    std::set<std::int64_t> parts;
    for (const std::int64_t i : holders) parts.insert(part(source_, i));
    std::vector<Cover> covers;
    std::size_t combinations = parts.size();
    for (std::size_t d = 0; d < source_.extents.size(); ++d) {
      std::set<std::int64_t> places;
      std::set<std::pair<std::int64_t, std::int64_t>> intervals;
      for (const std::int64_t i : holders) {
        places.insert(source_.place[d][static_cast<std::size_t>(i)]);
        intervals.emplace(source_.interval(d, i).begin, source_.interval(d, i).end);
      }
      combinations *= places.size();
      covers.emplace_back(intervals);
      if (combinations > holders.size()) return std::nullopt;
    }
    if (combinations < holders.size()) return std::nullopt;
    std::int64_t all = 0;
    for (const std::int64_t i : takers) {
      std::int64_t elements = parts.contains(part(target_, i)) ? 1 : 0;
      for (std::size_t d = 0; d < covers.size(); ++d) elements *= covers[d].of(target_.interval(d, i));
      all += elements;
    }
    return all;
  }

  static std::vector<Cover> tiles_along(const Holdings& of) {
    std::vector<Cover> all;
    for (const std::vector<Interval>& tiles : of.tile) {
      std::set<std::pair<std::int64_t, std::int64_t>> intervals;
      for (const Interval& tile : tiles) intervals.emplace(tile.begin, tile.end);
      all.emplace_back(intervals);
    }
    return all;
  }

  // Others that need something of a device's tile, or have something of it.
  void count_peers() {
    const std::vector<Cover> wanted = tiles_along(target_);
    const std::vector<Cover> held = tiles_along(source_);
    for (std::int64_t i = 0; i < source_.devices(); ++i) {
      const std::int64_t same = target_.number_of(source_.ids[static_cast<std::size_t>(i)]);
      slot_.add_peers(pieces(wanted, source_, i) * copies_ - (same >= 0 && has_own(i, same) ? 1 : 0));
    }
    for (std::int64_t i = 0; i < target_.devices(); ++i) {
      const std::int64_t same = source_.number_of(target_.ids[static_cast<std::size_t>(i)]);
      slot_.add_peers(pieces(held, target_, i) - (same >= 0 && has_own(same, i) ? 1 : 0));
    }
  }
  static std::int64_t pieces(const std::vector<Cover>& covers, const Holdings& of, std::int64_t device) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < covers.size(); ++d) count *= covers[d].pieces_in(of.interval(d, device));
    return count;
  }
  bool has_own(std::int64_t holder, std::int64_t taker) const {
    return part(source_, holder) == part(target_, taker) && shared_elements(source_, holder, target_, taker) > 0;
  }

  const Holdings& source_;
  const Holdings& target_;
  SlotPrice slot_;
  std::int64_t element_bytes_;
  std::int64_t copies_ = 1;  // devices that need the same
};

}  // namespace

std::optional<double> seconds_by_tiles(const State& before, const Holdings& after, const Machine& machine,
                                       std::int64_t element_bytes) {
  return TilePrice(before.standing, after, machine, element_bytes).seconds();
}

}  // namespace tessera::synth::verifier
