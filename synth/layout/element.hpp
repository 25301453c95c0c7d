// Element types: one table for enum, names and sizes. f16, bf16 and the integers but i32 and i64 are storage types:
// arrays of them are kept and moved, and operations that compute take their elements as f32 (halves.hpp) or as i64.
// c64 and c128 are complex: a real and an imaginary part, f32 or f64, side by side.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.hpp"

namespace tessera::synth {

// FOREACH(identifier, "name", C++ type, bytes)
#define TESSERA_ELEMENT_TYPES(FOREACH)        \
  FOREACH(boolean, "bool", bool, 1)           \
  FOREACH(i32, "i32", std::int32_t, 4)        \
  FOREACH(i64, "i64", std::int64_t, 8)        \
  FOREACH(f32, "f32", float, 4)               \
  FOREACH(f64, "f64", double, 8)              \
  FOREACH(f16, "f16", std::uint16_t, 2)       \
  FOREACH(bf16, "bf16", std::uint16_t, 2)     \
  FOREACH(i8, "i8", std::int8_t, 1)           \
  FOREACH(u8, "u8", std::uint8_t, 1)          \
  FOREACH(i16, "i16", std::int16_t, 2)        \
  FOREACH(u16, "u16", std::uint16_t, 2)       \
  FOREACH(u32, "u32", std::uint32_t, 4)       \
  FOREACH(c64, "c64", std::complex<float>, 8) \
  FOREACH(c128, "c128", std::complex<double>, 16)

enum class ElementType : std::uint8_t {
#define MEMBER(identifier, name, cpp_type, bytes) identifier,
  TESSERA_ELEMENT_TYPES(MEMBER)
#undef MEMBER
};

constexpr std::string_view name(ElementType element) {
  switch (element) {
#define CASE(identifier, text, cpp_type, bytes) \
  case ElementType::identifier: return text;
    TESSERA_ELEMENT_TYPES(CASE)
#undef CASE
  }
  return "";
}

// By element type: a table, since two types may have one size.
inline constexpr std::int64_t kBytesOf[] = {
#define BYTES(identifier, name, cpp_type, bytes) bytes,
    TESSERA_ELEMENT_TYPES(BYTES)
#undef BYTES
};
constexpr std::int64_t bytes_of(ElementType element) { return kBytesOf[static_cast<std::size_t>(element)]; }

constexpr bool is_stored_float(ElementType element) {
  return element == ElementType::f16 || element == ElementType::bf16;
}
constexpr bool is_stored_integer(ElementType element) {
  return element == ElementType::i8 || element == ElementType::u8 || element == ElementType::i16 ||
         element == ElementType::u16 || element == ElementType::u32;
}
constexpr bool is_storage(ElementType element) { return is_stored_float(element) || is_stored_integer(element); }
// The element type that operations take the elements as.
constexpr ElementType computed_as(ElementType element) {
  if (is_stored_integer(element)) return ElementType::i64;
  return is_stored_float(element) ? ElementType::f32 : element;
}
// Types that are computed with.
constexpr bool is_float(ElementType element) { return element == ElementType::f32 || element == ElementType::f64; }
constexpr bool is_integer(ElementType element) { return element == ElementType::i32 || element == ElementType::i64; }
constexpr bool is_complex(ElementType element) { return element == ElementType::c64 || element == ElementType::c128; }
// Types whose sums depend on the order in which they are added.
constexpr bool is_rounded(ElementType element) { return is_float(element) || is_complex(element); }
// The type of the two parts of a complex number; of any other type itself.
constexpr ElementType part_of(ElementType element) {
  if (element == ElementType::c64) return ElementType::f32;
  return element == ElementType::c128 ? ElementType::f64 : element;
}
// The complex type whose parts are of this float type.
constexpr ElementType complex_of(ElementType part) {
  return part == ElementType::f32 ? ElementType::c64 : ElementType::c128;
}
std::optional<ElementType> element_by_name(std::string_view name);

// Calls f with a value of the C++ type that belongs to the element type: visit_element(e, [&](auto zero) { using T =
// decltype(zero); ... }). There is none for storage types, and complex types are visited by their parts (visit_part).
template <class F>
decltype(auto) visit_element(ElementType element, F&& f) {
  switch (element) {
    case ElementType::boolean: return f(bool{});
    case ElementType::i32: return f(std::int32_t{});
    case ElementType::i64: return f(std::int64_t{});
    case ElementType::f32: return f(float{});
    case ElementType::f64: return f(double{});
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::c64:
    case ElementType::c128: break;
  }
  throw base::InternalError(is_complex(element) ? "a complex number is taken for a real one"
                                                : "a storage type is computed with");
}

// The same for complex types: f gets a zero of the type of a part.
template <class F>
decltype(auto) visit_part(ElementType element, F&& f) {
  TESSERA_CHECK(is_complex(element), "this is no complex type");
  return element == ElementType::c64 ? f(float{}) : f(double{});
}

// The same for stored integers.
template <class F>
decltype(auto) visit_stored_integer(ElementType element, F&& f) {
  switch (element) {
    case ElementType::i8: return f(std::int8_t{});
    case ElementType::u8: return f(std::uint8_t{});
    case ElementType::i16: return f(std::int16_t{});
    case ElementType::u16: return f(std::uint16_t{});
    case ElementType::u32: return f(std::uint32_t{});
    case ElementType::boolean:
    case ElementType::i32:
    case ElementType::i64:
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::c64:
    case ElementType::c128: break;
  }
  throw base::InternalError("this is no stored integer");
}

// The ends of an integer type, stored or computed with.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
};
constexpr IntegerRange range_of(ElementType element) {
  if (element == ElementType::i64) return {INT64_MIN, INT64_MAX};
  const std::int64_t half = std::int64_t{1} << (8 * bytes_of(element) - 1);
  const bool has_sign = element != ElementType::u8 && element != ElementType::u16 && element != ElementType::u32;
  return has_sign ? IntegerRange{-half, half - 1} : IntegerRange{0, 2 * half - 1};
}

// Sixteen bytes, moved together.
struct SixteenBytes {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// The same by size alone, for code that moves elements without looking at them: zero is an unsigned integer, or sixteen
// bytes.
template <class F>
decltype(auto) visit_bytes(ElementType element, F&& f) {
  switch (bytes_of(element)) {
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    case 16: return f(SixteenBytes{});
    default: return f(std::uint8_t{});
  }
}

}  // namespace tessera::synth
