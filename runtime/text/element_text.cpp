// The elements of an array as text, all to one format: NumPy's, with floatmode='unique'.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "runtime/text/array_text.hpp"
#include "runtime/text/decimal.hpp"
#include "synth/layout/half_elements.hpp"

namespace tessera::runtime {

namespace {

template <class T>
std::string not_finite(T x) {
  return x != x ? "nan" : x < 0 ? "-inf" : "inf";
}

// The digits of numbers: those of their own type, or of the storage type that they were widened from.
struct Digits {
  synth::ElementType element = synth::ElementType::f32;

  Decimal fewest(double x) const { return shortest(x); }
  Decimal fewest(float x) const { return synth::is_storage(element) ? shortest_stored(element, x) : shortest(x); }
  Decimal at_least(double x, int fraction_digits) const { return with_digits(x, fraction_digits); }
  Decimal at_least(float x, int fraction_digits) const {
    return synth::is_storage(element) ? with_digits_stored(element, x, fraction_digits)
                                      : with_digits(x, fraction_digits);
  }
};

template <class T>
std::string float_scalar(T x, Digits digits = {}) {
  if (!std::isfinite(x)) return not_finite(x);
  const auto size = static_cast<double>(std::abs(x));
  const Decimal decimal = digits.fewest(x);
  if (size == 0 || (size < 1e16 && size >= 1e-4)) {
    const Positional text = positional(decimal);
    return text.whole + "." + (text.fraction.empty() ? "0" : text.fraction);
  }
  std::string text = decimal.negative ? "-" : "";
  text += decimal.digits[0];
  if (decimal.digits.size() > 1) text += "." + decimal.digits.substr(1);
  return text + exponent_text(decimal.exponent);
}

// The sign of numbers that have none: nothing, or as behind a real part a plus.
enum class Signs : std::uint8_t { of_negative, of_all };

// How the floats of one array are written: with an exponent or without, and how wide.
template <class T>
class FloatFormat {
 public:
  explicit FloatFormat(std::span<const T> values, Digits digits = {}, Signs signs = Signs::of_negative)
      : digits_(digits), signs_(signs) {
    std::vector<T> finite;
    std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](T x) { return std::isfinite(x); });
    scientific_ = wants_exponent(finite);
    for (const T x : finite) scientific_ ? measure_scientific(x) : measure_positional(x);
    if (scientific_) right_ = exponent_digits_ + 2 + fraction_;
    if (finite.size() != values.size()) make_room(values);
  }

  std::string operator()(T x) const {
    if (!std::isfinite(x)) return fmt::format("{:>{}}", plus(!(x < 0)) + not_finite(x), left_ + right_ + 1);
    if (scientific_) return scientific(x);
    const Positional text = down_to_ones(x);
    return fmt::format("{:>{}}.{:<{}}", plus(!std::signbit(x)) + text.whole, left_, text.fraction, right_);
  }

 private:
  std::string plus(bool has_no_sign) const { return has_no_sign && signs_ == Signs::of_all ? "+" : ""; }
  // The digits before the point are the number's own, where the fewest end before it: 74142168. and not 74142170.
  Positional down_to_ones(T x) const {
    return positional(digits_.at_least(x, std::max(0, digits_.fewest(x).exponent)));
  }
  static bool wants_exponent(const std::vector<T>& finite) {
    T largest = 0;
    T smallest = 0;
    for (const T x : finite) {
      const T size = std::abs(x);
      if (size == 0) continue;
      largest = std::max(largest, size);
      smallest = smallest == 0 ? size : std::min(smallest, size);
    }
    if (largest == 0) return false;
    return largest >= static_cast<T>(1e8) || static_cast<double>(smallest) < 0.0001 || largest / smallest > 1000;
  }
  void measure_scientific(T x) {
    const Decimal decimal = digits_.fewest(x);
    fraction_ = std::max(fraction_, decimal.fraction_digits());
    left_ = std::max(left_, decimal.negative || signs_ == Signs::of_all ? 2 : 1);
    exponent_digits_ = std::max(exponent_digits_, std::abs(decimal.exponent) > 99 ? 3 : 2);
  }
  void measure_positional(T x) {
    const Positional text = down_to_ones(x);
    left_ = std::max(left_, static_cast<int>(plus(!std::signbit(x)).size() + text.whole.size()));
    right_ = std::max(right_, static_cast<int>(text.fraction.size()));
  }
  void make_room(std::span<const T> values) {
    const bool negative = std::any_of(values.begin(), values.end(), [](T x) { return std::isinf(x) && x < 0; });
    left_ = std::max(left_, (negative || signs_ == Signs::of_all ? 4 : 3) - (right_ + 1));
  }
  std::string scientific(T x) const {
    Decimal decimal = digits_.at_least(x, fraction_);
    decimal.digits.resize(static_cast<std::size_t>(fraction_) + 1, '0');
    const std::string whole = (decimal.negative ? "-" : plus(true)) + decimal.digits.substr(0, 1);
    return fmt::format("{:>{}}.{}{}", whole, left_, decimal.digits.substr(1),
                       exponent_text(decimal.exponent, exponent_digits_));
  }

  Digits digits_;
  Signs signs_;
  bool scientific_ = false;
  int left_ = 0;      // characters before the point
  int right_ = 0;     // and after it
  int fraction_ = 0;  // with an exponent: digits after the point
  int exponent_digits_ = 2;
};

template <class T>
std::vector<std::string> texts(std::span<const T> values, bool is_array) {
  std::vector<std::string> all;
  if constexpr (std::same_as<T, bool>) {
    for (const bool x : values) all.emplace_back(x ? (is_array ? " True" : "True") : "False");
  } else if constexpr (std::integral<T>) {
    std::size_t width = 0;
    for (const T x : values) width = std::max(width, fmt::formatted_size("{}", x));
    for (const T x : values) all.push_back(fmt::format("{:>{}}", x, width));
  } else {
    const FloatFormat<T> format(values);
    for (const T x : values) all.push_back(format(x));
  }
  return all;
}

std::vector<float> widened_elements(synth::ElementType storage, const std::byte* bytes, std::int64_t n) {
  std::vector<float> all;
  const auto* const stored = reinterpret_cast<const std::uint16_t*>(bytes);
  for (std::int64_t i = 0; i < n; ++i) all.push_back(synth::widened(storage, stored[i]));
  return all;
}

std::vector<std::int64_t> widened_integers(synth::ElementType storage, const std::byte* bytes, std::int64_t n) {
  return synth::visit_stored_integer(storage, [&](auto zero) {
    const auto* const stored = reinterpret_cast<const decltype(zero)*>(bytes);
    return std::vector<std::int64_t>(stored, stored + n);
  });
}

// The parts of complex numbers: all real ones, then all imaginary ones.
template <class T>
struct ComplexParts {
  std::vector<T> real;
  std::vector<T> imaginary;

  ComplexParts(const std::byte* bytes, std::int64_t n) {
    const auto* const parts = reinterpret_cast<const T*>(bytes);
    for (std::int64_t i = 0; i < n; ++i) {
      real.push_back(parts[2 * i]);
      imaginary.push_back(parts[2 * i + 1]);
    }
  }
};

// As Python writes it: `(1+2j)`, and `2j` without a real part.
template <class T>
std::string complex_scalar(T real, T imaginary) {
  const auto text = [](T x) {
    const std::string written = float_scalar(x);
    return written.ends_with(".0") ? written.substr(0, written.size() - 2) : written;
  };
  if (real == 0 && !std::signbit(real)) return text(imaginary) + "j";
  const bool has_sign = std::signbit(imaginary) && !std::isnan(imaginary);
  return fmt::format("({}{}{}j)", text(real), has_sign ? "" : "+", text(imaginary));
}

// The j stands before the blanks at the end.
template <class T>
std::vector<std::string> complex_texts(const ComplexParts<T>& parts) {
  const FloatFormat<T> real(parts.real);
  const FloatFormat<T> imaginary(parts.imaginary, {}, Signs::of_all);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < parts.real.size(); ++i) {
    std::string behind = imaginary(parts.imaginary[i]);
    behind.insert(behind.find_last_not_of(' ') + 1, "j");
    all.push_back(real(parts.real[i]) + behind);
  }
  return all;
}

}  // namespace

std::string scalar_text(synth::ElementType element, const std::byte* bytes) {
  if (synth::is_stored_integer(element)) return fmt::format("{}", widened_integers(element, bytes, 1)[0]);
  if (synth::is_storage(element)) return float_scalar(widened_elements(element, bytes, 1)[0], Digits{element});
  if (synth::is_complex(element)) {
    return synth::visit_part(element, [&](auto zero) {
      const ComplexParts<decltype(zero)> parts(bytes, 1);
      return complex_scalar(parts.real[0], parts.imaginary[0]);
    });
  }
  return synth::visit_element(element, [&](auto zero) -> std::string {
    using T = decltype(zero);
    const T value = *reinterpret_cast<const T*>(bytes);
    if constexpr (std::floating_point<T>)
      return float_scalar(value);
    else
      return texts(std::span<const T>(&value, 1), false)[0];
  });
}

std::vector<std::string> element_texts(synth::ElementType element, const std::byte* bytes, std::int64_t n,
                                       bool is_array) {
  if (synth::is_stored_integer(element))
    return texts(std::span<const std::int64_t>(widened_integers(element, bytes, n)), is_array);
  if (synth::is_storage(element)) {
    const std::vector<float> values = widened_elements(element, bytes, n);
    const FloatFormat<float> format(values, Digits{element});
    std::vector<std::string> all;
    for (const float x : values) all.push_back(format(x));
    return all;
  }
  if (synth::is_complex(element)) {
    return synth::visit_part(element, [&](auto zero) { return complex_texts(ComplexParts<decltype(zero)>(bytes, n)); });
  }
  return synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    return texts(std::span<const T>(reinterpret_cast<const T*>(bytes), static_cast<std::size_t>(n)), is_array);
  });
}

}  // namespace tessera::runtime
