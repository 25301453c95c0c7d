// What the devices of each unit of a machine lack together: a bound for machines of many devices.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "synth/verify/bounds.hpp"
#include "synth/verify/cover.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

// What the devices of a unit have together of one layout.
struct Together {
  std::set<std::int64_t> parts;  // of sums
  std::vector<Cover> covers;     // of every dimension
};

// Nothing where the different tiles are not all combinations.
std::optional<Together> together(const Holdings& of, const Numbers& tile_numbers, const Numbers& devices) {
  Together all;
  std::set<std::pair<std::int64_t, std::int64_t>> tiles;
  for (const std::int64_t device : devices) {
    const auto i = static_cast<std::size_t>(device);
    all.parts.insert(of.pending[i]);
    tiles.emplace(of.pending[i], tile_numbers[i]);
  }
  std::size_t combinations = all.parts.size();
  for (std::size_t d = 0; d < of.extents.size(); ++d) {
    std::set<std::int64_t> places;
    std::set<std::pair<std::int64_t, std::int64_t>> intervals;
    for (const std::int64_t device : devices) {
      places.insert(of.place[d][static_cast<std::size_t>(device)]);
      intervals.emplace(of.interval(d, device).begin, of.interval(d, device).end);
    }
    combinations *= places.size();
    if (combinations > tiles.size()) return std::nullopt;
    all.covers.emplace_back(intervals);
  }
  if (combinations < tiles.size()) return std::nullopt;
  return all;
}

}  // namespace

double least_seconds_of_units(const Holdings& from, const Holdings& to, const Machine& machine,
                              std::int64_t element_bytes) {
  if (to.contributors > 1) return 0;
  const Numbers sources = from.tile_numbers();
  const Numbers targets = to.tile_numbers();
  double longest = 0;
  std::int64_t unit_devices = devices_of(machine);
  for (const MachineLevel& level : machine.levels) {
    unit_devices /= level.count;
    std::map<std::int64_t, Numbers> holders;
    std::map<std::int64_t, Numbers> takers;
    for (std::int64_t i = 0; i < from.devices(); ++i)
      holders[from.ids[static_cast<std::size_t>(i)] / unit_devices].push_back(i);
    for (std::int64_t i = 0; i < to.devices(); ++i)
      takers[to.ids[static_cast<std::size_t>(i)] / unit_devices].push_back(i);
    for (const auto& [unit, devices] : takers) {
      const auto needed = together(to, targets, devices);
      const auto held = together(from, sources, holders[unit]);
      if (!needed || !held) continue;
      std::int64_t elements = 1;
      std::int64_t own = std::ssize(held->parts) == from.contributors ? 1 : 0;
      for (std::size_t d = 0; d < needed->covers.size(); ++d) {
        elements *= needed->covers[d].length();
        own *= held->covers[d].of(needed->covers[d]);
      }
      const auto bytes = static_cast<double>((elements - own) * element_bytes);
      longest = std::max(longest, bytes / link_bandwidth(level, static_cast<std::size_t>(unit)));
    }
  }
  return longest;
}

}  // namespace tessera::synth::verifier
