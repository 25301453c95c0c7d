// Each elementwise operation on single elements (synth/program/operation.hpp gives the meanings); the smooth functions
// are in functions.hpp. An operation is defined for the element types its call operator accepts.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/remainder.hpp"

namespace tessera::runtime::elementwise {

template <class T>
concept Number = Integer<T> || Float<T>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return plus(a, b);
  }
};
struct Subtract {
  template <Number T>
  T operator()(T a, T b) const {
    return minus(a, b);
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return times(a, b);
  }
};
struct Divide {
  template <Float T>
  T operator()(T a, T b) const {
    return a / b;
  }
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return 0;  // reported apart from the loop
    if (b == -1) return minus(T{0}, a);
    const T quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
  }
};
struct Remainder {
  template <Float T>
  T operator()(T a, T b) const {
#if defined(__CUDACC_RTC__)
    if constexpr (sizeof(T) == 4) {
      if (is_usual(a, b)) return usual(a, b);
    }
#endif
    return floored(truncated(a, b), b);
  }
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0 || b == -1) return 0;
    const T rest = a % b;
    return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
  }
  // 1 if `usual` has the remainder. Both are without branches, for vectors.
  TESSERA_INLINE static int is_usual(float a, float b) {
    return static_cast<int>(std::abs(a) < std::abs(b) * 0x1p29F) &
           static_cast<int>(std::abs(b) < std::numeric_limits<float>::infinity());
  }
  // The quotient is below 2^29, so f64 never rounds one that is not whole to a whole number, and the product of its
  // whole part and b is exact.
  TESSERA_INLINE static float usual(float a, float b) {
    const double quotient = static_cast<double>(a) / static_cast<double>(b);
    return floored(static_cast<float>(a - static_cast<double>(static_cast<std::int32_t>(quotient)) * b), b);
  }

 private:
  // `rest` has the sign of the dividend; returns the remainder that has the sign of b.
  template <Float T>
  TESSERA_INLINE static T floored(T rest, T b) {
    // NaN compares false twice, unless b is negative: NaN + b is NaN.
    const T moved = choose((rest < 0) != (b < 0), rest + b, rest);
    return choose(rest == 0, std::copysign(T{0}, b), moved);
  }
  // That of a vendor of GPUs contains fused operations.
  template <Float T>
  static T truncated(T a, T b) {
#if defined(__CUDACC_RTC__)
    return exact_remainder(a, b);
#else
    return std::fmod(a, b);
#endif
  }
};
// Small whole powers of floats are products, whether one exponent serves all elements or each has its own.
template <int exponent, Float T>
TESSERA_INLINE T small_power(T a) {
  static_assert(exponent >= -1 && exponent <= 4 && exponent != 0);
  if constexpr (exponent == -1) return T{1} / a;
  if constexpr (exponent == 1) return a;
  if constexpr (exponent == 2) return a * a;
  if constexpr (exponent == 3) return a * a * a;
  if constexpr (exponent == 4) return (a * a) * (a * a);
}

// Powers of floats are in vector_functions.hpp.
struct Power {
  template <Integer T>
  T operator()(T a, T b) const {
    if (b < 0) return 0;  // reported apart from the loop
    T result = 1;
    for (T factor = a; b > 0; b >>= 1, factor = times(factor, factor)) {
      if (b & 1) result = times(result, factor);
    }
    return result;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return smaller(a, b);
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return larger(a, b);
  }
};

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};

// A bool is a byte of 0 or 1. Its loops take bytes, because compilers do not vectorize loops over bool.
using Byte = std::uint8_t;

struct LogicalAnd {
  Byte operator()(Byte a, Byte b) const { return a & b; }
};
struct LogicalOr {
  Byte operator()(Byte a, Byte b) const { return a | b; }
};
struct LogicalNot {
  Byte operator()(Byte a) const {
    return a ^ Byte { 1 };
  }
};

struct BitAnd {
  template <Integer T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct BitOr {
  template <Integer T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct BitXor {
  template <Integer T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct BitNot {
  template <Integer T>
  T operator()(T a) const {
    return ~a;
  }
};
// Of as many bits as T has, or more, or less than none, all are shifted out. Without branches, for vectors.
struct ShiftLeft {
  template <Integer T>
  T operator()(T a, T count) const {
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits kLast = sizeof(T) * 8 - 1;
    const Bits by = static_cast<Bits>(count);
    return choose(by <= kLast, static_cast<T>(static_cast<Bits>(a) << (by & kLast)), T{0});
  }
};
struct ShiftRight {
  template <Integer T>
  T operator()(T a, T count) const {
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits kLast = sizeof(T) * 8 - 1;
    const Bits by = static_cast<Bits>(count);
    return a >> choose(by <= kLast, by, kLast);
  }
};

struct Negate {
  template <Integer T>
  T operator()(T x) const {
    return minus(T{0}, x);
  }
  template <Float T>
  T operator()(T x) const {
    return -x;
  }
};
struct Sqrt {
  template <Float T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  template <Float T>
  T operator()(T x) const {
    return T{1} / std::sqrt(x);
  }
};
struct Relu {
  template <Number T>
  T operator()(T x) const {
    return larger(x, T{0});
  }
};
struct Abs {
  template <Integer T>
  T operator()(T x) const {
    return x < 0 ? minus(T{0}, x) : x;
  }
  template <Float T>
  T operator()(T x) const {
    return std::abs(x);
  }
};
struct Sign {
  template <Number T>
  T operator()(T x) const {
    return x > 0 ? T{1} : x < 0 ? static_cast<T>(-1) : x;
  }
};
struct Floor {
  template <Integer T>
  T operator()(T x) const {
    return x;
  }
  // Rounds by adding a number whose last bit is worth 1: such loops become vectors on every processor.
  template <Float T>
  T operator()(T x) const {
    constexpr T kWholeFrom = sizeof(T) == 4 ? T{0x1p23} : T{0x1p52};
    const T size = std::abs(x);
    const T nearest = std::copysign((size + kWholeFrom) - kWholeFrom, x);
    const T below = nearest > x ? nearest - T{1} : nearest;
    return choose(size < kWholeFrom, below, x);
  }
};
struct Select {
  template <class T>
  TESSERA_INLINE T operator()(Byte condition, T a, T b) const {
    return choose(condition != 0, a, b);
  }
};
struct Clip {
  template <class T>
  T operator()(T value, T low, T high) const {
    return smaller(larger(value, low), high);
  }
};

}  // namespace tessera::runtime::elementwise
