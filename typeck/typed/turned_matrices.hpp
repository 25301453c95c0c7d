// Transposes that nobody has to make.
#pragma once

#include "synth/program/program.hpp"

namespace tessera::typeck {

// A matrix times a vector reads the matrix in either direction, each as fast as memory gives it, and adds in the same
// order. So where such products are all that reads a transpose, they read what was transposed.
//
//     transpose(a) @ x        the sum over i of a[i, j] * x[i], and no second array of a's size
//
// So does the product of a matrix and its own transpose, of which half is computed then:
//
//     transpose(a) @ a        the sum over i of a[i, j] * a[i, k], a symmetric matrix
//
// What pipelines read stays: they were cut into visits with it.
void turn_matrices(synth::Program& program);

}  // namespace tessera::typeck
