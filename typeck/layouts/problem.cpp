#include "typeck/layouts/problem.hpp"

#include <algorithm>

namespace tessera::typeck {

using synth::ArrayType;
using synth::AxisList;

namespace {

AxisList without(const AxisList& axes, const std::vector<AxisList>& used) {
  AxisList rest;
  for (const synth::AxisPart& part : axes) {
    const AxisList alone = {part};
    const bool taken = std::any_of(used.begin(), used.end(), [&](const AxisList& u) { return any_overlap(alone, u); });
    if (!taken) rest.push_back(part);
  }
  return rest;
}

// Are two dimensions split alike? Lists that differ may still cut alike where extents are small.
bool alike(const ArrayType& a, std::size_t dimension_a, const ArrayType& b, std::size_t dimension_b) {
  const AxisList& left = a.layout().split(dimension_a);
  const AxisList& right = b.layout().split(dimension_b);
  if (left == right) return true;
  return synth::same_cuts(a, dimension_a, b, dimension_b);
}

bool in_result(const synth::IndexSignature& signature, int index) {
  return std::find(signature.result.begin(), signature.result.end(), index) != signature.result.end();
}

}  // namespace

std::size_t result_dimension(const synth::IndexSignature& signature, std::size_t index) {
  const auto found = std::find(signature.result.begin(), signature.result.end(), static_cast<int>(index));
  return static_cast<std::size_t>(found - signature.result.begin());
}

bool any_overlap(const AxisList& a, const AxisList& b) {
  return std::any_of(a.begin(), a.end(), [&](const synth::AxisPart& part) {
    return std::any_of(b.begin(), b.end(), [&](const synth::AxisPart& other) { return synth::overlap(part, other); });
  });
}

Problem::Problem(const synth::IndexSignature& signature, std::vector<const ArrayType*> types)
    : signature_(signature), types_(std::move(types)), indices_(signature.kinds.size()) {
  for (const ArrayType* type : types_) {
    if (!type->layout().pending().empty()) reserved_.push_back(type->layout().pending());
  }
}

// The splits by which the operand carries the index: those of the first dimension that does.
const AxisList* Problem::carried(std::size_t operand, std::size_t index) const {
  const auto& dimensions = signature_.operands[operand];
  const auto found = std::find(dimensions.begin(), dimensions.end(), static_cast<int>(index));
  if (found == dimensions.end()) return nullptr;
  return &types_[operand]->layout().split(static_cast<std::size_t>(found - dimensions.begin()));
}

const AxisList* Problem::first_split(std::size_t index) const {
  for (std::size_t k = 0; k < types_.size(); ++k) {
    if (const AxisList* split = carried(k, index)) return split;
  }
  return nullptr;
}

// Do all operands that carry the index split it alike?
bool Problem::agreed(std::size_t index) const {
  const ArrayType* first = nullptr;
  std::size_t first_dimension = 0;
  for (std::size_t k = 0; k < types_.size(); ++k) {
    for (std::size_t d = 0; d < signature_.operands[k].size(); ++d) {
      if (signature_.operands[k][d] != static_cast<int>(index)) continue;
      if (first != nullptr && !alike(*first, first_dimension, *types_[k], d)) return false;
      if (first == nullptr) first_dimension = d;
      if (first == nullptr) first = types_[k];
    }
  }
  return true;
}

std::optional<synth::IndexSplits> Problem::as_they_are() const {
  synth::IndexSplits splits(indices_);
  for (std::size_t i = 0; i < indices_; ++i) {
    if (!agreed(i)) return std::nullopt;
    if (const AxisList* split = first_split(i)) splits[i] = *split;
  }
  if (!valid(splits) || !whole_dimensions_unsplit()) return std::nullopt;
  return splits;
}

std::optional<std::pair<std::size_t, std::size_t>> Problem::clash() const {
  for (std::size_t a = 0; a < indices_; ++a) {
    for (std::size_t b = a + 1; b < indices_; ++b) {
      const bool both = in_result(signature_, static_cast<int>(a)) && in_result(signature_, static_cast<int>(b));
      if (!both || !agreed(a) || !agreed(b)) continue;
      const AxisList* left = first_split(a);
      const AxisList* right = first_split(b);
      if (left != nullptr && right != nullptr && any_overlap(*left, *right)) return std::pair(a, b);
    }
  }
  return std::nullopt;
}

synth::IndexSplits Problem::carried_from(std::size_t operand) const {
  synth::IndexSplits splits(indices_);
  std::vector<AxisList> used = reserved_;
  for (std::size_t i = 0; i < indices_; ++i) {
    if (const AxisList* split = carried(operand, i)) {
      splits[i] = *split;
      used.push_back(*split);
    }
  }
  fill_lacking(splits, used, [&](std::size_t i) { return carried(operand, i) != nullptr; });
  return splits;
}

synth::IndexSplits Problem::wanted(const synth::Layout& layout) const {
  synth::IndexSplits splits(indices_);
  std::vector<AxisList> used = reserved_;
  for (std::size_t d = 0; d < signature_.result.size(); ++d) {
    if (signature_.result[d] == synth::IndexSignature::kWhole) continue;
    splits[static_cast<std::size_t>(signature_.result[d])] = layout.split(d);
    used.push_back(layout.split(d));
  }
  fill_lacking(splits, used, [&](std::size_t i) { return in_result(signature_, static_cast<int>(i)); });
  return splits;
}

synth::IndexSplits Problem::undisputed() const {
  synth::IndexSplits splits(indices_);
  for (std::size_t i = 0; i < indices_; ++i) {
    const AxisList* split = first_split(i);
    if (split != nullptr && may_split(i) && agreed(i) && !shares_axis(i)) splits[i] = *split;
  }
  return splits;
}

void Problem::split_free(synth::IndexSplits& splits, const synth::Layout& wanted_layout) const {
  std::vector<AxisList> used = reserved_;
  used.insert(used.end(), splits.begin(), splits.end());
  for (std::size_t d = 0; d < signature_.result.size(); ++d) {
    const int index = signature_.result[d];
    if (index == synth::IndexSignature::kWhole || first_split(static_cast<std::size_t>(index)) != nullptr) continue;
    AxisList& split = splits[static_cast<std::size_t>(index)];
    if (split.empty()) split = without(wanted_layout.split(d), used);
    used.push_back(split);
  }
}

bool Problem::valid(const synth::IndexSplits& splits) const {
  std::vector<AxisList> used = reserved_;
  for (std::size_t i = 0; i < indices_; ++i) {
    const bool clashes =
        std::any_of(used.begin(), used.end(), [&](const AxisList& u) { return any_overlap(splits[i], u); });
    if (clashes || (!splits[i].empty() && !may_split(i))) return false;
    used.push_back(splits[i]);
  }
  return true;
}

bool Problem::may_split(std::size_t index) const { return signature_.kinds[index] != synth::IndexKind::whole; }

bool Problem::shares_axis(std::size_t index) const {
  const AxisList* split = first_split(index);
  for (std::size_t other = 0; other < indices_; ++other) {
    const AxisList* others = first_split(other);
    if (other != index && others != nullptr && any_overlap(*split, *others)) return true;
  }
  return std::any_of(reserved_.begin(), reserved_.end(), [&](const AxisList& r) { return any_overlap(*split, r); });
}

bool Problem::whole_dimensions_unsplit() const {
  for (std::size_t k = 0; k < types_.size(); ++k) {
    for (std::size_t d = 0; d < signature_.operands[k].size(); ++d) {
      const bool is_cut =
          !types_[k]->layout().split(d).empty() && types_[k]->shape()[d] > 0;  // nothing is whole anywhere
      if (signature_.operands[k][d] == synth::IndexSignature::kWhole && is_cut) return false;
    }
  }
  return true;
}

// An index that is not given takes the split of the first operand that carries it, less the axes already used.
void Problem::fill_lacking(synth::IndexSplits& splits, std::vector<AxisList>& used,
                           const std::function<bool(std::size_t)>& given) const {
  for (std::size_t i = 0; i < indices_; ++i) {
    if (given(i)) continue;
    if (const AxisList* split = first_split(i); split != nullptr && may_split(i)) splits[i] = without(*split, used);
    used.push_back(splits[i]);
  }
}

}  // namespace tessera::typeck
