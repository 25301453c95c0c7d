// Lower bounds of a redistribution: bytes received in all, and seconds on a machine, for any algorithm.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "synth/machine/time_bound.hpp"
#include "synth/machine/units.hpp"

namespace tessera::synth {

namespace {

__extension__ using Wide = __int128;

std::int64_t missing_bytes(const ArrayType& from, const ArrayType& to, std::int64_t device) {
  const Box wanted = tile(to, device);
  const std::int64_t held = from.layout().pending().empty() ? elements(intersect(wanted, tile(from, device))) : 0;
  return (elements(wanted) - held) * bytes_of(to.element());
}

// Bytes that some device both needs and contributes to, each counted once.
Wide contributed_where_needed(const ArrayType& from, const ArrayType& to) {
  std::map<std::pair<Box, Box>, std::int64_t> shared;
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    const Box cell = tile(from, device);
    const Box wanted = tile(to, device);
    const std::int64_t count = elements(intersect(cell, wanted));
    if (count > 0) shared.emplace(std::pair{cell, wanted}, count * bytes_of(to.element()));
  }
  Wide total = 0;
  for (const auto& [boxes, bytes] : shared) total += bytes;
  return total;
}

// An element with C > 1 contributors that H devices need costs C - 1 + H - 1 receives, and one more if none of the H
// contributes.
Wide pending_bytes(const ArrayType& from, const ArrayType& to) {
  const std::int64_t contributors = shard_count(from.layout().pending());
  const Wide all = array_bytes(to);
  return all * (contributors - 1 + copies(to) - 1) + all - contributed_where_needed(from, to);
}

std::int64_t total_bytes(const ArrayType& from, const ArrayType& to) {
  Wide total = 0;
  if (from.layout().pending().empty()) {
    for (std::int64_t device = 0; device < to.devices(); ++device) total += missing_bytes(from, to, device);
  } else {
    total = pending_bytes(from, to);
  }
  return static_cast<std::int64_t>(std::min<Wide>(total, std::numeric_limits<std::int64_t>::max()));
}

double simplified_seconds(const Machine& machine, const ArrayType& from, const ArrayType& to) {
  std::int64_t most = 0;
  for (std::int64_t device = 0; device < to.devices(); ++device) most = std::max(most, missing_bytes(from, to, device));
  return static_cast<double>(most) / machine.levels.back().bandwidth_bytes_per_second;
}

}  // namespace

LowerBound lower_bound(const Machine& machine, const ArrayType& from, const ArrayType& to) {
  LowerBound bound;
  if (!to.layout().pending().empty()) return bound;
  bound.received_bytes_total = total_bytes(from, to);
  bound.seconds =
      to.devices() <= kExactDevicesMax ? time_bound(machine, from, to) : simplified_seconds(machine, from, to);
  return bound;
}

}  // namespace tessera::synth
