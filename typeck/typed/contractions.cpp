#include "typeck/typed/contractions.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"

namespace tessera::typeck {

synth::ArrayType contracted(const synth::Contract& how, const std::vector<const synth::ArrayType*>& operands) {
  struct Use {
    std::int64_t extent;
    synth::AxisList split;
  };
  std::map<std::uint8_t, Use> uses;
  synth::AxisList pending;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const synth::Layout& layout = operands[k]->layout();
    pending.insert(pending.end(), layout.pending().begin(), layout.pending().end());
    const auto& own = how.operand_indices[k];
    for (std::size_t d = 0; d < own.size(); ++d) {
      const bool is_repeated = std::find(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(d), own[d]) !=
                               own.begin() + static_cast<std::ptrdiff_t>(d);
      if (is_repeated) {
        pending.insert(pending.end(), layout.split(d).begin(), layout.split(d).end());
      } else {
        uses[own[d]] = {operands[k]->shape()[d], layout.split(d)};
      }
    }
  }
  synth::Shape shape;
  std::vector<synth::AxisList> splits;
  for (const std::uint8_t index : how.result_indices) {
    shape.push_back(uses.at(index).extent);
    splits.push_back(uses.at(index).split);
  }
  for (const auto& [index, use] : uses) {
    if (std::ranges::find(how.result_indices, index) != how.result_indices.end()) continue;
    pending.insert(pending.end(), use.split.begin(), use.split.end());
  }
  auto layout = synth::Layout::make(operands[0]->mesh(), std::move(splits), std::move(pending));
  TESSERA_CHECK(layout.ok(), "a part of an Einstein sum has no layout");
  auto type = synth::ArrayType::make(operands[0]->element(), std::move(shape), operands[0]->mesh_ref(),
                                     std::move(layout).value());
  TESSERA_CHECK(type.ok(), "a part of an Einstein sum has no type");
  return std::move(type).value();
}

}  // namespace tessera::typeck
