// Elements of one type as elements of another, as the operation `cast` has it.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/elements/arithmetic.hpp"
#include "synth/layout/halves.hpp"

namespace tessera::runtime::elementwise {

struct Same {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};

// Truncates; saturates at the ends; NaN gives 0.
template <Integer R, Float T>
R truncate(T x) {
  if (x != x) return 0;
  // The least integer is a power of two, so exact as a float; the first value above the greatest is its negative.
  const T least = static_cast<T>(std::numeric_limits<R>::min());
  if (x >= -least) return std::numeric_limits<R>::max();
  if (x < least) return std::numeric_limits<R>::min();
  return static_cast<R>(x);
}

template <class R>
struct Cast {
  template <class T>
  R operator()(T x) const {
    if constexpr (Boolean<R>)
      return x != T{};
    else if constexpr (Integer<R> && Float<T>)
      return truncate<R>(x);
    else
      return static_cast<R>(x);
  }
};

// Storage types to f32 and back.
struct WidenedF16 {
  TESSERA_INLINE float operator()(std::uint16_t bits) const { return synth::f32_of_f16(bits); }
};
struct WidenedBf16 {
  TESSERA_INLINE float operator()(std::uint16_t bits) const { return synth::f32_of_bf16(bits); }
};
struct StoredF16 {
  TESSERA_INLINE std::uint16_t operator()(float x) const { return synth::f16_of_f32(x); }
};
struct StoredBf16 {
  TESSERA_INLINE std::uint16_t operator()(float x) const { return synth::bf16_of_f32(x); }
};

// Integers to i64, and back: of one that does not fit its lowest bits.
template <class R>
struct Converted {
  template <class A>
  TESSERA_INLINE R operator()(A x) const {
    return static_cast<R>(x);
  }
};

}  // namespace tessera::runtime::elementwise
