// Private to synth: small questions about types that the rules of operations ask.
#pragma once

#include <cstddef>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

inline bool is_pending(const ArrayType& type) { return !type.layout().pending().empty(); }

inline bool split(const ArrayType& type, std::size_t dimension) { return !type.layout().split(dimension).empty(); }

inline bool same_pending(const ArrayType& a, const ArrayType& b) {
  return a.layout().pending() == b.layout().pending() && a.layout().reduce() == b.layout().reduce();
}

}  // namespace tessera::synth
