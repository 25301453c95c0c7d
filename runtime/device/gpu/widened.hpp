// Which arrays of f32 hold nothing but what came from 16 bits: their products are those of the 16-bit arrays.
#pragma once

#include <optional>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace tessera::device {

class Widened {
 public:
  // The 16-bit type that all operands of the step came from, if there is one.
  std::optional<synth::ElementType> operands_of(const runtime::LocalStep& step);
  // The program that was asked about last may be gone.
  void forget() { program_ = nullptr; }

 private:
  using Origins = std::vector<std::optional<synth::ElementType>>;  // of every register
  void learn(const synth::Program& program, const synth::Body& body);

  const synth::Program* program_ = nullptr;
  Origins origins_;
};

}  // namespace tessera::device
