// The time of a step of copies, from the overlaps of tiles. A device gets out of a unit the part of its tile that the
// unit's devices hold. If their tiles are all combinations of some intervals of each dimension, that part is a product
// over the dimensions: of the parts of its intervals that the unit holds. If elements have several holders, a unit is
// sent all that none of its devices holds.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/verify/cover.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

class TilePrice {
 public:
  TilePrice(const Holdings& source, const Holdings& target, const RunMachine& machine, std::int64_t element_bytes)
      : source_(source),
        target_(target),
        tile_numbers_(source.tile_numbers()),
        slot_(machine),
        element_bytes_(element_bytes) {
    std::int64_t different = target_.contributors;
    for (const std::int64_t shards : target_.shards) different *= shards;
    copies_ = target_.devices() / different;
  }

  std::optional<double> seconds() {
    for (std::size_t level = 0; level < slot_.levels(); ++level) {
      const DevicesByUnit holders(source_, slot_.unit_devices(level));
      const DevicesByUnit takers(target_, slot_.unit_devices(level));
      for (const std::int64_t unit : takers.units()) {
        for (const std::int64_t i : takers.of(unit))
          slot_.add_link(level, unit, target_.elements(i) * element_bytes_, 0);
      }
      for (const std::int64_t unit : holders.units()) {
        base::look_for_stop();
        for (const std::int64_t i : holders.of(unit))
          slot_.add_link(level, unit, 0, source_.elements(i) * copies_ * element_bytes_);
        const auto held = together(source_, tile_numbers_, holders.of(unit));
        if (!held) return std::nullopt;
        const std::int64_t inner = inner_elements(*held, takers.of(unit)) * element_bytes_;
        slot_.add_link(level, unit, -inner, -inner);
      }
    }
    count_peers();
    return slot_.seconds();
  }

  // Several holders: a source tile that a target tile meets is a peer, and what leaves the units that hold something is
  // dealt evenly over their links.
  double seconds_from_nearest(const RunMachine& machine, std::int64_t peers) {
    Waits waits;
    double busiest = 0;
    for (std::size_t level = 0; level < slot_.levels(); ++level) {
      const MachineLevel& links = machine.levels[level];
      const DevicesByUnit holders(source_, slot_.unit_devices(level));
      const DevicesByUnit takers(target_, slot_.unit_devices(level));
      std::vector<std::int64_t> inner(takers.units().size(), 0);  // elements that a taker's unit has
      double outward = 0;
      bool is_known = true;
      for (const std::int64_t unit : holders.units()) {
        base::look_for_stop();
        const auto held = together(source_, tile_numbers_, holders.of(unit));
        is_known = is_known && held.has_value();
        outward += link_bandwidth(links, static_cast<std::size_t>(unit));
        const auto taker = std::lower_bound(takers.units().begin(), takers.units().end(), unit);
        if (held && taker != takers.units().end() && *taker == unit)
          inner[static_cast<std::size_t>(taker - takers.units().begin())] = inner_elements(*held, takers.of(unit));
      }
      if (!is_known) continue;
      double crossing = 0;
      for (std::size_t k = 0; k < inner.size(); ++k) {
        const std::int64_t unit = takers.units()[k];
        std::int64_t lacked = -inner[k];
        for (const std::int64_t i : takers.of(unit)) lacked += target_.elements(i);
        const auto bytes = static_cast<double>(lacked * element_bytes_);
        crossing += bytes;
        busiest = std::max(busiest, bytes / link_bandwidth(links, static_cast<std::size_t>(unit)));
      }
      if (crossing == 0) continue;
      waits.use(links);
      busiest = std::max(busiest, crossing / outward);
    }
    return busiest == 0 ? 0 : waits.of(peers) + busiest;
  }

 private:
  static std::int64_t part(const Holdings& of, std::int64_t device) {
    return of.pending[static_cast<std::size_t>(device)];
  }

  // The part of what the takers need that is held.
  std::int64_t inner_elements(const Together& held, std::span<const std::int64_t> takers) const {
    std::int64_t all = 0;
    for (const std::int64_t i : takers) {
      std::int64_t elements = std::binary_search(held.parts.begin(), held.parts.end(), part(target_, i)) ? 1 : 0;
      for (std::size_t d = 0; d < held.covers.size(); ++d) elements *= held.covers[d].of(target_.interval(d, i));
      all += elements;
    }
    return all;
  }

  static std::vector<Cover> tiles_along(const Holdings& of) {
    std::vector<Cover> all;
    for (const std::vector<Interval>& tiles : of.tile) {
      std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
      for (const Interval& tile : tiles) intervals.emplace_back(tile.begin, tile.end);
      all.emplace_back(std::move(intervals));
    }
    return all;
  }

  // Others that need something of a device's tile, or have something of it.
  void count_peers() {
    const std::vector<Cover> wanted = tiles_along(target_);
    const std::vector<Cover> held = tiles_along(source_);
    for (std::int64_t i = 0; i < source_.devices(); ++i) {
      base::look_for_stop();
      const std::int64_t same = target_.number_of(source_.ids[static_cast<std::size_t>(i)]);
      slot_.add_peers(pieces(wanted, source_, i) * copies_ - (same >= 0 && has_own(i, same) ? 1 : 0));
    }
    for (std::int64_t i = 0; i < target_.devices(); ++i) {
      base::look_for_stop();
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
  Numbers tile_numbers_;  // of the source's devices
  SlotPrice slot_;
  std::int64_t element_bytes_;
  std::int64_t copies_ = 1;  // devices that need the same
};

}  // namespace

std::optional<double> seconds_by_tiles(const State& before, const Holdings& after, const RunMachine& machine,
                                       std::int64_t element_bytes) {
  return TilePrice(before.standing, after, machine, element_bytes).seconds();
}

double seconds_from_nearest(const State& before, const Holdings& after, const RunMachine& machine,
                            std::int64_t element_bytes, std::int64_t peers) {
  return TilePrice(before.standing, after, machine, element_bytes).seconds_from_nearest(machine, peers);
}

}  // namespace tessera::synth::verifier
