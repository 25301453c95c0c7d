// How a line of a length is transformed: factors, roots of unity, and the passes. T is the type of a part, V is T or a
// vector of T, of which each lane is a line.
//
// Example: 12 numbers take a pass of radix 4 and one of radix 3, and room for 12 more complex numbers. 22 = 2 * 11 has
// a factor without a pass: its line is convolved, by transforms of a length from 2 * 22 - 1 on whose passes take least,
// which is 48.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "runtime/elements/loops.hpp"
#include "runtime/kernels/complex_parts.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

// Writes e^(-2 pi i k/n) for k = 0 .. n-1.
template <class T>
void write_roots_of_unity(std::int64_t n, Complex<T>* roots);

// Real and imaginary parts of a line, or of several side by side.
template <class V>
struct Line {
  V* re = nullptr;
  V* im = nullptr;
};

// A pass of one radix: l1 is the product of the radices before it, ido of those behind it. Element i of part j of line
// k is at i + ido * (j + radix * k) before, and at i + ido * (k + l1 * j) after.
struct FourierPass {
  int radix = 2;
  std::int64_t l1 = 1;
  std::int64_t ido = 1;
  std::int64_t roots = 0;  // where those of the pass begin: radix - 1 for each i
};

// The factors of n that there are passes for, and what is left of it.
std::pair<std::vector<int>, std::int64_t> fourier_factors(std::int64_t n);

// How long the lines are by which a line of n numbers is convolved; 0 where passes do.
std::int64_t convolved_length(std::int64_t n);

template <class T>
class FourierPlan {
 public:
  // The plan's numbers, of which there are numbers(n), are at `kept`. `work` is as long as a line and its scratch, and
  // free again afterwards.
  FourierPlan(std::int64_t n, Complex<T>* kept, T* work);

  std::int64_t length() const { return n_; }
  static std::int64_t numbers(std::int64_t n);
  // How many V the memory beside a line of n numbers takes.
  static std::int64_t scratch(std::int64_t n) { return 2 * n + 4 * convolved_length(n); }
  // Transforms the line in place.
  template <class V>
  void forward(const Line<V>& line, V* scratch) const {
    if (n_ <= 1) return;
    convolved_ ? by_convolution(line, scratch) : by_passes(line, scratch);
  }

 private:
  template <class V>
  void by_passes(Line<V> line, V* scratch) const;
  template <class V>
  void by_convolution(const Line<V>& line, V* scratch) const;
  void plan_passes(const std::vector<int>& factors, T* work);
  void plan_convolution(Complex<T>* kept, T* work);

  std::int64_t n_;
  std::vector<FourierPass> passes_;
  Complex<T>* roots_ = nullptr;
  // Of a length with other factors: e^(-pi i k^2/n), the transform of its conjugates, and the plan of that.
  Complex<T>* chirp_ = nullptr;
  Complex<T>* chirp_transform_ = nullptr;
  std::unique_ptr<FourierPlan<T>> convolved_;
};

// ---- The transform of a few numbers ----

template <class V>
struct Number {
  V re;
  V im;

  TESSERA_INLINE friend Number operator+(const Number& a, const Number& b) { return {a.re + b.re, a.im + b.im}; }
  TESSERA_INLINE friend Number operator-(const Number& a, const Number& b) { return {a.re - b.re, a.im - b.im}; }
};
template <class V, class T>
TESSERA_INLINE Number<V> times(const Number<V>& a, const Complex<T>& w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}
template <class V, class T>
TESSERA_INLINE Number<V> scaled(const Number<V>& a, T factor) {
  return {a.re * factor, a.im * factor};
}
// -i a
template <class V>
TESSERA_INLINE Number<V> turned(const Number<V>& a) {
  return {a.im, -a.re};
}

template <class T, class V>
TESSERA_INLINE void transform_few(Number<V> (&x)[2]) {
  const Number<V> sum = x[0] + x[1];
  x[1] = x[0] - x[1];
  x[0] = sum;
}
template <class T, class V>
TESSERA_INLINE void transform_few(Number<V> (&x)[4]) {
  const Number<V> even = x[0] + x[2];
  const Number<V> even_less = x[0] - x[2];
  const Number<V> odd = x[1] + x[3];
  const Number<V> odd_less = turned(x[1] - x[3]);
  x[0] = even + odd;
  x[1] = even_less + odd_less;
  x[2] = even - odd;
  x[3] = even_less - odd_less;
}
// Of an odd number R: the sums and differences of the pairs (j, R - j) carry the cosines and the sines.
template <class T, int R, class V>
TESSERA_INLINE void transform_odd(Number<V> (&x)[R], const T (&cosine)[R], const T (&sine)[R]) {
  constexpr int kHalf = R / 2;
  Number<V> sums[kHalf];
  Number<V> differences[kHalf];
  Number<V> first = x[0];
  for (int j = 0; j < kHalf; ++j) {
    sums[j] = x[j + 1] + x[R - 1 - j];
    differences[j] = turned(x[j + 1] - x[R - 1 - j]);
    first = first + sums[j];
  }
  Number<V> made[R];
  for (int k = 1; k <= kHalf; ++k) {
    Number<V> even = x[0];
    Number<V> odd = scaled(differences[0], sine[k]);
    for (int j = 0; j < kHalf; ++j) {
      const int at = (j + 1) * k % R;
      even = even + scaled(sums[j], cosine[at]);
      if (j > 0) odd = odd + scaled(differences[j], sine[at]);
    }
    made[k] = even + odd;
    made[R - k] = even - odd;
  }
  x[0] = first;
  for (int k = 1; k < R; ++k) x[k] = made[k];
}
template <class T, class V>
TESSERA_INLINE void transform_few(Number<V> (&x)[3]) {
  constexpr T kSine = std::numbers::sqrt3_v<T> / 2;
  constexpr T kCosines[3] = {T{1}, T(-0.5L), T(-0.5L)};
  constexpr T kSines[3] = {T{0}, kSine, -kSine};
  transform_odd<T, 3>(x, kCosines, kSines);
}
template <class T, class V>
TESSERA_INLINE void transform_few(Number<V> (&x)[5]) {
  constexpr T kCosine1 = T(0.3090169943749474241022934171828191L);
  constexpr T kCosine2 = T(-0.8090169943749474241022934171828191L);
  constexpr T kSine1 = T(0.9510565162951535721164393333793821L);
  constexpr T kSine2 = T(0.5877852522924731291687059546390728L);
  constexpr T kCosines[5] = {T{1}, kCosine1, kCosine2, kCosine2, kCosine1};
  constexpr T kSines[5] = {T{0}, kSine1, kSine2, -kSine2, -kSine1};
  transform_odd<T, 5>(x, kCosines, kSines);
}
template <class T, class V>
TESSERA_INLINE void transform_few(Number<V> (&x)[7]) {
  constexpr T kCosine1 = T(0.6234898018587335305250048840042398L);
  constexpr T kCosine2 = T(-0.2225209339563144042889025644967948L);
  constexpr T kCosine3 = T(-0.9009688679024191262361023195074451L);
  constexpr T kSine1 = T(0.7818314824680298087084445266740578L);
  constexpr T kSine2 = T(0.9749279121818236070181316829939312L);
  constexpr T kSine3 = T(0.4338837391175581204757683328483588L);
  constexpr T kCosines[7] = {T{1}, kCosine1, kCosine2, kCosine3, kCosine3, kCosine2, kCosine1};
  constexpr T kSines[7] = {T{0}, kSine1, kSine2, kSine3, -kSine3, -kSine2, -kSine1};
  transform_odd<T, 7>(x, kCosines, kSines);
}

// ---- Passes ----

// Some of a pass, compiled for each kind of vectors.
template <int R, class T, class V>
struct PartOfPass {
  TESSERA_INLINE static void one(const FourierPass& pass, const Complex<T>* roots, const Line<V>& from,
                                 const Line<V>& to, std::int64_t k, std::int64_t i) {
    Number<V> x[R];
    for (int j = 0; j < R; ++j) {
      const std::int64_t at = i + pass.ido * (j + R * k);
      x[j] = {from.re[at], from.im[at]};
    }
    transform_few<T>(x);
    for (int j = 0; j < R; ++j) {
      const std::int64_t at = i + pass.ido * (k + pass.l1 * j);
      const Number<V> y = j == 0 ? x[0] : times(x[j], roots[i * (R - 1) + j - 1]);
      to.re[at] = y.re;
      to.im[at] = y.im;
    }
  }
  // The numbers [begin, end) of the lines from `first` to `last`.
  TESSERA_INLINE static void run(const FourierPass& pass, const Complex<T>* roots, const Line<V>& from,
                                 const Line<V>& to, std::int64_t first, std::int64_t last, std::int64_t begin,
                                 std::int64_t end) {
    for (std::int64_t k = first; k < last; ++k) {
      for (std::int64_t i = begin; i < end; ++i) one(pass, roots, from, to, k, i);
    }
  }
};

template <int R, class T, class V>
void take_pass(const FourierPass& pass, const Complex<T>* roots, const Line<V>& from, const Line<V>& to) {
  using Loop = typename for_target<PartOfPass<R, T, V>>::template with<const FourierPass&, const Complex<T>*,
                                                                       const Line<V>&, const Line<V>&, std::int64_t,
                                                                       std::int64_t, std::int64_t, std::int64_t>;
  const auto part = Loop::of(widest_target());
  // Pieces of the longer of both loops.
  if (pass.ido < pass.l1) {
    return in_pieces(
        pass.l1, [&](std::int64_t begin, std::int64_t end) { part(pass, roots, from, to, begin, end, 0, pass.ido); });
  }
  for (std::int64_t k = 0; k < pass.l1; ++k) {
    in_pieces(pass.ido,
              [&](std::int64_t begin, std::int64_t end) { part(pass, roots, from, to, k, k + 1, begin, end); });
  }
}

template <class T>
template <class V>
void FourierPlan<T>::by_passes(Line<V> line, V* scratch) const {
  const Line<V> given = line;
  Line<V> other{scratch, scratch + n_};
  for (const FourierPass& pass : passes_) {
    const Complex<T>* const roots = roots_ + pass.roots;
    switch (pass.radix) {
      case 2: take_pass<2>(pass, roots, line, other); break;
      case 3: take_pass<3>(pass, roots, line, other); break;
      case 4: take_pass<4>(pass, roots, line, other); break;
      case 5: take_pass<5>(pass, roots, line, other); break;
      default: take_pass<7>(pass, roots, line, other); break;
    }
    std::swap(line, other);
  }
  if (line.re == given.re) return;
  in_pieces(n_, [&](std::int64_t begin, std::int64_t end) {
    std::copy(line.re + begin, line.re + end, given.re + begin);
    std::copy(line.im + begin, line.im + end, given.im + begin);
  });
}

// x[k] chirp[k], convolved with the chirp's conjugates by two transforms, times the chirp again. The way back is a
// transform of exchanged parts.
template <class T>
template <class V>
void FourierPlan<T>::by_convolution(const Line<V>& line, V* scratch) const {
  const std::int64_t m = convolved_->length();
  const Line<V> long_line{scratch, scratch + m};
  V* const beside = scratch + 2 * m;
  // Elements begin to end of `to`, which may be `from`: those of `from` times the numbers.
  const auto product = [](const Line<V>& from, const Complex<T>* numbers, const Line<V>& to) {
    return [numbers, from, to](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const Number<V> y = times(Number<V>{from.re[k], from.im[k]}, numbers[k]);
        to.re[k] = y.re;
        to.im[k] = y.im;
      }
    };
  };
  in_pieces(n_, product(line, chirp_, long_line));
  in_pieces(m - n_, [&](std::int64_t begin, std::int64_t end) {
    std::fill(long_line.re + n_ + begin, long_line.re + n_ + end, V{});
    std::fill(long_line.im + n_ + begin, long_line.im + n_ + end, V{});
  });
  convolved_->forward(long_line, beside);
  if (is_given_up()) return;
  in_pieces(m, product(long_line, chirp_transform_, long_line));
  convolved_->forward(Line<V>{long_line.im, long_line.re}, beside);
  in_pieces(n_, product(long_line, chirp_, line));
}

}  // namespace tessera::runtime
