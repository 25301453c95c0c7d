#include "runtime/kernels/sort.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

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

// Halves what is long about its middle first, so that it can be given up on the way.
template <class T, class Less>
void sort_line(T* first, T* last, const Less& less) {
  constexpr std::ptrdiff_t kRun = 1 << 18;
  if (is_given_up()) return;
  if (last - first <= kRun) return std::sort(first, last, less);
  T* const middle = first + (last - first) / 2;
  std::nth_element(first, middle, last, less);
  sort_line(first, middle, less);
  sort_line(middle + 1, last, less);
}

// The `count` of at(0), ..., at(length - 1) that come first, in their order: those found so far are a heap in the
// result's place, on top the last of them, which gives way to what comes before it.
template <class T, class At, class Less>
void find_first(std::int64_t length, std::int64_t count, const At& at, T* to, const Less& less) {
  constexpr std::int64_t kRun = 1 << 18;
  for (std::int64_t i = 0; i < count; ++i) to[i] = at(i);
  std::make_heap(to, to + count, less);
  for (std::int64_t i = count; i < length && !(i % kRun == 0 && is_given_up()); ++i) {
    const T next = at(i);
    if (!less(next, to[0])) continue;
    std::pop_heap(to, to + count, less);
    to[count - 1] = next;
    std::push_heap(to, to + count, less);
  }
  sort_line(to, to + count, less);
}

// Calls f(line of the operand, line of the result) for every line along the last dimension.
template <class T, class U, class F>
void for_last_lines(const TileView& operand, const TileOut& out, const F& f) {
  const std::int64_t length = operand.shape.back();
  const std::int64_t out_length = out.shape.back();
  if (is_empty(out.shape)) return;
  TileView starts = operand;
  starts.shape.pop_back();
  starts.strides.pop_back();
  const auto nest = make_nest<1>(starts.shape, {starts.strides});
  parallel_ranges(nest.count, std::max<std::int64_t>(1, kGrain / length), [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t number, const Offsets<1>& at, std::int64_t n) {
      const std::int64_t step = nest.inner_strides()[0];
      for (std::int64_t k = 0; k < n && !is_given_up(); ++k)
        f(typed<T>(operand) + at[0] + k * step, typed<U>(out) + (number + k) * out_length);
    });
  });
}

}  // namespace

void sort_elements(const TileView& operand, const TileOut& out) {
  const std::int64_t length = operand.shape.back();
  const std::int64_t step = operand.strides.back();
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    for_last_lines<T, T>(operand, out, [&](const T* from, T* to) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = from[i * step];
      sort_line(to, to + length, [](T a, T b) { return comes_before(a, b); });
    });
  });
}

void sort_positions(const TileView& operand, const TileOut& out) {
  TESSERA_CHECK(out.element == synth::ElementType::i64, "positions are i64");
  const std::int64_t length = operand.shape.back();
  const std::int64_t step = operand.strides.back();
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    for_last_lines<T, std::int64_t>(operand, out, [&](const T* from, std::int64_t* to) {
      std::iota(to, to + length, std::int64_t{0});
      sort_line(to, to + length, [&](std::int64_t i, std::int64_t k) {
        const T a = from[i * step];
        const T b = from[k * step];
        if (is_less(a, b)) return true;
        return !is_less(b, a) && i < k;
      });
    });
  });
}

void greatest_elements(const TileView& operand, const TileOut& out) {
  const std::int64_t step = operand.strides.back();
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    for_last_lines<T, T>(operand, out, [&](const T* from, T* to) {
      const auto at = [&](std::int64_t i) { return from[i * step]; };
      find_first(operand.shape.back(), out.shape.back(), at, to, [](T a, T b) { return comes_before(b, a); });
    });
  });
}

void greatest_positions(const TileView& operand, const TileOut& out) {
  TESSERA_CHECK(out.element == synth::ElementType::i64, "positions are i64");
  const std::int64_t step = operand.strides.back();
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    for_last_lines<T, std::int64_t>(operand, out, [&](const T* from, std::int64_t* to) {
      const auto at = [](std::int64_t i) { return i; };
      find_first(operand.shape.back(), out.shape.back(), at, to, [&](std::int64_t i, std::int64_t k) {
        const T a = from[i * step];
        const T b = from[k * step];
        if (is_less(b, a)) return true;
        return !is_less(a, b) && i < k;
      });
    });
  });
}

}  // namespace tessera::runtime
