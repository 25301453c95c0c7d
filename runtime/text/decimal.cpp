#include "runtime/text/decimal.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"
#include "synth/layout/half_elements.hpp"

namespace tessera::runtime {

namespace {

// Reads `-d.ddde-xx`.
Decimal split(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.front() == '-';
  if (decimal.negative) text.remove_prefix(1);
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  const std::string_view exponent = text.substr(e + 2);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  if (text[e + 1] == '-') decimal.exponent = -decimal.exponent;
  return decimal;
}

template <class T>
Decimal shortest_of(T x) {
  std::array<char, 64> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific);
  TESSERA_CHECK(error == std::errc{}, "a number's digits do not fit");
  return split(std::string_view(buffer.data(), static_cast<std::size_t>(end - buffer.data())));
}

// `d.ddde-xx` with so many digits after the point, the exact ones, rounded to even.
std::string exact_digits(double x, int fraction_digits) {
  std::string buffer(static_cast<std::size_t>(fraction_digits) + 16, '\0');
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific, fraction_digits);
  TESSERA_CHECK(error == std::errc{}, "a number's digits do not fit");
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return buffer;
}

Decimal longer(Decimal decimal, double x, int fraction_digits) {
  if (decimal.fraction_digits() >= fraction_digits) return decimal;
  return split(exact_digits(x, fraction_digits));
}

}  // namespace

Decimal shortest(float x) { return shortest_of(x); }
Decimal shortest(double x) { return shortest_of(x); }
Decimal with_digits(float x, int fraction_digits) { return longer(shortest(x), x, fraction_digits); }
Decimal with_digits(double x, int fraction_digits) { return longer(shortest(x), x, fraction_digits); }

// Five digits tell apart all f16, four all bf16.
Decimal shortest_stored(synth::ElementType storage, float x) {
  const std::uint16_t wanted = synth::stored(storage, x);
  for (int fraction = 0; fraction < 9; ++fraction) {
    const std::string text = exact_digits(x, fraction);
    float read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (synth::stored(storage, read) != wanted) continue;
    Decimal decimal = split(text);
    while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
    return decimal;
  }
  return shortest(x);
}

Decimal with_digits_stored(synth::ElementType storage, float x, int fraction_digits) {
  return longer(shortest_stored(storage, x), x, fraction_digits);
}

Positional positional(const Decimal& decimal) {
  Positional text;
  const int point = decimal.exponent + 1;  // digits before the point
  const auto n = static_cast<int>(decimal.digits.size());
  if (point <= 0) {
    text.whole = "0";
    if (decimal.digits != "0") text.fraction = std::string(static_cast<std::size_t>(-point), '0') + decimal.digits;
  } else {
    const auto whole = static_cast<std::size_t>(std::min(point, n));
    text.whole = decimal.digits.substr(0, whole) + std::string(static_cast<std::size_t>(point) - whole, '0');
    text.fraction = decimal.digits.substr(whole);
  }
  if (decimal.negative) text.whole.insert(0, 1, '-');
  return text;
}

std::string exponent_text(int exponent, int digits_min) {
  return fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent), digits_min);
}

}  // namespace tessera::runtime
