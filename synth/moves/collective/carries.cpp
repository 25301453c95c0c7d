#include "synth/moves/collective/carries.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace tessera::synth {

namespace {

// The box without the dimension, and where the tile ends along that.
using LinesUntil = std::pair<std::vector<std::pair<std::int64_t, std::int64_t>>, std::int64_t>;

LinesUntil lines_until(const Box& box, std::size_t dimension, std::int64_t position) {
  LinesUntil key{{}, position};
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (d != dimension) key.first.emplace_back(box[d].begin, box[d].end);
  }
  return key;
}

}  // namespace

CarryKind carry_kind(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return CarryKind::sums;
    case ReduceOp::product: return CarryKind::products;
    case ReduceOp::max:
    case ReduceOp::min: break;
  }
  return CarryKind::single;
}

CarryForm carry_form(ElementType element, CarryKind kind, std::int64_t position) {
  const bool by_blocks = is_float(element) && kind != CarryKind::single;
  if (!by_blocks) return {position > 0, false, false};
  const std::int64_t blocks = position / kRunningBlock;
  return {blocks > 0, blocks > 1 && kind == CarryKind::sums, position % kRunningBlock != 0};
}

std::int64_t running_position(const Interval& tile, std::int64_t extent, bool reverse) {
  return reverse ? extent - tile.end : tile.begin;
}

std::vector<CarryHop> carry_hops(const ArrayType& type, std::size_t dimension, bool reverse) {
  if (type.layout().split(dimension).empty()) return {};
  const std::int64_t extent = type.shape()[dimension];
  std::map<LinesUntil, std::vector<std::int32_t>> ends;  // the devices of each, ascending
  std::map<LinesUntil, std::vector<std::int32_t>> begins;
  for (std::int32_t device = 0; device < type.devices(); ++device) {
    const Box box = tile(type, device);
    if (empty(box)) continue;
    const std::int64_t position = running_position(box[dimension], extent, reverse);
    begins[lines_until(box, dimension, position)].push_back(device);
    ends[lines_until(box, dimension, position + box[dimension].length())].push_back(device);
  }
  std::vector<CarryHop> hops;
  for (const auto& [lines, targets] : begins) {
    if (lines.second == 0) continue;
    const auto sources = ends.find(lines);
    TESSERA_CHECK(sources != ends.end(), "no tile ends where another one begins");
    std::int64_t count = 1;
    for (const auto& [begin, end] : lines.first) count *= end - begin;
    for (std::size_t k = 0; k < targets.size(); ++k)
      hops.push_back({sources->second[k % sources->second.size()], targets[k], lines.second, count});
  }
  std::ranges::sort(hops, {}, [](const CarryHop& hop) { return std::tuple(hop.position, hop.target); });
  return hops;
}

std::int64_t carry_bytes(const CarryHop& hop, ElementType element, CarryKind kind) {
  return hop.lines * carry_form(element, kind, hop.position).values() * bytes_of(element);
}

std::int64_t carried_bytes(const std::vector<CarryHop>& hops, ElementType element, CarryKind kind) {
  std::int64_t bytes = 0;
  for (const CarryHop& hop : hops) bytes += carry_bytes(hop, element, kind);
  return bytes;
}

std::int64_t carry_bytes_max(const std::vector<CarryHop>& hops, ElementType element, CarryKind kind) {
  std::int64_t most = 0;
  for (const CarryHop& hop : hops) most = std::max(most, carry_bytes(hop, element, kind));
  return most;
}

}  // namespace tessera::synth
