// The smooth functions (exp, log, tanh, ...) of runs of floats, in the widest vectors that the processor has. All
// widths give the same bits (formulas.hpp).
#pragma once

#include <cstdint>

#include "runtime/kernels/vector_targets.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// Sets n elements; `out` may be `in`, but not overlap it otherwise.
template <class T>
using RunFunction = void (*)(const T* in, T* out, std::int64_t n);

// nullptr if the operation is not one of the smooth functions. T is float or double.
template <class T>
RunFunction<T> vector_function(synth::MapOp op, VectorTarget target);

// For the widest target of this machine.
template <class T>
RunFunction<T> vector_function(synth::MapOp op);

// a ** b of runs of floats, as std::pow has it; a power of -1, 1, 2, 3 or 4 is a product (map_ops.hpp).
template <class T>
using RunPower = void (*)(const T* a, const T* b, T* out, std::int64_t n);
template <class T>
RunPower<T> vector_power(VectorTarget target);

}  // namespace tessera::runtime
