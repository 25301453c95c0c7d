// Arrays that are made of parts: their elements go straight from the tiles where they lie to those of the result.
//
// Worked example: `concat([a, a], 0)` of f32[4@x] on x:4 is f32[8@x]. Device 0 needs rows 0 and 1 and holds row 0:
// all devices together receive what their new tiles have and the old ones lack, 6 elements. Gathered first they would
// receive 12.
#include <fmt/format.h>

#include <algorithm>

#include "synth/cluster/cluster.hpp"
#include "synth/machine/machine.hpp"
#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

namespace {

synth::Offset offset_of_part(const synth::Part& part) {
  synth::Offset offset;
  for (const synth::Placement& placement : part.placements) offset.push_back(-placement.add);
  return offset;
}

// The bytes that placing the parts brings to devices from others; positions known at run time count as 0.
std::int64_t bytes_of_parts(const synth::Assemble& assemble, const std::vector<ArrayType>& operands,
                            const ArrayType& result) {
  std::int64_t elements = 0;
  for (const synth::Part& part : assemble.parts) {
    const synth::Offset offset = offset_of_part(part);
    const synth::CopyWalk walk(operands[part.operand], result, &offset);
    for (std::int32_t device = 0; device < result.devices(); ++device) elements += walk.received_elements(device);
  }
  return elements * synth::bytes_of(result.element());
}

// The time of all copies as one step; of more than can be listed, that of the device that receives most.
double seconds_of_parts(const synth::Assemble& assemble, const std::vector<ArrayType>& operands,
                        const ArrayType& result, const synth::Machine& machine) {
  std::int64_t most = 0;
  for (const synth::Part& part : assemble.parts) {
    const synth::Offset offset = offset_of_part(part);
    most += synth::CopyWalk(operands[part.operand], result, &offset).copies_at_most();
  }
  if (most <= synth::kExactMessagesMax) {
    std::vector<synth::BoxCopy> all;
    for (const synth::Part& part : assemble.parts) {
      const synth::Offset offset = offset_of_part(part);
      const auto some = synth::copies(machine, operands[part.operand], result, &offset);
      all.insert(all.end(), some.begin(), some.end());
    }
    return synth::cost_of_copies(machine, result.mesh(), all, synth::bytes_of(result.element())).seconds;
  }
  const double bytes = static_cast<double>(bytes_of_parts(assemble, operands, result));
  const double bandwidth = synth::Cluster(machine).levels().back().bandwidth;
  return synth::slowest_delay(machine).of(1) + bytes / static_cast<double>(result.devices()) / bandwidth;
}

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

std::optional<Alternative> Inserter::price_of_parts(const synth::Assemble& assemble,
                                                    const std::vector<ArrayType>& operands, const ArrayType& result,
                                                    Span span, const Want& want) {
  const auto machine = synth::machine_for(plans_.machine(), result.mesh().devices_end());
  if (!machine.ok()) return std::nullopt;
  Alternative price;
  price.received_bytes = bytes_of_parts(assemble, operands, result);
  price.seconds = price.received_bytes == 0 ? 0 : seconds_of_parts(assemble, operands, result, *machine);
  price.peak_bytes = peak_of_parts(operands, result);
  if (!want.fits(result.rank(), result.mesh())) return price;
  const auto wanted = result.with_layout(*want.layout);
  if (!wanted.ok() || synth::same_type(result, *wanted)) return price;
  const auto change = plan(result, *wanted, span);
  if (!change.has_value()) return std::nullopt;
  price.seconds += (*change)->seconds;
  price.received_bytes += (*change)->received_bytes_total;
  price.peak_bytes = std::max(price.peak_bytes, (*change)->peak_bytes);
  return price;
}

// The result's layout that is reached the fastest, and the wanted one from it.
std::optional<Inserter::Joined> Inserter::cheapest_parts(const Signature& signature, const synth::Assemble& assemble,
                                                         const std::vector<ArrayType>& operands, const Want& want) {
  std::optional<Joined> best;
  std::vector<Alternative> compared;
  std::size_t chosen = 0;
  for (const ResultLayout& own : result_layouts(operands, want)) {
    const auto result = made(
        ArrayType::make(signature.element, signature.shape, operands.front().mesh_ref(), own.layout), signature.span);
    if (!result.has_value()) return std::nullopt;
    auto price = price_of_parts(assemble, operands, *result, signature.span, want);
    if (!price.has_value()) return std::nullopt;
    price->description = own.description;
    compared.push_back(std::move(*price));
    if (best.has_value() && !cheaper(compared.back(), compared[chosen])) continue;
    chosen = compared.size() - 1;
    best = Joined{*result, 0, {}};
  }
  compared[chosen].chosen = true;
  best->received_bytes = bytes_of_parts(assemble, operands, best->type);
  best->compared = std::move(compared);
  return best;
}

MaybeHeld Inserter::concat(Span span, const std::string& who, std::vector<Held> all, const open::Concat& concat,
                           const Shape& shape, const Want& want) {
  const std::size_t dimension = concat.dimension;
  const Signature signature{
      synth::joined_signature(all.size(), shape.size(), dimension), who, span, {}, type(all.front()).element(), shape};
  if (!finish_pending(signature, all, want)) return std::nullopt;
  const std::vector<ArrayType> operands = types_of(all);
  synth::Assemble assemble;
  std::vector<NodeId> nodes;
  std::int64_t at = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    synth::Part part{static_cast<std::uint32_t>(k), std::vector<synth::Placement>(shape.size())};
    part.placements[dimension].add = at;
    assemble.parts.push_back(std::move(part));
    at += operands[k].shape()[dimension];
    nodes.push_back(all[k].node());
  }
  auto joined = cheapest_parts(signature, assemble, operands, want);
  if (!joined.has_value()) return std::nullopt;
  if (!allow_received(joined->received_bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span))
    return std::nullopt;
  const Held result = compute(span, joined->type, std::move(assemble), std::move(nodes), joined->received_bytes, who);
  std::get<Compute>(typed_.nodes[result.node()].body).compared = std::move(joined->compared);
  return result;
}

namespace {

// No device can receive more of the part than the part has, or than its tile of the result holds.
std::int64_t received_at_most(const ArrayType& part, const ArrayType& result) {
  if (part.layout().is_replicated()) return 0;
  std::int64_t bytes = 0;
  for (std::int64_t device = 0; device < result.devices(); ++device)
    bytes += std::min(synth::tile_bytes(result, device), synth::array_bytes(part));
  return bytes;
}

}  // namespace

// The operands are the array, the new elements, and the positions that are known only at run time.
MaybeHeld Inserter::update(Span span, const std::string& who, const std::vector<Held>& operands,
                           const open::Update& update) {
  const ArrayType own = type(operands[0]);
  const ArrayType part_type = type(operands[1]);
  synth::Assemble assemble{true, {synth::Part{1, std::vector<synth::Placement>(own.rank())}}};
  std::int32_t scalar = 2;
  for (std::size_t d = 0; d < update.at.size(); ++d) {
    synth::Placement& placement = assemble.parts[0].placements[d];
    if (update.at[d].has_value())
      placement.add = *update.at[d];
    else
      placement = synth::Placement{0, scalar++, false, true, own.shape()[d]};
  }
  const bool at_run_time = scalar > 2;
  const std::int64_t bytes =
      at_run_time ? received_at_most(part_type, own) : bytes_of_parts(assemble, types_of(operands), own);
  const Reason why{Reason::Asker::operation, who, span, operands[1].span, {}};
  if (!allow_received(bytes, why, span)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  return compute(span, own, std::move(assemble), std::move(nodes), bytes, who);
}

}  // namespace tessera::typeck
