// A bound for machines of many devices: the bytes that the devices of each unit lack together.
#include <algorithm>
#include <map>

#include "synth/verify/bounds.hpp"
#include "synth/verify/cover.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

double least_seconds_of_units(const Holdings& from, const Holdings& to, const Machine& machine,
                              std::int64_t element_bytes) {
  if (to.contributors > 1) return 0;
  const Numbers sources = from.tile_numbers();
  const Numbers targets = to.tile_numbers();
  double longest = 0;
  std::int64_t unit_devices = devices_of(machine);
  for (const MachineLevel& level : machine.levels) {
    unit_devices /= level.count;
    std::map<std::int64_t, Numbers> holders = by_unit(from, unit_devices);
    for (const auto& [unit, devices] : by_unit(to, unit_devices)) {
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
