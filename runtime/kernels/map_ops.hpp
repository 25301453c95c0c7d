// The loops that apply each elementwise operation to runs of elements.
#pragma once

#include "runtime/elements/operations.hpp"
#include "runtime/kernels/map_loop.hpp"
#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime::elementwise {

// The loops of operations whose operands and result have one element type.
template <class Op>
MapLoop unary(synth::ElementType element);
template <class Op>
MapLoop binary(synth::ElementType element);
// The result is bool.
template <class Op>
MapLoop comparison(synth::ElementType operand);
// `a > b` is `b < a`.
template <class Op>
MapLoop swapped_comparison(synth::ElementType operand);
// Loops for bool: logical_and, logical_or and logical_not.
MapLoop logical(synth::MapOp op);
// Faster where one small whole exponent serves all elements.
MapLoop power(synth::ElementType element, const TileView& exponent);
// exp, exp2, log and its like, tanh, sigmoid, gelu, erf, sin, cos and arctan.
MapLoop smooth(synth::MapOp op, synth::ElementType element);
MapLoop select(synth::ElementType element);
MapLoop clip(synth::ElementType element);
MapLoop cast(synth::ElementType result, synth::ElementType operand);
MapLoop copy(synth::ElementType element);
// Loops whose result or last operand is complex.
MapLoop of_complex(synth::MapOp op, synth::ElementType result, synth::ElementType operand);

}  // namespace tessera::runtime::elementwise
