// Index signatures: `ij,jk->ik` as data. The one rule by which layouts of operands are brought together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::typeck {

// How pending operands pass through an operation.
enum class PendingRule : std::uint8_t {
  resolve,      // never: they are finished first
  unary,        // the only operand: any kind of pending reduction (moves of data)
  linear,       // the only operand: pending sums
  equal_sums,   // all operands pending sums over the same axes
  product,      // one operand a pending sum, the other a factor that keeps the sum's value whatever the layout is
  quotient,     // the first operand a pending sum, the second a divisor that keeps the sum's value
  contraction,  // one operand a pending sum; of floats, several operands only where the program asks for it
  equal_max,    // all operands pending maxima over the same axes
  equal_min,
  equal_any,  // all operands pending alike, of any kind (concat)
};

inline constexpr int kWhole = -1;  // an operand's dimension that must not be split

struct Signature {
  std::string who;                         // `@`, for messages
  base::Span span;                         // the expression
  std::vector<std::vector<int>> operands;  // per operand and dimension: an index, or kWhole
  std::vector<int> result;                 // per result dimension: an index, or kWhole for one that is not split
  std::vector<std::string> index_names;    // for messages; may be empty
  synth::ElementType element = synth::ElementType::f32;  // of the result
  synth::Shape shape;                                    // of the result
  PendingRule pending = PendingRule::resolve;
  bool index_wise = false;                             // pending sums may be finished straight into the wanted layout
  synth::ReduceOp contraction = synth::ReduceOp::sum;  // what a split index that disappears leaves
  bool contraction_may_split = true;                   // false: indices that disappear must not be split
  bool computes = false;  // operands of storage types are moved as they are, then widened to f32 where they lie
};

}  // namespace tessera::typeck
