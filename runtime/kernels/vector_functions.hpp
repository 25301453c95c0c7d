// The smooth functions (exp, log, tanh, ...) of runs of floats, in the widest vectors that the processor has. All
// widths give the same bits (formulas.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "synth/program/operation.hpp"

namespace tessera::runtime {

// What loops are compiled for; `baseline` is what the whole program is.
enum class VectorTarget : std::uint8_t { baseline, avx2, avx512 };

std::string_view name(VectorTarget target);

// Those that this machine can run, the widest last.
std::vector<VectorTarget> vector_targets();

// Sets n elements; `out` may be `in`, but not overlap it otherwise.
template <class T>
using RunFunction = void (*)(const T* in, T* out, std::int64_t n);

// nullptr if the operation is not one of the smooth functions. T is float or double.
template <class T>
RunFunction<T> vector_function(synth::MapOp op, VectorTarget target);

// For the widest target of this machine.
template <class T>
RunFunction<T> vector_function(synth::MapOp op);

}  // namespace tessera::runtime
