// Elements that are stored in 16 bits, by element type.
#pragma once

#include "synth/layout/element.hpp"
#include "synth/layout/halves.hpp"

namespace tessera::synth {

// By element type: f16 or bf16.
constexpr float widened(ElementType storage, std::uint16_t bits) {
  return storage == ElementType::bf16 ? f32_of_bf16(bits) : f32_of_f16(bits);
}
constexpr std::uint16_t stored(ElementType storage, float x) {
  return storage == ElementType::bf16 ? bf16_of_f32(x) : f16_of_f32(x);
}

}  // namespace tessera::synth
