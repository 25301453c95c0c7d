// The smooth functions and powers of single floats: Function::of(x).
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/elements/formulas.hpp"
#include "runtime/elements/large_angle.hpp"
#include "runtime/elements/operations.hpp"
#include "runtime/elements/power_formulas.hpp"
#include "runtime/elements/single_formulas.hpp"

namespace tessera::runtime::functions {

#define TESSERA_FUNCTION(Name, formula) \
  struct Name {                         \
    template <class T>                  \
    TESSERA_INLINE static T of(T x) {   \
      return formulas::formula(x);      \
    }                                   \
  };
TESSERA_FUNCTION(Exp, exp)
TESSERA_FUNCTION(UsualExp, usual_exp)
TESSERA_FUNCTION(Exp2, exp2)
TESSERA_FUNCTION(Log, log)
TESSERA_FUNCTION(UsualLog, usual_log)
TESSERA_FUNCTION(Tanh, tanh)
TESSERA_FUNCTION(Sigmoid, sigmoid)
TESSERA_FUNCTION(UsualSigmoid, usual_sigmoid)
TESSERA_FUNCTION(Gelu, gelu)
TESSERA_FUNCTION(Erf, erf)
TESSERA_FUNCTION(Log2, log2)
TESSERA_FUNCTION(Log10, log10)
TESSERA_FUNCTION(Log1p, log1p)
TESSERA_FUNCTION(Expm1, expm1)
TESSERA_FUNCTION(Arctan, arctan)
#undef TESSERA_FUNCTION

// Sines; a cosine is the sine of an angle one quarter of a circle on. The sine of an infinite angle is NaN, that of
// -0.0 is -0.0.
template <std::uint8_t quarters>
struct Circular {
  template <class T>
  TESSERA_INLINE static T of(T x, formulas::Angle<T> angle) {
    angle.quarters += quarters;
    const T value = formulas::sine(angle);
    return quarters == 0 && x == T{0} ? x : value;
  }
  // Of any angle, by the formula for those of its size.
  TESSERA_INLINE static double of(double x) {
    if (formulas::magnitude(x) <= formulas::kAngleMax) return of(x, formulas::reduce_angle(x));
    return of(x, formulas::reduce_large_angle(x));
  }
  TESSERA_INLINE static float of(float x) {
    if (formulas::magnitude(x) <= formulas::kSingleAngleMax) return of(x, formulas::reduce_angle(x));
    return static_cast<float>(of(static_cast<double>(x)));
  }
};
using Sin = Circular<0>;
using Cos = Circular<1>;

// As std::pow; small whole powers are products.
struct Power {
  template <class T>
  TESSERA_INLINE static T of(T a, T b) {
    using elementwise::small_power;
    const T low = choose(b == T{1}, a, choose(b == T{2}, small_power<2>(a), formulas::power(a, b)));
    const T high = choose(b == T{3}, small_power<3>(a), choose(b == T{4}, small_power<4>(a), low));
    return choose(b == T{-1}, small_power<-1>(a), high);
  }
};

}  // namespace tessera::runtime::functions
