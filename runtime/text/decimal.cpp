#include "runtime/text/decimal.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"

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

template <class T>
Decimal with_digits_of(T x, int fraction_digits) {
  Decimal decimal = shortest_of(x);
  if (decimal.fraction_digits() >= fraction_digits) return decimal;
  std::string buffer(static_cast<std::size_t>(fraction_digits) + 16, '\0');
  const auto wide = static_cast<double>(x);
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), wide, std::chars_format::scientific, fraction_digits);
  TESSERA_CHECK(error == std::errc{}, "a number's digits do not fit");
  return split(std::string_view(buffer.data(), static_cast<std::size_t>(end - buffer.data())));
}

}  // namespace

Decimal shortest(float x) { return shortest_of(x); }
Decimal shortest(double x) { return shortest_of(x); }
Decimal with_digits(float x, int fraction_digits) { return with_digits_of(x, fraction_digits); }
Decimal with_digits(double x, int fraction_digits) { return with_digits_of(x, fraction_digits); }

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
