// Worked example: `concat([a, a], 0)` of f32[4@x] on x:4 is f32[8@x]. Device 0 needs rows 0 and 1 and holds row 0:
// all devices together receive what their new tiles have and the old ones lack, 6 elements. Gathered first they would
// receive 12.
#include "typeck/layouts/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/verify/assembled.hpp"
#include "synth/verify/carried.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::Layout;

namespace {

synth::Offset offset_of_part(const synth::Part& part) {
  synth::Offset offset;
  for (const synth::Placement& placement : part.placements) offset.push_back(synth::shift_of(placement));
  return offset;
}

// Does what devices fetch of the part depend on positions that are known only at run time? A slice fetches nothing
// along a dimension that is whole on every device.
bool depends_on_run_time(const synth::Part& part, const ArrayType& operand, bool has_base) {
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    if (part.placements[d].scalar >= 0 && (has_base || !operand.layout().split(d).empty())) return true;
  }
  return false;
}

// Copies are replayed unless there are more of them; of these only the elements are counted.
constexpr std::int64_t kReplayedCopiesMax = std::int64_t{1} << 14U;

// Throws InternalError where the verifier refuses the copies of a part.
void verify_part(const ArrayType& part, const ArrayType& result, const synth::Offset& offset,
                 const synth::CopyWalk& walk, std::int64_t received_elements) {
  if (walk.copies_at_most() > kReplayedCopiesMax) return;
  std::vector<synth::LaidElements> laid;
  for (const synth::Shift& shift : offset) laid.push_back({shift.offset, shift.step, shift.add, shift.spread});
  std::vector<synth::GivenBox> copies;
  const auto add = [&](const synth::BoxCopy& copy) { copies.push_back({copy.source, copy.target, copy.box}); };
  const auto anyone = [](std::int32_t) { return true; };
  for (std::int32_t device = 0; device < result.devices(); ++device) walk.to(device, anyone, add);
  const auto fault = synth::fault_of_part(part, result, laid, copies, received_elements);
  if (fault) throw base::InternalError(fmt::format("a part is not laid right: {}", *fault));
}

}  // namespace

// No device can receive more of the part than the part has, or than its tile of the result holds.
std::int64_t received_at_most(const ArrayType& part, const ArrayType& result) {
  if (part.layout().is_replicated()) return 0;
  std::int64_t bytes = 0;
  for (std::int64_t device = 0; device < result.devices(); ++device)
    bytes += std::min(synth::tile_bytes(result, device), synth::array_bytes(part));
  return bytes;
}

std::int64_t bytes_of_parts(const synth::Assemble& assemble, const std::vector<ArrayType>& operands,
                            const ArrayType& result) {
  std::int64_t elements = 0;
  for (const synth::Part& part : assemble.parts) {
    const synth::Offset offset = offset_of_part(part);
    const synth::CopyWalk walk(operands[part.operand], result, &offset);
    std::int64_t received = 0;
    for (std::int32_t device = 0; device < result.devices(); ++device) received += walk.received_elements(device);
    verify_part(operands[part.operand], result, offset, walk, received);
    elements += received;
  }
  return elements * synth::bytes_of(result.element());
}

std::int64_t bytes_of_carries(const synth::Scan& scan, const ArrayType& result) {
  const auto hops = synth::carry_hops(result, scan.dimension, scan.reverse);
  const std::int64_t bytes = synth::carried_bytes(hops, result.element(), scan.op);
  const auto fault = synth::fault_of_carries(result, scan.op, scan.dimension, scan.reverse, hops, bytes);
  if (fault) throw base::InternalError(fmt::format("a running sum is not carried right: {}", *fault));
  return bytes;
}

FetchedParts fetched_parts(const synth::Assemble& assemble, const std::vector<ArrayType>& operands,
                           const ArrayType& result, const synth::RunMachine& machine) {
  FetchedParts fetched;
  std::int64_t most = 0;
  bool at_run_time = false;
  for (const synth::Part& part : assemble.parts) {
    const synth::Offset offset = offset_of_part(part);
    most += synth::CopyWalk(operands[part.operand], result, &offset).copies_at_most();
    if (!depends_on_run_time(part, operands[part.operand], assemble.has_base)) continue;
    at_run_time = true;
    fetched.received_bytes += received_at_most(operands[part.operand], result);
  }
  if (!at_run_time) fetched.received_bytes = bytes_of_parts(assemble, operands, result);
  if (fetched.received_bytes == 0) return fetched;
  if (most <= synth::kExactMessagesMax && !at_run_time) {
    for (const synth::Part& part : assemble.parts) {
      const synth::Offset offset = offset_of_part(part);
      const auto some = synth::copies(machine, operands[part.operand], result, &offset);
      fetched.copies.insert(fetched.copies.end(), some.begin(), some.end());
    }
    fetched.seconds =
        synth::cost_of_copies(machine, result.mesh(), fetched.copies, synth::bytes_of(result.element())).seconds;
    return fetched;
  }
  const double bandwidth = synth::Cluster(machine).levels().back().bandwidth;
  fetched.seconds = synth::slowest_delay(machine).of(1) +
                    static_cast<double>(fetched.received_bytes) / static_cast<double>(result.devices()) / bandwidth;
  return fetched;
}

namespace {

std::int64_t peak_of_parts(const std::vector<ArrayType>& operands, const ArrayType& result) {
  std::int64_t bytes = synth::tile_bytes_max(result);
  for (const ArrayType& operand : operands) bytes += synth::tile_bytes_max(operand);
  return bytes;
}

struct ResultLayout {
  std::string description;
  Layout layout;
};

// The layouts that a result of parts may have: those of the operands, then the wanted one.
std::vector<ResultLayout> result_layouts(const std::vector<ArrayType>& operands, const Want& want) {
  std::vector<ResultLayout> all;
  const auto add = [&](std::string description, const Layout& layout) {
    const auto is_same = [&](const ResultLayout& other) { return other.layout == layout; };
    if (std::none_of(all.begin(), all.end(), is_same)) all.push_back({std::move(description), layout});
  };
  for (std::size_t k = 0; k < operands.size(); ++k) add(fmt::format("as operand {} lies", k + 1), operands[k].layout());
  const ArrayType& first = operands.front();
  if (!want.fits(first.rank(), first.mesh())) return all;
  const auto wanted =
      Layout::make(first.mesh(), want.layout->splits(), first.layout().pending(), first.layout().reduce());
  if (wanted.ok()) add("as the annotation wants", *wanted);
  return all;
}

}  // namespace

synth::Assemble joined_along(std::size_t dimension, const std::vector<ArrayType>& operands) {
  synth::Assemble assemble;
  std::int64_t at = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    synth::Part part{static_cast<std::uint32_t>(k), std::vector<synth::Placement>(operands[k].rank())};
    part.placements[dimension].add = at;
    assemble.parts.push_back(std::move(part));
    at += operands[k].shape()[dimension];
  }
  return assemble;
}

std::optional<Alternative> PartLayouts::price(const synth::Assemble& assemble, const std::vector<ArrayType>& operands,
                                              const ArrayType& result, base::Span span) const {
  const auto machine = synth::machine_for(plans_.machine(), result.mesh().devices_end());
  if (!machine.ok()) return std::nullopt;
  Alternative price;
  const FetchedParts fetched = fetched_parts(assemble, operands, result, *machine);
  price.received_bytes = fetched.received_bytes;
  price.seconds = fetched.seconds;
  price.peak_bytes = peak_of_parts(operands, result);
  if (!want_.fits(result.rank(), result.mesh())) return price;
  const auto wanted = result.with_layout(*want_.layout);
  if (!wanted.ok() || synth::same_type(result, *wanted)) return price;
  const auto change = plans_.price(result, *wanted, span);
  if (!change.has_value()) return std::nullopt;
  add_plan(price, **change);
  return price;
}

bool PartLayouts::choose(const Signature& signature, const synth::Assemble& assemble,
                         const std::vector<ArrayType>& operands, NodeLayouts& layouts) const {
  std::optional<ArrayType> best;
  std::vector<Alternative> compared;
  std::size_t chosen = 0;
  for (const ResultLayout& own : result_layouts(operands, want_)) {
    const auto result = reports_.made(
        ArrayType::make(signature.element, signature.shape, operands.front().mesh_ref(), own.layout), signature.span);
    if (!result.has_value()) return false;
    auto own_price = price(assemble, operands, *result, signature.span);
    if (!own_price.has_value()) return false;
    own_price->description = own.description;
    compared.push_back(std::move(*own_price));
    if (best.has_value() && !cheaper(compared.back(), compared[chosen])) continue;
    chosen = compared.size() - 1;
    best = *result;
  }
  compared[chosen].chosen = true;
  layouts.types.push_back(std::move(*best));
  layouts.compared = std::move(compared);
  return true;
}

}  // namespace tessera::typeck
