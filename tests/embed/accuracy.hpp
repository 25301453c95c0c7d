// How far sums of many terms are from the exact ones.
#pragma once

#include <cstdint>

namespace tessera {

// Sums of n terms of every kind - products, einsum, sum, mean, cumsum, norms, gradients - of ones, of 0.1 and of random
// numbers, in f32 and f64, whole and split, are within 1e-5 (f64: 1e-13) of the exact ones. Prints the errors.
void expect_accurate(std::int64_t n);

}  // namespace tessera
