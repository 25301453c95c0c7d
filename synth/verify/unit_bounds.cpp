// Bounds for machines of many devices: the bytes that the devices of each unit lack together, and what sums bring from
// unit to unit.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/verify/bounds.hpp"
#include "synth/verify/cover.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

std::int64_t volume_of(const std::vector<Cover>& covers, bool is_of_nobody) {
  std::int64_t volume = is_of_nobody ? 0 : 1;
  for (const Cover& cover : covers) volume *= cover.length();
  return volume;
}

// What all units of a level need and hold, unit by unit; of no use for the level as a whole where one is not known.
class LevelUnits {
 public:
  LevelUnits(const Holdings& from, const Holdings& to, std::int64_t unit_devices) : from_(from) {
    const Numbers sources = from.tile_numbers();
    const Numbers targets = to.tile_numbers();
    std::map<std::int64_t, Numbers> holders = by_unit(from, unit_devices);
    std::map<std::int64_t, Numbers> needers = by_unit(to, unit_devices);
    for (const auto& [unit, devices] : holders) needers.try_emplace(unit);
    for (const auto& [unit, devices] : needers) {
      base::look_for_stop();
      const auto needed = together(to, targets, devices);
      const auto held = together(from, sources, holders[unit]);
      if (needed && held) {
        note(unit, *held, *needed, numbers_at(sources, holders[unit], from.pending), numbers_at(targets, devices, {}));
      } else {
        all_known_ = false;
      }
    }
  }

  // Elements over each unit's link, one way or the other. Without sums only what comes in is looked at.
  template <class F>
  void for_each_link(const F& f) const {
    for (const Unit& unit : units_) {
      std::int64_t most = unit.needed - (unit.parts == from_.contributors ? unit.both : 0);
      if (from_.contributors > 1 && all_known_ && has_only_parts(unit))
        most = std::max(most, unit.held - (is_only_needer(unit) ? unit.both : 0));
      f(unit.number, most);
    }
  }

  // Elements that cross from unit to unit. Where no unit has all parts of a sum, as many units as it takes bring theirs
  // together, then the sum goes to all that need it but one that contributes itself; else into those that lack it.
  std::int64_t crossings() const {
    if (!all_known_ || from_.contributors == 1) return 0;
    std::int64_t most = 1;
    for (const Unit& unit : units_) most = std::max(most, unit.parts);
    std::int64_t elements = 0;
    for (const Unit& unit : units_) elements += unit.needed;
    if (most == from_.contributors) {
      for (const Unit& unit : units_) elements -= unit.parts == most ? unit.both : 0;
      return elements;
    }
    std::map<std::pair<Keys, Numbers>, std::int64_t> contributed;  // where it is needed
    for (const Unit& unit : units_)
      contributed.insert_or_assign(std::pair(unit.held_tiles, unit.needed_tiles), unit.both);
    for (const auto& [tiles, both] : contributed) elements -= both;
    std::int64_t array = 1;
    for (const std::int64_t extent : from_.extents) array *= extent;
    return elements + ((from_.contributors + most - 1) / most - 1) * array;
  }

 private:
  using Keys = Numbers;
  struct Unit {
    std::int64_t number;
    std::int64_t needed;
    std::int64_t held;
    std::int64_t both;
    std::int64_t parts;
    Keys held_tiles;  // without their parts
    Numbers needed_tiles;
    std::vector<std::pair<std::int64_t, std::int64_t>> held_parts;  // a tile and a part
  };

  static std::vector<std::pair<std::int64_t, std::int64_t>> numbers_at(const Numbers& numbers, const Numbers& devices,
                                                                       const Numbers& parts) {
    std::set<std::pair<std::int64_t, std::int64_t>> all;
    for (const std::int64_t device : devices) {
      const auto i = static_cast<std::size_t>(device);
      all.emplace(numbers[i], parts.empty() ? 0 : parts[i]);
    }
    return {all.begin(), all.end()};
  }
  static Numbers tiles_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& parts) {
    std::set<std::int64_t> tiles;
    for (const auto& [tile, part] : parts) tiles.insert(tile);
    return {tiles.begin(), tiles.end()};
  }

  void note(std::int64_t number, const Together& held, const Together& needed,
            std::vector<std::pair<std::int64_t, std::int64_t>> held_parts,
            const std::vector<std::pair<std::int64_t, std::int64_t>>& needed_tiles) {
    std::int64_t both = held_parts.empty() || needed_tiles.empty() ? 0 : 1;
    for (std::size_t d = 0; d < needed.covers.size(); ++d) both *= held.covers[d].of(needed.covers[d]);
    for (const auto& part : held_parts) ++holders_[part];
    for (const auto& tile : needed_tiles) ++needers_[tile.first];
    const std::int64_t volume_held = volume_of(held.covers, held_parts.empty());
    units_.push_back({number, volume_of(needed.covers, needed_tiles.empty()), volume_held, both, std::ssize(held.parts),
                      tiles_of(held_parts), tiles_of(needed_tiles), std::move(held_parts)});
  }
  bool has_only_parts(const Unit& unit) const {
    return std::all_of(unit.held_parts.begin(), unit.held_parts.end(),
                       [&](const auto& part) { return holders_.at(part) == 1; });
  }
  // Does it alone need something?
  bool is_only_needer(const Unit& unit) const {
    return std::any_of(unit.needed_tiles.begin(), unit.needed_tiles.end(),
                       [&](std::int64_t tile) { return needers_.at(tile) == 1; });
  }

  const Holdings& from_;
  std::vector<Unit> units_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> holders_;  // how many units have a part of a tile
  std::map<std::int64_t, std::int64_t> needers_;
  bool all_known_ = true;
};

}  // namespace

double least_seconds_of_units(const Holdings& from, const Holdings& to, const RunMachine& machine,
                              std::int64_t element_bytes) {
  if (to.contributors > 1) return 0;
  double longest = 0;
  std::int64_t unit_devices = devices_of(machine);
  for (const MachineLevel& level : machine.levels) {
    unit_devices /= level.count;
    const LevelUnits units(from, to, unit_devices);
    units.for_each_link([&](std::int64_t unit, std::int64_t elements) {
      const auto bytes = static_cast<double>(elements * element_bytes);
      longest = std::max(longest, bytes / link_bandwidth(level, static_cast<std::size_t>(unit)));
    });
    double capacity = 0;
    for (std::int64_t unit = 0; unit < devices_of(machine) / unit_devices; ++unit)
      capacity += link_bandwidth(level, static_cast<std::size_t>(unit));
    longest = std::max(longest, static_cast<double>(units.crossings()) * static_cast<double>(element_bytes) / capacity);
  }
  return longest;
}

}  // namespace tessera::synth::verifier
