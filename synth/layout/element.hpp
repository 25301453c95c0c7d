// Element types: one table for enum, names and sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::synth {

// FOREACH(identifier, "name", C++ type, bytes)
#define TESSERA_ELEMENT_TYPES(FOREACH) \
  FOREACH(boolean, "bool", bool, 1)    \
  FOREACH(i32, "i32", std::int32_t, 4) \
  FOREACH(i64, "i64", std::int64_t, 8) \
  FOREACH(f32, "f32", float, 4)        \
  FOREACH(f64, "f64", double, 8)

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

constexpr std::int64_t bytes_of(ElementType element) {
  switch (element) {
#define CASE(identifier, text, cpp_type, bytes) \
  case ElementType::identifier: return bytes;
    TESSERA_ELEMENT_TYPES(CASE)
#undef CASE
  }
  return 0;
}

constexpr bool is_float(ElementType element) { return element == ElementType::f32 || element == ElementType::f64; }
constexpr bool is_integer(ElementType element) { return element == ElementType::i32 || element == ElementType::i64; }
std::optional<ElementType> element_by_name(std::string_view name);

// Calls f with a value of the C++ type that belongs to the element type: visit_element(e, [&](auto zero) { using T =
// decltype(zero); ... }).
template <class F>
decltype(auto) visit_element(ElementType element, F&& f) {
  switch (element) {
    case ElementType::boolean: return f(bool{});
    case ElementType::i32: return f(std::int32_t{});
    case ElementType::i64: return f(std::int64_t{});
    case ElementType::f32: return f(float{});
    case ElementType::f64: return f(double{});
  }
  return f(bool{});
}

}  // namespace tessera::synth
