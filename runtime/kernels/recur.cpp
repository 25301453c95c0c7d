#include "runtime/kernels/recur.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <type_traits>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/running.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/complex_parts.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

using runtime::next_of;

template <class T>
TESSERA_INLINE T product_of(T a, T b) {
  return times(a, b);
}
template <class T>
bool is_finite(T y) {
  if constexpr (Float<T>) return y - y == 0;
  return true;
}
template <class T>
TESSERA_INLINE Complex<T> product_of(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
TESSERA_INLINE Complex<T> next_of(Complex<T> a, Complex<T> y, Complex<T> b) {
  const Complex<T> ay = product_of(a, y);
  return {ay.re + b.re, ay.im + b.im};
}
template <class T>
bool is_finite(Complex<T> y) {
  return is_finite(y.re) && is_finite(y.im);
}

// f(a number of the C++ type that belongs to the element type)
template <class F>
void visit_number(synth::ElementType element, const F& f) {
  if (synth::is_complex(element)) return synth::visit_part(element, [&](auto zero) { f(Complex<decltype(zero)>{}); });
  synth::visit_element(element, [&](auto zero) {
    if constexpr (Boolean<decltype(zero)>)
      throw base::InternalError("bool is not recurred");
    else
      f(zero);
  });
}

// An array that is gone along: the steps along a line, and from line to line.
template <class T>
struct Walked {
  T* first = nullptr;
  std::int64_t step = 0;
  std::int64_t line = 0;
  T& at(std::int64_t line_number, std::int64_t i) const { return first[line_number * line + i * step]; }
};

// Each y waits for the one before it, but not for those of other lines.
constexpr std::int64_t kLinesAtOnce = 4;
constexpr std::int64_t kLinesOfStrip = 256;

// Some lines of a tile, one step apart.
template <class T>
class LineStrip {
 public:
  using Element = T;

  LineStrip(std::int64_t length, std::int64_t lines, Walked<const T> a, Walked<const T> b, Walked<T> y)
      : length_(length), lines_(lines), a_(a), b_(b), y_(y) {
    const auto is_row = [](std::int64_t line) { return line == 0 || line == 1; };
    is_by_rows_ = lines > 1 && y.line == 1 && std::abs(y.step) != 1 && is_row(a.line) && is_row(b.line);
  }

  // From the y in front of each line, or from the beginning.
  void run(const T* in_front) const {
    if (is_by_rows_) return run_rows(in_front);
    std::int64_t k = 0;
    for (; k + kLinesAtOnce <= lines_; k += kLinesAtOnce) run_lines<kLinesAtOnce>(k, in_front);
    for (; k < lines_; ++k) run_lines<1>(k, in_front);
  }

  void compose() const {
    if (length_ < 2) return;
    if (is_by_rows_) return compose_rows();
    std::int64_t k = 0;
    for (; k + kLinesAtOnce <= lines_; k += kLinesAtOnce) compose_lines<kLinesAtOnce>(k);
    for (; k < lines_; ++k) compose_lines<1>(k);
  }

  // The last y of each line, which has been run.
  void tell(T* behind) const {
    for (std::int64_t k = 0; k < lines_; ++k) behind[k] = y_.at(k, length_ - 1);
  }
  // The same of one that has been composed.
  void carry_on(const T* in_front, T* behind) const {
    for (std::int64_t k = 0; k < lines_ && !is_given_up(); ++k) {
      const bool is_composed = length_ > 1;
      const T product = is_composed ? y_.at(k, 0) : a_.at(k, 0);
      const T last = is_composed ? y_.at(k, length_ - 1) : b_.at(k, 0);
      behind[k] = next_of(product, in_front[k], last);
      if (!is_finite(behind[k])) behind[k] = gone_along(k, in_front[k]);
    }
  }

 private:
  T gone_along(std::int64_t k, T y) const {
    in_pieces(length_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) y = next_of(a_.at(k, i), y, b_.at(k, i));
    });
    return y;
  }

  template <std::size_t N>
  void run_lines(std::int64_t k, const T* in_front) const {
    std::array<T, N> y;
    for (std::size_t n = 0; n < N; ++n) {
      const std::int64_t line = k + static_cast<std::int64_t>(n);
      y[n] = in_front == nullptr ? b_.at(line, 0) : next_of(a_.at(line, 0), in_front[line], b_.at(line, 0));
      y_.at(line, 0) = y[n];
    }
    in_pieces(length_ - 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin + 1; i <= end; ++i) {
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) {
          const std::int64_t line = k + static_cast<std::int64_t>(n);
          y[n] = next_of(a_.at(line, i), y[n], b_.at(line, i));
          y_.at(line, i) = y[n];
        }
      }
    });
  }

  template <std::size_t N>
  void compose_lines(std::int64_t k) const {
    std::array<T, N> product;
    std::array<T, N> last;
    for (std::size_t n = 0; n < N; ++n) {
      product[n] = a_.at(k + static_cast<std::int64_t>(n), 0);
      last[n] = b_.at(k + static_cast<std::int64_t>(n), 0);
    }
    in_pieces(length_ - 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin + 1; i <= end; ++i) {
#pragma GCC unroll 4
        for (std::size_t n = 0; n < N; ++n) {
          const T a = a_.at(k + static_cast<std::int64_t>(n), i);
          product[n] = product_of(product[n], a);
          last[n] = next_of(a, last[n], b_.at(k + static_cast<std::int64_t>(n), i));
        }
      }
    });
    for (std::size_t n = 0; n < N; ++n) {
      y_.at(k + static_cast<std::int64_t>(n), 0) = product[n];
      y_.at(k + static_cast<std::int64_t>(n), length_ - 1) = last[n];
    }
  }

  // f(how far from line to line a lies, and b): 0 or 1, known to the compiler.
  template <class F>
  void by_repeats(const F& f) const {
    using No = std::integral_constant<int, 0>;
    using Yes = std::integral_constant<int, 1>;
    if (a_.line == 0) return b_.line == 0 ? f(No{}, No{}) : f(No{}, Yes{});
    return b_.line == 0 ? f(Yes{}, No{}) : f(Yes{}, Yes{});
  }

  void run_rows(const T* in_front) const {
    by_repeats([&](auto a_step, auto b_step) {
      for (std::int64_t i = 0; i < length_ && !is_given_up(); ++i) {
        const T* const a = &a_.at(0, i);
        const T* const b = &b_.at(0, i);
        T* const y = &y_.at(0, i);
        const T* const last = i == 0 ? in_front : y - y_.step;
        if (last == nullptr) {
          for (std::int64_t c = 0; c < lines_; ++c) y[c] = b[c * b_step];
          continue;
        }
        TESSERA_INDEPENDENT_ROUNDS
        for (std::int64_t c = 0; c < lines_; ++c) y[c] = next_of(a[c * a_step], last[c], b[c * b_step]);
      }
    });
  }

  void compose_rows() const {
    T* const product = &y_.at(0, 0);
    T* const last = &y_.at(0, length_ - 1);
    by_repeats([&](auto a_step, auto b_step) {
      for (std::int64_t c = 0; c < lines_; ++c) {
        product[c] = (&a_.at(0, 0))[c * a_step];
        last[c] = (&b_.at(0, 0))[c * b_step];
      }
      for (std::int64_t i = 1; i < length_ && !is_given_up(); ++i) {
        const T* const a = &a_.at(0, i);
        const T* const b = &b_.at(0, i);
        TESSERA_INDEPENDENT_ROUNDS
        for (std::int64_t c = 0; c < lines_; ++c) {
          product[c] = product_of(product[c], a[c * a_step]);
          last[c] = next_of(a[c * a_step], last[c], b[c * b_step]);
        }
      }
    });
  }

  std::int64_t length_;
  std::int64_t lines_;
  Walked<const T> a_;
  Walked<const T> b_;
  Walked<T> y_;
  bool is_by_rows_;
};

// A carry's values from a line on; null where nothing stands in front.
template <class T>
T* values_of(const Carry& carry, std::int64_t first) {
  return carry.data == nullptr ? nullptr : reinterpret_cast<T*>(carry.data) + first;
}

}  // namespace

// Calls f(strip, number of its first line).
template <class F>
void RecurTile::for_strips(const F& f) const {
  if (is_empty(out_.shape)) return;
  const std::size_t d = how_.dimension;
  const auto others = other_dimensions(out_.shape.size(), std::span(&how_.dimension, 1));
  const auto others_span = std::span(others.begin(), others.size());
  const std::array<synth::Shape, 3> steps = {broadcast_strides(a_, out_.shape), broadcast_strides(b_, out_.shape),
                                             dense_strides(out_.shape)};
  const auto kept = [&](const synth::Shape& own) {
    return chosen_dimensions(TileView{out_.element, out_.shape, own, nullptr}, others_span);
  };
  const std::int64_t length = out_.shape[d];
  const auto nest =
      make_nest<3>(kept(steps[0]).shape, {kept(steps[0]).strides, kept(steps[1]).strides, kept(steps[2]).strides});
  const Offsets<3> lines = nest.inner_strides();
  const std::int64_t sign = how_.reverse ? -1 : 1;
  const std::int64_t first = how_.reverse ? length - 1 : 0;
  const std::int64_t grain = std::max(kLinesOfStrip, kGrain / length);
  visit_number(out_.element, [&](auto zero) {
    using T = decltype(zero);
    parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
      for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<3>& at, std::int64_t n) {
        for (std::int64_t k = 0; k < n; k += kLinesOfStrip) {
          const auto walked = [&](auto* data, std::size_t which) {
            return Walked<std::remove_pointer_t<decltype(data)>>{
                data + at[which] + first * steps[which][d] + k * lines[which], sign * steps[which][d], lines[which]};
          };
          const LineStrip<T> strip(length, std::min(kLinesOfStrip, n - k), walked(typed<T>(a_), 0),
                                   walked(typed<T>(b_), 1), walked(typed<T>(out_), 2));
          f(strip, position + k);
        }
      });
    });
  });
}

void RecurTile::run_inside() const {
  if (!place_.is_first && place_.is_last) return;
  for_strips([&](const auto& strip, std::int64_t) { place_.is_first ? strip.run(nullptr) : strip.compose(); });
}

void RecurTile::carry_on(const Carry& in_front, const Carry& behind) const {
  for_strips([&](const auto& strip, std::int64_t first) {
    using T = typename std::remove_cvref_t<decltype(strip)>::Element;
    T* const told = values_of<T>(behind, first);
    place_.is_first ? strip.tell(told) : strip.carry_on(values_of<T>(in_front, first), told);
  });
}

void RecurTile::put_in_front(const Carry& in_front) const {
  if (place_.is_first) return;
  for_strips([&](const auto& strip, std::int64_t first) {
    strip.run(values_of<typename std::remove_cvref_t<decltype(strip)>::Element>(in_front, first));
  });
}

}  // namespace tessera::runtime
