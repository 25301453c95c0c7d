// Sums, differences, products and the like of floats, several operations at a time: what one makes stays in registers
// for the next, and is written only where it is asked for. Each operation rounds as it does alone.
//
//     4.0 * u - v - w        load u, multiply by the scalar 4.0, subtract v, subtract w, store
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/kernels/vector_targets.hpp"
#include "synth/layout/element.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// The operand of a term beside what the term before has made: elements side by side, or one for all; as the operation's
// second operand or as its first. Or it is that value itself.
enum class FusedOperand : std::uint8_t { elements, elements_first, scalar, scalar_first, itself };

// A step of a fused loop, on the array that it names by number.
struct FusedTerm {
  std::uint8_t code;
  std::uint8_t array;
};

class FusedLoop {
 public:
  static constexpr std::size_t kArraysMax = 64;
  static constexpr std::size_t kTermsMax = 128;

  // Is it one of the operations, of two operands?
  static bool takes(synth::MapOp op, synth::ElementType element);

  void begin(synth::ElementType element);
  // Terms: the elements are there from now on; they go to the array; they become those of an operation.
  void load(std::size_t array);
  void store(std::size_t array);
  void compute(synth::MapOp op, FusedOperand operand, std::size_t array = 0);
  // Asks for elements of the array that are wanted so many bytes later.
  void ask(std::size_t array);

  // All terms on n elements; `arrays` has where the first one of each array is. An array that is stored to may be one
  // that is read, from the same element on.
  void run(std::byte* const* arrays, std::int64_t n, VectorTarget target = widest_target()) const;

 private:
  synth::ElementType element_ = synth::ElementType::f32;
  std::vector<FusedTerm> terms_;
};

}  // namespace tessera::runtime
