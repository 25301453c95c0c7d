// Arrays for tests of kernels: random elements, dense or with steps of their own, and what comes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/tile.hpp"
#include "tests/device/same_bits.hpp"

namespace tessera::device {

using Random = std::mt19937_64;

inline std::int64_t chosen(Random& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

enum class Lies : std::uint8_t { dense, apart, turned, shifted };

class TestTile {
 public:
  // `lies`: dense; with gaps between rows; with its dimensions in another order; dense, but at an odd address.
  TestTile(Random& random, synth::ElementType element, const synth::Shape& shape, Lies lies = Lies::dense)
      : element_(element), shape_(shape), strides_(runtime::dense_strides(shape)) {
    if (lies == Lies::apart) place(random, false);
    if (lies == Lies::turned) place(random, true);
    if (lies == Lies::shifted) first_ = 1;
    std::int64_t last = first_;
    for (std::size_t d = 0; d < shape.size(); ++d) last += std::max<std::int64_t>(0, shape[d] - 1) * strides_[d];
    bytes_.resize(static_cast<std::size_t>((last + 1) * synth::bytes_of(element)));
    fill(random);
  }

  runtime::TileView view() const {
    return {element_, shape_, strides_, bytes_.data() + first_ * synth::bytes_of(element_)};
  }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(bytes_.data()) + first_;
  }
  std::size_t elements() const { return bytes_.size() / static_cast<std::size_t>(synth::bytes_of(element_)); }

 private:
  void place(Random& random, bool turned) {
    std::vector<std::size_t> order(shape_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (turned) std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      strides_[order[i]] = step;
      step = step * std::max<std::int64_t>(1, shape_[order[i]]) + (turned ? 0 : chosen(random, 0, 3));
    }
  }
  void fill(Random& random) {
    synth::visit_element(element_, [&](auto zero) {
      using T = decltype(zero);
      T* const all = reinterpret_cast<T*>(bytes_.data());
      for (std::size_t i = 0; i < elements(); ++i) {
        if constexpr (runtime::Float<T>)
          all[i] = static_cast<T>(std::uniform_real_distribution<double>(-2, 2)(random));
        else if constexpr (runtime::Boolean<T>)
          all[i] = random() % 2 == 0;
        else
          all[i] = static_cast<T>(random() % 2001) - 1000;
      }
    });
  }

  synth::ElementType element_;
  synth::Shape shape_, strides_;
  std::int64_t first_ = 0;
  std::vector<std::byte> bytes_;
};

class TestOut {
 public:
  TestOut(synth::ElementType element, const synth::Shape& shape, bool shifted = false)
      : element_(element),
        shape_(shape),
        first_(shifted ? static_cast<std::size_t>(synth::bytes_of(element)) : 0),
        bytes_(first_ + static_cast<std::size_t>(runtime::count(shape) * synth::bytes_of(element)), std::byte{0x55}) {}
  runtime::TileOut out() { return {element_, shape_, bytes_.data() + first_}; }
  runtime::TileView view() { return runtime::dense_view(out()); }

  // The number of the first element that differs, or -1; NaN is NaN.
  std::int64_t difference(TestOut& other) {
    std::int64_t found = -1;
    synth::visit_element(element_, [&](auto zero) {
      using T = decltype(zero);
      const std::byte* const a = out().data;
      const std::byte* const b = other.out().data;
      for (std::int64_t i = 0; i < runtime::count(shape_) && found < 0; ++i) {
        const auto at = static_cast<std::size_t>(i) * sizeof(T);
        if (!are_same<T>(a + at, b + at)) found = i;
      }
    });
    return found;
  }

 private:
  synth::ElementType element_;
  synth::Shape shape_;
  std::size_t first_;
  std::vector<std::byte> bytes_;
};

}  // namespace tessera::device
