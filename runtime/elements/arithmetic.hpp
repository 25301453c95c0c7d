// The meanings of operations on single elements, for every element type: integers wrap, NaN wins, bool adds as "or".
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/elements/loops.hpp"
#include "runtime/elements/reduce_kind.hpp"

namespace tessera::runtime {

template <class T>
concept Boolean = std::same_as<T, bool>;
template <class T>
concept Integer = std::integral<T> && !Boolean<T>;
template <class T>
concept Float = std::floating_point<T>;

template <class T>
constexpr bool is_nan(T x) {
  if constexpr (Float<T>) return x != x;
  return false;
}

template <class T>
constexpr T plus(T a, T b) {
  if constexpr (Boolean<T>)
    return a || b;
  else if constexpr (Integer<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

template <class T>
constexpr T minus(T a, T b) {
  if constexpr (Boolean<T>)
    return a != b;
  else if constexpr (Integer<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) - static_cast<std::make_unsigned_t<T>>(b));
  else
    return a - b;
}

template <class T>
constexpr T times(T a, T b) {
  if constexpr (Boolean<T>)
    return a && b;
  else if constexpr (Integer<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
  else
    return a * b;
}

// `a` if the condition holds, else `b`; by masks where elements have 4 or 8 bytes, so that no branch is left to guess
// and loops become vectors.
template <class T>
TESSERA_INLINE constexpr T choose(bool condition, T a, T b) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Bits mask = Bits{0} - static_cast<Bits>(condition);
    return std::bit_cast<T>((std::bit_cast<Bits>(a) & mask) | (std::bit_cast<Bits>(b) & ~mask));
  } else {
    return condition ? a : b;
  }
}

// Returns the first of two equal numbers, and NaN if either is NaN. In this form the condition is one instruction on
// most processors, which gives the second operand if either is NaN.
template <class T>
constexpr T larger(T a, T b) {
  const T chosen = b > a ? b : a;
  return is_nan(b) ? b : chosen;
}
template <class T>
constexpr T smaller(T a, T b) {
  const T chosen = b < a ? b : a;
  return is_nan(b) ? b : chosen;
}

// How a reduction combines two values, and its identity: the value that changes nothing.
template <synth::ReduceKind kind, class T>
struct Combine {
  static constexpr synth::ReduceKind of_kind = kind;
  static constexpr T identity() {
    using Limits = std::numeric_limits<T>;
    if constexpr (kind == synth::ReduceKind::product)
      return static_cast<T>(1);
    else if constexpr (kind == synth::ReduceKind::sum && Float<T>)
      return static_cast<T>(-0.0);
    else if constexpr (kind == synth::ReduceKind::sum)
      return T{};
    else if constexpr (kind == synth::ReduceKind::max && Float<T>)
      return -Limits::infinity();
    else if constexpr (kind == synth::ReduceKind::max)
      return Limits::lowest();
    else if constexpr (Float<T>)
      return Limits::infinity();
    else
      return Limits::max();
  }
  static constexpr T combine(T a, T b) {
    if constexpr (kind == synth::ReduceKind::sum)
      return plus(a, b);
    else if constexpr (kind == synth::ReduceKind::product)
      return times(a, b);
    else if constexpr (kind == synth::ReduceKind::max)
      return larger(a, b);
    else
      return smaller(a, b);
  }
};

constexpr synth::ReduceKind kind_of(synth::ReduceOp op) {
  switch (op) {
    case synth::ReduceOp::sum: return synth::ReduceKind::sum;
    case synth::ReduceOp::max: return synth::ReduceKind::max;
    case synth::ReduceOp::min: return synth::ReduceKind::min;
    case synth::ReduceOp::product: return synth::ReduceKind::product;
  }
  return synth::ReduceKind::sum;
}

// Calls f with a Combine of the kind: visit_combine<T>(kind, [&](auto how) { using How = decltype(how); ... }).
template <class T, class F>
decltype(auto) visit_combine(synth::ReduceKind kind, F&& f) {
  switch (kind) {
    case synth::ReduceKind::sum: return f(Combine<synth::ReduceKind::sum, T>{});
    case synth::ReduceKind::product: return f(Combine<synth::ReduceKind::product, T>{});
    case synth::ReduceKind::max: return f(Combine<synth::ReduceKind::max, T>{});
    case synth::ReduceKind::min: return f(Combine<synth::ReduceKind::min, T>{});
  }
  return f(Combine<synth::ReduceKind::sum, T>{});
}

}  // namespace tessera::runtime
