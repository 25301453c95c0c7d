// Private to synth: small questions about types that the rules of operations ask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "synth/program/type_rules.hpp"

namespace tessera::synth {

using Error = std::optional<std::string>;
using Dimensions = std::vector<std::uint8_t>;

inline bool is_pending(const ArrayType& type) { return !type.layout().pending().empty(); }

inline bool split(const ArrayType& type, std::size_t dimension) { return !type.layout().split(dimension).empty(); }

inline bool ascending(const Dimensions& dimensions, std::size_t rank) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] >= rank || (i > 0 && dimensions[i] <= dimensions[i - 1])) return false;
  }
  return true;
}

inline Dimensions others(const Dimensions& dimensions, std::size_t rank) {
  Dimensions rest;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto dimension = static_cast<std::uint8_t>(d);
    if (!std::binary_search(dimensions.begin(), dimensions.end(), dimension)) rest.push_back(dimension);
  }
  return rest;
}

inline bool same_pending(const ArrayType& a, const ArrayType& b) {
  return a.layout().pending() == b.layout().pending() && a.layout().reduce() == b.layout().reduce();
}

// Result dimension i is operand dimension `from[i]`, cut alike.
inline bool dimensions_follow(const ArrayType& operand, const Dimensions& from, const ArrayType& result,
                              std::size_t first_of_result = 0) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!same_cuts(operand, from[i], result, first_of_result + i)) return false;
  }
  return true;
}

// Pending over exactly these axes (in any order) by that reduction.
inline bool pending_is(const ArrayType& result, const AxisList& axes, ReduceOp reduce) {
  const auto wanted = Layout::make(result.mesh(), {}, axes, reduce);
  return wanted.ok() && wanted->pending() == result.layout().pending() && wanted->reduce() == result.layout().reduce();
}

inline Error one_operand(const Operands& operands, const ArrayType& result) {
  if (operands.size() != 1) return "it takes one operand";
  if (operands[0]->mesh() != result.mesh()) return "its operand is on another mesh";
  return std::nullopt;
}

}  // namespace tessera::synth
