// Worked example: `concat([a, a], 0)` of f32[4@x] on x:4 is f32[8@x]. Device 0 needs rows 0 and 1 and holds row 0:
// all devices together receive what their new tiles have and the old ones lack, 6 elements. Gathered first they would
// receive 12.
#include "typeck/layouts/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "synth/moves/collective/carries.hpp"
#include "synth/program/fetched_parts.hpp"
#include "synth/program/running.hpp"
#include "synth/verify/assembled.hpp"
#include "synth/verify/carried.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::Layout;

std::int64_t bytes_of_parts(const synth::Assemble& assemble, const std::vector<ArrayType>& operands,
                            const ArrayType& result) {
  const auto fault = synth::fault_of_assembly(assemble, operands, result);
  if (fault) throw base::InternalError(fmt::format("a part is not laid right: {}", *fault));
  return received_by_parts(assemble, operands, result);
}

std::int64_t bytes_of_carries(const synth::Operation& operation, const ArrayType& result) {
  const auto running = synth::running_of(operation);
  if (!running.has_value()) return 0;
  const auto hops = synth::carry_hops(result, running->dimension, running->reverse);
  const std::int64_t bytes = synth::carried_bytes(hops, result.element(), running->kind);
  const auto fault = synth::fault_of_carries(result, *running, hops, bytes);
  if (fault) throw base::InternalError(fmt::format("`{}` is not carried right: {}", name(operation), *fault));
  return bytes;
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
  const synth::FetchedParts fetched = fetched_parts(assemble, operands, result, *machine);
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
