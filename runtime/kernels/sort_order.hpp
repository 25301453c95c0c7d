// Which of two elements comes first in a sorted line.
#pragma once

#include <cmath>

#include "runtime/elements/arithmetic.hpp"

namespace tessera::runtime {

// NaN comes last, and -0 before 0.
template <class T>
bool comes_before(T a, T b) {
  if constexpr (Float<T>) {
    if (is_nan(a) || is_nan(b)) return !is_nan(a);
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

// For positions: of zeros and of NaN the first comes first.
template <class T>
bool is_less(T a, T b) {
  if constexpr (Float<T>) {
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  }
  return a < b;
}

}  // namespace tessera::runtime
