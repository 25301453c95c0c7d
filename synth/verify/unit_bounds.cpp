// Bounds for machines of many devices: the bytes that the devices of each unit lack together, and what sums bring from
// unit to unit.
#include <algorithm>
#include <compare>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/sorted.hpp"
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

using TilePart = std::pair<std::int64_t, std::int64_t>;  // a tile and a part of its sum

// A list for each unit, in one piece of memory.
template <class T>
class Lists {
 public:
  // The next unit's, ascending and one of each.
  void add(std::vector<T> items) {
    base::keep_one_of_each(items);
    all_.insert(all_.end(), items.begin(), items.end());
    ends_.push_back(all_.size());
  }
  std::span<const T> of(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(all_).subspan(begin, ends_[i] - begin);
  }
  // The items of all units: as many of each as units have it.
  std::vector<T> sorted() const {
    std::vector<T> all = all_;
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::vector<T> all_;
  std::vector<std::size_t> ends_;
};

// What all units of a level need and hold, unit by unit; of no use for the level as a whole where one is not known.
class LevelUnits {
 public:
  LevelUnits(const Holdings& from, const Holdings& to, std::int64_t unit_devices) : from_(from) {
    const Numbers sources = from.tile_numbers();
    const Numbers targets = to.tile_numbers();
    const DevicesByUnit holders(from, unit_devices);
    const DevicesByUnit needers(to, unit_devices);
    Numbers units = holders.units();
    units.insert(units.end(), needers.units().begin(), needers.units().end());
    base::keep_one_of_each(units);
    for (const std::int64_t unit : units) {
      base::look_for_stop();
      const auto needed = together(to, targets, needers.of(unit));
      const auto held = together(from, sources, holders.of(unit));
      if (needed && held) {
        note_tiles(sources, targets, holders.of(unit), needers.of(unit));
        note(unit, *held, *needed);
      } else {
        all_known_ = false;
      }
    }
  }

  // Elements over each unit's link, one way or the other. Without sums only what comes in is looked at.
  template <class F>
  void for_each_link(const F& f) const {
    const bool are_sums = from_.contributors > 1 && all_known_;
    const std::vector<TilePart> held_anywhere = are_sums ? held_parts_.sorted() : std::vector<TilePart>();
    const Numbers needed_anywhere = are_sums ? needed_tiles_.sorted() : Numbers();
    const auto is_alone = [](const auto& all, const auto& item) {
      const auto [first, last] = std::equal_range(all.begin(), all.end(), item);
      return last - first == 1;
    };
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const Unit& unit = units_[i];
      std::int64_t most = unit.needed - (unit.parts == from_.contributors ? unit.both : 0);
      if (are_sums) {
        const auto held = held_parts_.of(i);
        const auto needed = needed_tiles_.of(i);
        const bool has_only_parts =
            std::all_of(held.begin(), held.end(), [&](const TilePart& part) { return is_alone(held_anywhere, part); });
        const bool is_only_needer = std::any_of(needed.begin(), needed.end(),
                                                [&](std::int64_t tile) { return is_alone(needed_anywhere, tile); });
        if (has_only_parts) most = std::max(most, unit.held - (is_only_needer ? unit.both : 0));
      }
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
    std::int64_t array = 1;
    for (const std::int64_t extent : from_.extents) array *= extent;
    return elements - contributed() + ((from_.contributors + most - 1) / most - 1) * array;
  }

 private:
  struct Unit {
    std::int64_t number;
    std::int64_t needed;
    std::int64_t held;
    std::int64_t both;
    std::int64_t parts;
  };

  void note_tiles(const Numbers& sources, const Numbers& targets, std::span<const std::int64_t> holders,
                  std::span<const std::int64_t> needers) {
    std::vector<TilePart> held;
    Numbers tiles;
    for (const std::int64_t device : holders) {
      const auto i = static_cast<std::size_t>(device);
      held.emplace_back(sources[i], from_.pending[i]);
      tiles.push_back(sources[i]);
    }
    Numbers needed;
    for (const std::int64_t device : needers) needed.push_back(targets[static_cast<std::size_t>(device)]);
    held_parts_.add(std::move(held));
    held_tiles_.add(std::move(tiles));
    needed_tiles_.add(std::move(needed));
  }
  // After its tiles.
  void note(std::int64_t number, const Together& held, const Together& needed) {
    const bool holds = !held_tiles_.of(units_.size()).empty();
    const bool needs = !needed_tiles_.of(units_.size()).empty();
    std::int64_t both = holds && needs ? 1 : 0;
    for (std::size_t d = 0; d < needed.covers.size(); ++d) both *= held.covers[d].of(needed.covers[d]);
    units_.push_back(
        {number, volume_of(needed.covers, !needs), volume_of(held.covers, !holds), both, std::ssize(held.parts)});
  }

  // What is needed where it is held, once for units that hold and need the same.
  std::int64_t contributed() const {
    std::vector<std::size_t> order(units_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto compare = [&](std::size_t a, std::size_t b) {
      const auto by = [](auto first, auto second) {
        return std::lexicographical_compare_three_way(first.begin(), first.end(), second.begin(), second.end());
      };
      const auto held = by(held_tiles_.of(a), held_tiles_.of(b));
      return held != 0 ? held : by(needed_tiles_.of(a), needed_tiles_.of(b));
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::int64_t elements = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k == 0 || compare(order[k - 1], order[k]) != 0) elements += units_[order[k]].both;
    }
    return elements;
  }

  const Holdings& from_;
  std::vector<Unit> units_;
  Lists<TilePart> held_parts_;
  Lists<std::int64_t> held_tiles_;
  Lists<std::int64_t> needed_tiles_;
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
