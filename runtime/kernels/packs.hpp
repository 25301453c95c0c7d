// Floats side by side in one register of 16 bytes, which every processor we build for has. For loops that the compiler
// does not make vectors of by itself: those that carry a few values from turn to turn.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "runtime/elements/arithmetic.hpp"

namespace tessera::runtime {

template <class T>
struct PackOf;
template <>
struct PackOf<float> {
  typedef float type __attribute__((vector_size(16)));
  typedef std::int32_t mask __attribute__((vector_size(16)));
};
template <>
struct PackOf<double> {
  typedef double type __attribute__((vector_size(16)));
  typedef std::int64_t mask __attribute__((vector_size(16)));
};

// N elements, in packs; N is a multiple of four.
template <Float T, std::int64_t N>
class Lanes {
 public:
  explicit Lanes(const T* x) { std::memcpy(packs_.data(), x, sizeof packs_); }

  // Lane k becomes How::combine(lane k, x[k]).
  template <class How>
  void combine(const T* x) {
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      Pack other;
      std::memcpy(&other, x + static_cast<std::int64_t>(p) * kWidth, sizeof other);
      packs_[p] = joined<How>(packs_[p], other);
    }
  }
  // All lanes combined, in no particular order.
  template <class How>
  T combined() const {
    Pack all = packs_[0];
    for (std::size_t p = 1; p < packs_.size(); ++p) all = joined<How>(all, packs_[p]);
    T value = all[0];
    for (std::size_t k = 1; k < static_cast<std::size_t>(kWidth); ++k) value = How::combine(value, all[k]);
    return value;
  }
  std::array<T, N> values() const {
    std::array<T, N> all;
    std::memcpy(all.data(), packs_.data(), sizeof all);
    return all;
  }

 private:
  using Pack = typename PackOf<T>::type;
  using Mask = typename PackOf<T>::mask;
  static constexpr std::int64_t kWidth = 16 / sizeof(T);

  static Pack chosen(Mask mask, Pack a, Pack b) {
    return reinterpret_cast<Pack>((reinterpret_cast<Mask>(a) & mask) | (reinterpret_cast<Mask>(b) & ~mask));
  }
  template <class How>
  static Pack joined(Pack a, Pack b) {
    if constexpr (How::of_kind == synth::ReduceKind::sum)
      return a + b;
    else if constexpr (How::of_kind == synth::ReduceKind::product)
      return a * b;
    else if constexpr (How::of_kind == synth::ReduceKind::max)
      return chosen((b > a) | (b != b), b, a);
    else
      return chosen((b < a) | (b != b), b, a);
  }

  std::array<Pack, static_cast<std::size_t>(N / kWidth)> packs_;
};

}  // namespace tessera::runtime
