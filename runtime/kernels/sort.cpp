#include "runtime/kernels/sort.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/sort_order.hpp"

namespace tessera::runtime {

namespace {

// Elements that a line is walked for between two looks at whether it has been given up.
constexpr std::int64_t kLook = 1 << 14;

// Calls f(i) for all i in [begin, end), or until the work is given up.
template <class F>
void for_all(std::int64_t begin, std::int64_t end, const F& f) {
  for (std::int64_t at = begin; at < end && !is_given_up(); at += kLook) {
    for (std::int64_t i = at; i < std::min(at + kLook, end); ++i) f(i);
  }
}

// The middle one of some hundred elements from all over a long line.
template <class T, class Less>
T usual_element(const T* first, const T* last, const Less& less) {
  std::array<T, 255> some;
  const std::ptrdiff_t step = (last - first) / std::ssize(some);
  for (std::ptrdiff_t k = 0; k < std::ssize(some); ++k) some[static_cast<std::size_t>(k)] = first[k * step];
  std::nth_element(some.begin(), some.begin() + some.size() / 2, some.end(), less);
  return some[some.size() / 2];
}

// Parts a long line in two, neither of which is empty, so that nothing in the second comes before anything in the
// first, and gives where the second begins; null if it was given up on the way.
template <class T, class Less>
T* parted(T* first, T* last, const Less& less) {
  const T middle = usual_element(first, last, less);
  T* low = first;
  T* high = last - 1;
  std::int64_t until_look = kLook;
  const auto may_go_on = [&] {
    if (--until_look > 0) return true;
    until_look = kLook;
    return !is_given_up();
  };
  while (true) {
    for (; less(*low, middle); ++low) {
      if (!may_go_on()) return nullptr;
    }
    for (; less(middle, *high); --high) {
      if (!may_go_on()) return nullptr;
    }
    if (low >= high) return low == first ? low + 1 : low;
    std::swap(*low++, *high--);
    if (!may_go_on()) return nullptr;
  }
}

// Parts what is long first, so that it can be given up on the way. A line that is parted badly again and again is
// halved.
template <class T, class Less>
void sort_line(T* first, T* last, const Less& less, int parts = 0) {
  constexpr std::ptrdiff_t kRun = 1 << 18;
  constexpr int kMostParts = 64;
  if (is_given_up()) return;
  if (last - first <= kRun) return std::sort(first, last, less);
  T* second = first + (last - first) / 2;
  if (parts < kMostParts)
    second = parted(first, last, less);
  else
    std::nth_element(first, second, last, less);
  if (second == nullptr) return;
  sort_line(first, second, less, parts + 1);
  sort_line(second, last, less, parts + 1);
}

// The `count` of at(0), ..., at(length - 1) that come first, in their order: those found so far are a heap in the
// result's place, on top the last of them, which gives way to what comes before it.
template <class T, class At, class Less>
void find_first(std::int64_t length, std::int64_t count, const At& at, T* to, const Less& less) {
  for_all(0, count, [&](std::int64_t i) { to[i] = at(i); });
  if (count <= kLook)
    std::make_heap(to, to + count, less);
  else
    for_all(1, count, [&](std::int64_t i) { std::push_heap(to, to + i + 1, less); });
  for_all(count, length, [&](std::int64_t i) {
    const T next = at(i);
    if (!less(next, to[0])) return;
    std::pop_heap(to, to + count, less);
    to[count - 1] = next;
    std::push_heap(to, to + count, less);
  });
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
      for_all(0, length, [&](std::int64_t i) { to[i] = from[i * step]; });
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
      for_all(0, length, [&](std::int64_t i) { to[i] = i; });
      sort_line(to, to + length, [&](std::int64_t i, std::int64_t k) {
        const T a = from[i * step];
        const T b = from[k * step];
        if (is_less(a, b)) return true;
        return !is_less(b, a) && i < k;
      });
    });
  });
}

void elements_at_positions(const TileView& operand, const TileOut& positions, std::byte* to) {
  const std::int64_t length = operand.shape.back();
  const std::int64_t step = operand.strides.back();
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    for_last_lines<T, std::int64_t>(operand, positions, [&](const T* from, std::int64_t* line) {
      T* const own = reinterpret_cast<T*>(to) + (line - typed<std::int64_t>(positions));
      for_all(0, length, [&](std::int64_t i) { own[i] = from[line[i] * step]; });
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

void greatest_positions(const TileView& operand, const TileOut& out, std::int64_t first) {
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
      for (std::int64_t i = 0; first != 0 && i < out.shape.back(); ++i) to[i] += first;
    });
  });
}

void positions_for_places(const TileView& positions, const TileOut& out) {
  const std::int64_t step = positions.strides.back();
  for_last_lines<std::int64_t, std::int64_t>(positions, out, [&](const std::int64_t* from, std::int64_t* to) {
    for_all(0, out.shape.back(), [&](std::int64_t i) { to[i] = from[to[i] * step]; });
  });
}

}  // namespace tessera::runtime
