#include "tests/generator/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::generator {

namespace {

constexpr double kSafety = 4;

double largest(Element element) {
  switch (element) {
    case Element::boolean: return 1;
    case Element::i32: return 0x1p31;
    case Element::i64: return 0x1p63;
    case Element::i8: return 0x1p7;
    case Element::u8: return 0x1p8;
    case Element::i16: return 0x1p15;
    case Element::u16: return 0x1p16;
    case Element::u32: return 0x1p32;
    case Element::f32:
    case Element::f64:
    case Element::f16:
    case Element::bf16:
    case Element::c64:
    case Element::c128: return 1e300;
  }
  return 0;
}

}  // namespace

bool is_float(Element element) { return element == Element::f32 || element == Element::f64; }
bool is_integer(Element element) { return element == Element::i32 || element == Element::i64; }

std::string_view name(Element element) {
  switch (element) {
    case Element::boolean: return "bool";
    case Element::i32: return "i32";
    case Element::i64: return "i64";
    case Element::f32: return "f32";
    case Element::f64: return "f64";
    case Element::f16: return "f16";
    case Element::bf16: return "bf16";
    case Element::i8: return "i8";
    case Element::u8: return "u8";
    case Element::i16: return "i16";
    case Element::u16: return "u16";
    case Element::u32: return "u32";
    case Element::c64: return "c64";
    case Element::c128: return "c128";
  }
  return "";
}

std::string_view numpy_name(Element element) {
  switch (element) {
    case Element::boolean: return "np.bool_";
    case Element::i32: return "np.int32";
    case Element::i64: return "np.int64";
    case Element::f32: return "np.float32";
    case Element::f64: return "np.float64";
    case Element::f16: return "np.float16";
    case Element::i8: return "np.int8";
    case Element::u8: return "np.uint8";
    case Element::i16: return "np.int16";
    case Element::u16: return "np.uint16";
    case Element::u32: return "np.uint32";
    case Element::c64: return "np.complex64";
    case Element::c128: return "np.complex128";
    case Element::bf16: break;  // NumPy has none
  }
  return "";
}

std::int64_t count(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

std::string list_text(const std::vector<std::int64_t>& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

double unit(Element element) {
  if (element == Element::f32) return 0x1p-23;
  return element == Element::f64 ? 0x1p-52 : 0;
}

Facts derived(Element element, Shape shape, const std::vector<Facts>& operands) {
  Facts facts{element, std::move(shape), true, true, true, true, 0, 0};
  for (const Facts& operand : operands) {
    facts.same_bits = facts.same_bits && operand.same_bits;
    facts.portable = facts.portable && operand.portable;
    facts.zero_signs = facts.zero_signs && operand.zero_signs;
  }
  return facts;
}

Facts settled(Facts facts, double magnitude, double error) {
  facts.magnitude = std::min(magnitude, largest(facts.element));
  facts.error = is_float(facts.element) && !facts.certain() ? error : 0;
  return facts;
}

double tolerance(const Facts& facts) { return kSafety * (facts.error + unit(facts.element) * 1e-3); }

Facts of_sum(Facts result, const Facts& a, const Facts& b) {
  const double magnitude = a.magnitude + b.magnitude;
  return settled(std::move(result), magnitude, a.error + b.error + unit(a.element) * magnitude);
}

Facts of_product(Facts result, const Facts& a, const Facts& b) {
  const double magnitude = a.magnitude * b.magnitude;
  const double error = a.error * b.magnitude + b.error * a.magnitude + unit(a.element) * magnitude;
  return settled(std::move(result), magnitude, error);
}

Facts of_total(Facts result, const Facts& a, std::int64_t n) {
  const auto terms = static_cast<double>(n);
  const double magnitude = terms * a.magnitude;
  result.same_bits = result.same_bits && !is_float(result.element);
  result.portable = result.portable && !is_float(result.element);
  const double u = unit(result.element);
  return settled(std::move(result), magnitude, terms * a.error + (terms + 4) * u * magnitude);
}

Facts of_contraction(Facts result, const Facts& a, const Facts& b, std::int64_t n) {
  Facts term = of_product(a, a, b);
  term.error = a.error * b.magnitude + b.error * a.magnitude + unit(a.element) * a.magnitude * b.magnitude;
  return of_total(std::move(result), term, n);
}

Facts of_choice(Facts result, const std::vector<Facts>& operands) {
  double magnitude = 0;
  double error = 0;
  for (const Facts& operand : operands) {
    magnitude = std::max(magnitude, operand.magnitude);
    error = std::max(error, operand.error);
  }
  return settled(std::move(result), magnitude, error);
}

}  // namespace tessera::generator
