#include "synth/verify/least_bytes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stop_scope.hpp"
#include "base/wide.hpp"
#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

namespace {

Numbers tile_key(const Holdings& standing, std::int64_t device) {
  Numbers key;
  for (const Numbers& place : standing.place) key.push_back(place[static_cast<std::size_t>(device)]);
  return key;
}

std::int64_t missing(const Holdings& from, const Holdings& to, std::int64_t element_bytes) {
  base::Wide total = 0;
  for (std::int64_t d = 0; d < to.devices(); ++d) total += to.elements(d) - held_elements(from, to, d);
  return static_cast<std::int64_t>(total * element_bytes);
}

// For every pair of a source and a target tile, once: its elements have so many contributors, and so many devices
// need them; one receive is saved where one of those contributes itself.
std::int64_t least_of_sums(const Holdings& from, const Holdings& to, std::int64_t element_bytes) {
  std::map<Numbers, std::int64_t> sources;  // a device of each tile
  std::map<Numbers, std::int64_t> targets;
  std::map<Numbers, std::int64_t> needers;  // how many devices need a tile
  std::map<std::pair<Numbers, Numbers>, bool> met;
  for (std::int64_t d = 0; d < from.devices(); ++d) sources.emplace(tile_key(from, d), d);
  for (std::int64_t d = 0; d < to.devices(); ++d) {
    const Numbers target = tile_key(to, d);
    targets.emplace(target, d);
    ++needers[target];
    const std::int64_t own = from.number_of(to.ids[static_cast<std::size_t>(d)]);
    if (own >= 0) met[{tile_key(from, own), target}] = true;
  }
  base::Wide total = 0;
  for (const auto& [source, s] : sources) {
    base::look_for_stop();
    for (const auto& [target, t] : targets) {
      const std::int64_t receives = from.contributors - 1 + needers[target] - (met.count({source, target}) > 0 ? 1 : 0);
      total += base::Wide{shared_elements(from, s, to, t)} * receives;
    }
  }
  return static_cast<std::int64_t>(total * element_bytes);
}

}  // namespace

std::optional<std::int64_t> least_bytes(const ArrayType& from_type, const ArrayType& to_type) {
  if (!to_type.layout().pending().empty()) return 0;
  const Holdings from(from_type);
  const Holdings to(to_type);
  const std::int64_t element_bytes = bytes_of(to_type.element());
  if (from.contributors == 1) return missing(from, to, element_bytes);
  if (std::max(from.devices(), to.devices()) > kExplicitDevicesMax) return std::nullopt;
  return least_of_sums(from, to, element_bytes);
}

}  // namespace tessera::synth::verifier
