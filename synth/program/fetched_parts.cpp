#include "synth/program/fetched_parts.hpp"

#include <algorithm>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

namespace {

constexpr std::int64_t kListedCopiesMax = std::int64_t{1} << 14U;

// Has every device all that it needs of the part, wherever that lies? Along each dimension it has the whole of it, or
// just what its tile of the result has.
bool is_at_hand(const Part& part, const ArrayType& own, const ArrayType& result) {
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    const AxisList& split = own.layout().split(d);
    const bool is_untouched = part.placements[d] == Placement{} && own.shape()[d] == result.shape()[d];
    if (!split.empty() && !(is_untouched && split == result.layout().split(d))) return false;
  }
  return true;
}

// Does what devices fetch of the part depend on positions that are known only at run time? A slice fetches nothing
// along a dimension that is whole on every device.
bool depends_on_run_time(const Part& part, const ArrayType& own, const ArrayType& result, bool has_base) {
  if (is_at_hand(part, own, result)) return false;
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    const bool may_matter = !own.layout().split(d).empty() || (has_base && !result.layout().split(d).empty());
    if (part.placements[d].scalar >= 0 && may_matter) return true;
  }
  return false;
}

bool depends_on_run_time(const Assemble& assemble, const std::vector<ArrayType>& operands, const ArrayType& result) {
  return std::ranges::any_of(assemble.parts, [&](const Part& part) {
    return depends_on_run_time(part, operands[part.operand], result, assemble.has_base);
  });
}

}  // namespace

Offset offset_of(const Part& part) {
  Offset offset;
  for (const Placement& placement : part.placements) offset.push_back(shift_of(placement));
  return offset;
}

// No device can receive more of the part than the part has, or than its tile of the result holds.
std::int64_t received_at_most(const ArrayType& part, const ArrayType& result) {
  if (part.layout().is_replicated()) return 0;
  std::int64_t bytes = 0;
  for (std::int64_t device = 0; device < result.devices(); ++device)
    bytes += std::min(tile_bytes(result, device), array_bytes(part));
  return bytes;
}

std::int64_t received_by_parts(const Assemble& assemble, const std::vector<ArrayType>& operands,
                               const ArrayType& result) {
  const bool is_known = !depends_on_run_time(assemble, operands, result);
  std::int64_t bytes = 0;
  for (const Part& part : assemble.parts) {
    const ArrayType& own = operands[part.operand];
    if (is_at_hand(part, own, result)) continue;
    if (!is_known) {
      bytes += depends_on_run_time(part, own, result, assemble.has_base) ? received_at_most(own, result) : 0;
      continue;
    }
    const Offset offset = offset_of(part);
    const CopyWalk walk(own, result, &offset);
    for (std::int32_t device = 0; device < result.devices(); ++device)
      bytes += walk.received_elements(device) * bytes_of(result.element());
  }
  return bytes;
}

std::optional<PartCopies> copies_of_part(const Part& part, const ArrayType& own, const ArrayType& result) {
  const Offset offset = offset_of(part);
  const CopyWalk walk(own, result, &offset);
  if (walk.copies_at_most() > kListedCopiesMax) return std::nullopt;
  PartCopies made;
  const auto add = [&](const BoxCopy& copy) { made.copies.push_back(copy); };
  const auto anyone = [](std::int32_t) { return true; };
  for (std::int32_t device = 0; device < result.devices(); ++device) {
    made.received_elements += walk.received_elements(device);
    walk.to(device, anyone, add);
  }
  return made;
}

FetchedParts fetched_parts(const Assemble& assemble, const std::vector<ArrayType>& operands, const ArrayType& result,
                           const RunMachine& machine) {
  FetchedParts fetched{received_by_parts(assemble, operands, result), 0, {}};
  if (fetched.received_bytes == 0) return fetched;
  std::int64_t most = 0;
  for (const Part& part : assemble.parts) {
    const Offset offset = offset_of(part);
    most += CopyWalk(operands[part.operand], result, &offset).copies_at_most();
  }
  if (most <= kExactMessagesMax && !depends_on_run_time(assemble, operands, result)) {
    for (const Part& part : assemble.parts) {
      const Offset offset = offset_of(part);
      const auto some = copies(machine, operands[part.operand], result, &offset);
      fetched.copies.insert(fetched.copies.end(), some.begin(), some.end());
    }
    fetched.seconds = cost_of_copies(machine, result.mesh(), fetched.copies, bytes_of(result.element())).seconds;
    return fetched;
  }
  const double bandwidth = Cluster(machine).levels().back().bandwidth;
  fetched.seconds = slowest_delay(machine).of(1) +
                    static_cast<double>(fetched.received_bytes) / static_cast<double>(result.devices()) / bandwidth;
  return fetched;
}

}  // namespace tessera::synth
