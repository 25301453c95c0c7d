// What element types and reductions are called in a kernel's text.
#pragma once

#include <string_view>

#include "synth/layout/element.hpp"
#include "synth/program/operation.hpp"

namespace tessera::device {

// Of types that are computed with.
inline std::string_view computed_name(synth::ElementType element) {
  return synth::visit_element(element, [](auto zero) -> std::string_view {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return "bool";
    else if constexpr (std::is_same_v<T, std::int32_t>)
      return "std::int32_t";
    else if constexpr (std::is_same_v<T, std::int64_t>)
      return "std::int64_t";
    else if constexpr (std::is_same_v<T, float>)
      return "float";
    else
      return "double";
  });
}

constexpr std::string_view kind_name(synth::ReduceKind kind) {
  switch (kind) {
    case synth::ReduceKind::sum: return "synth::ReduceKind::sum";
    case synth::ReduceKind::product: return "synth::ReduceKind::product";
    case synth::ReduceKind::max: return "synth::ReduceKind::max";
    case synth::ReduceKind::min: return "synth::ReduceKind::min";
  }
  return "";
}

}  // namespace tessera::device
