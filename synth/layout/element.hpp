// Element types: one table for enum, names and sizes. f16 and bf16 are storage types: arrays of them are kept and
// moved, and operations that compute take their elements as f32 (halves.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.hpp"

namespace tessera::synth {

// FOREACH(identifier, "name", C++ type, bytes)
#define TESSERA_ELEMENT_TYPES(FOREACH)  \
  FOREACH(boolean, "bool", bool, 1)     \
  FOREACH(i32, "i32", std::int32_t, 4)  \
  FOREACH(i64, "i64", std::int64_t, 8)  \
  FOREACH(f32, "f32", float, 4)         \
  FOREACH(f64, "f64", double, 8)        \
  FOREACH(f16, "f16", std::uint16_t, 2) \
  FOREACH(bf16, "bf16", std::uint16_t, 2)

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

constexpr bool is_storage(ElementType element) { return element == ElementType::f16 || element == ElementType::bf16; }
// The element type that operations take the elements as.
constexpr ElementType computed_as(ElementType element) { return is_storage(element) ? ElementType::f32 : element; }
// Types that are computed with.
constexpr bool is_float(ElementType element) { return element == ElementType::f32 || element == ElementType::f64; }
constexpr bool is_integer(ElementType element) { return element == ElementType::i32 || element == ElementType::i64; }
std::optional<ElementType> element_by_name(std::string_view name);

// Calls f with a value of the C++ type that belongs to the element type: visit_element(e, [&](auto zero) { using T =
// decltype(zero); ... }). There is no such type for storage types.
template <class F>
decltype(auto) visit_element(ElementType element, F&& f) {
  switch (element) {
    case ElementType::boolean: return f(bool{});
    case ElementType::i32: return f(std::int32_t{});
    case ElementType::i64: return f(std::int64_t{});
    case ElementType::f32: return f(float{});
    case ElementType::f64: return f(double{});
    case ElementType::f16:
    case ElementType::bf16: break;
  }
  throw base::InternalError("a storage type is computed with");
}

// The same by size alone, for code that moves elements without looking at them: zero is an unsigned integer.
template <class F>
decltype(auto) visit_bytes(ElementType element, F&& f) {
  switch (bytes_of(element)) {
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return f(std::uint8_t{});
  }
}

}  // namespace tessera::synth
