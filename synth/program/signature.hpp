// Index signatures: `ij,jk->ik` as data. What an operation does to the layouts of its operands is said here once: the
// checker brings operands together by it, and the verifier refuses types that it does not give.
//
// Example: a matrix product is ij,jk->ik. Index 1 stands in both operands and not in the result: it is summed. On
// x:4,y:2 the operands f32[8@y, 6@x] and f32[6@x, 4] fit, since index 1 is cut alike; the result is f32[8@y, 4]{+x}.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

enum class IndexKind : std::uint8_t {
  carried,  // stands in the result, which is split there as the operands are
  summed,   // is lacking in the result: where it is split, the result is pending over its axes
  running,  // stands in the result, which is split there as the operand is; values go on from tile to tile
  whole,    // the operation mixes its positions, so no operand may be split there
};

// Which pending operands pass through an operation. The result is then pending as they are, and over the axes of the
// indices that are summed.
enum class PendingRule : std::uint8_t {
  resolve,      // none: they are finished first
  unary,        // the only operand, by any reduction (moves of data)
  linear,       // the only operand, a sum
  equal_sums,   // all operands, sums over the same axes
  product,      // one sum, if the other operand is a factor that is whole along its axes, or products over equal axes
  quotient,     // the first operand, a sum of floats, if the other one is whole along its axes
  contraction,  // sums, each over axes along which all others are whole
  equal_max,    // all operands, maxima over the same axes
  equal_min,    // all operands, minima over the same axes
  equal_any,    // all operands, alike, by any reduction (concat)
};
PendingRule pending_rule(MapOp op);

struct IndexSignature {
  static constexpr int kWhole =
      -1;  // instead of an index: the dimension is an operand's or the result's alone, and whole

  std::vector<std::vector<int>> operands;  // of every operand and dimension the index, or kWhole
  std::vector<int> result;                 // of every dimension the index, or kWhole
  std::vector<IndexKind> kinds;            // of every index
  ReduceOp reduce = ReduceOp::sum;         // what a summed index leaves
  PendingRule pending = PendingRule::resolve;
  bool index_wise = false;  // element by element: what is pending may be finished straight into the wanted layout
  bool computes = false;    // looks at elements: those of storage types are widened first
};

// Has it a signature? All have but constructors, reshapes, steps that move boxes, and effects.
bool has_signature(const Operation& operation);

// Of an operation that has one, on shapes that go together, for a result of that element type and shape. (The result's
// shape is no function of the operands': a copy repeats them, and a scatter_add has any number of rows.)
IndexSignature index_signature(const Operation& operation, std::span<const Shape> operands, ElementType element,
                               const Shape& result);
// Arrays that broadcast to a shape and are brought together element by element.
IndexSignature aligned_signature(std::span<const Shape> operands, const Shape& result);
// Arrays that are joined along a dimension, which is whole.
IndexSignature joined_signature(std::size_t operands, std::size_t rank, std::size_t dimension);

// Do these operands pass through as they are, or are none of them pending?
bool passes(const IndexSignature& signature, std::span<const ArrayType* const> operands);

// The axes that split each index.
using IndexSplits = std::vector<AxisList>;

// The result's layout, where operands of these layouts are split like that; nothing if there is no such layout.
std::optional<Layout> result_layout(const IndexSignature& signature, const Mesh& mesh, std::span<const Layout> operands,
                                    const IndexSplits& splits);
// The same with the splits of the operands, which are alike; an index that no operand carries is not split.
std::optional<Layout> result_layout(const IndexSignature& signature, const Mesh& mesh,
                                    std::span<const Layout> operands);

}  // namespace tessera::synth
