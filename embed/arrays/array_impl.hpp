// The state of an Array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/values/value.hpp"
#include "tessera/tessera.hpp"

namespace tessera {

struct Array::Impl {
  Impl(std::string array_name, std::string printed_type, runtime::Value array_value);

  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;
  runtime::Value value;
  bool borrowed = false;  // every tile is the host's memory
};

namespace embed {

// The element type that a C++ type stands for.
template <class T>
inline constexpr synth::ElementType element_of = synth::ElementType::boolean;
template <>
inline constexpr synth::ElementType element_of<std::int32_t> = synth::ElementType::i32;
template <>
inline constexpr synth::ElementType element_of<std::int64_t> = synth::ElementType::i64;
template <>
inline constexpr synth::ElementType element_of<float> = synth::ElementType::f32;
template <>
inline constexpr synth::ElementType element_of<double> = synth::ElementType::f64;
template <>
inline constexpr synth::ElementType element_of<std::complex<float>> = synth::ElementType::c64;
template <>
inline constexpr synth::ElementType element_of<std::complex<double>> = synth::ElementType::c128;

}  // namespace embed
}  // namespace tessera
