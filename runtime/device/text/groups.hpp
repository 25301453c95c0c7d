// Functions whose usual cases are cheaper: branches that all threads take alike, mostly, spare the formula for any
// case.
#pragma once

#include "runtime/device/text/several.hpp"
#include "runtime/elements/functions.hpp"

namespace tessera::kernel {

// An exponent is one small whole number for all elements, mostly.
template <class T>
T power(T a, T b) {
  using runtime::elementwise::small_power;
  if (b == T{2}) return small_power<2>(a);
  if (b == T{3}) return small_power<3>(a);
  if (b == T{4}) return small_power<4>(a);
  if (b == T{1}) return a;
  if (b == T{-1}) return small_power<-1>(a);
  return runtime::functions::Power::of(a, b);
}

// f(k) for every k.
template <class T, int n, class F>
Several<T, n> made(const F& f) {
  Several<T, n> some;
  TESSERA_UNROLL
  for (int k = 0; k < n; ++k) some[k] = f(k);
  return some;
}

#if defined(__CUDACC_RTC__)
#define TESSERA_RARE __noinline__
#else
#define TESSERA_RARE inline
#endif
// Of any x, for the few that are not usual: a function that is called, so that the text stays short.
template <class T>
TESSERA_RARE T rare_exp(T x) {
  return runtime::functions::Exp::of(x);
}

// The exponential functions of a group; those of modest exponents have the same bits by a shorter formula.
template <class T, int n>
Several<T, n> exps(const Several<T, n>& x) {
  bool are_usual = true;
  TESSERA_UNROLL
  for (int k = 0; k < n; ++k)
    are_usual &= runtime::formulas::magnitude(x[k]) <= runtime::formulas::Format<T>::usual_exponent;
  if (are_usual) return made<T, n>([&](int k) { return runtime::functions::UsualExp::of(x[k]); });
  return made<T, n>([&](int k) { return rare_exp(x[k]); });
}

}  // namespace tessera::kernel
