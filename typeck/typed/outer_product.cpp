#include "typeck/typed/outer_product.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera::typeck {

namespace {

// An operand's dimensions among the result's; nothing where some are not there, or not in this order.
std::optional<synth::ArrayType> broadcast_as(const std::vector<std::uint8_t>& result,
                                             const std::vector<std::uint8_t>& own, const synth::ArrayType& type) {
  synth::Shape shape;
  std::vector<synth::AxisList> splits;
  std::size_t next = 0;
  for (const std::uint8_t index : result) {
    const bool is_own = next < own.size() && own[next] == index;
    if (!is_own && next == 0) continue;
    shape.push_back(is_own ? type.shape()[next] : 1);
    splits.push_back(is_own ? type.layout().split(next) : synth::AxisList{});
    if (is_own) ++next;
  }
  if (next < own.size()) return std::nullopt;
  if (shape.size() == type.rank()) return type;
  auto layout = synth::Layout::make(type.mesh(), std::move(splits));
  if (!layout.ok()) return std::nullopt;
  auto made = synth::ArrayType::make(type.element(), std::move(shape), type.mesh_ref(), std::move(layout).value());
  if (!made.ok()) return std::nullopt;
  return std::move(made).value();
}

// A dimension of one element that is split: to elementwise operations one of one element beside it is the same index,
// which would have to be cut alike.
bool splits_one_element(const synth::ArrayType& type) {
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (type.shape()[d] == 1 && !type.layout().split(d).empty()) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<synth::ArrayType>> outer_factors(const synth::Contract& sum,
                                                           const std::vector<const synth::ArrayType*>& operands) {
  if (operands.size() != 2) return std::nullopt;
  std::vector<synth::ArrayType> types;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k]->layout().pending().empty() || splits_one_element(*operands[k])) return std::nullopt;
    auto type = broadcast_as(sum.result_indices, sum.operand_indices[k], *operands[k]);
    if (!type) return std::nullopt;
    types.push_back(std::move(*type));
  }
  return types;
}

}  // namespace tessera::typeck
