// The kinds of reductions, for what computes on single elements. A kernel's text, which stands alone, has them from
// here; everything else from where the program's operations are.
#pragma once

#if defined(__CUDACC_RTC__) || defined(TESSERA_KERNEL_ALONE)
namespace tessera::synth {
enum class ReduceOp : unsigned char { sum, max, min, product };
enum class ReduceKind : unsigned char { sum, product, max, min };
}  // namespace tessera::synth
#else
#include "synth/program/operation.hpp"
#endif
