// Functions of matrices, the last two dimensions of their operands (synth::MatrixFunction says what each one gives).
//
// Every matrix is worked on by itself, and sixteen columns of a right side at a time whatever their number, so that
// bits depend neither on how many matrices a tile holds nor on where it cuts the columns. Work goes on in blocks, and
// looks after each whether it has been given up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// A matrix that the function is not defined for: its number in the tile, row-major, and the column that says so.
struct BadMatrix {
  std::int64_t number = 0;
  std::int64_t column = 0;
};

// The memory that a tile of matrices of this shape needs beside operands and result. It is a fixed number of matrices,
// however many there are.
std::int64_t matrix_scratch_bytes(synth::MatrixOp op, synth::ElementType element, const synth::Shape& matrices);

// The first matrix of the tile that the function is not defined for, if there is one; the result is then not complete.
std::optional<BadMatrix> of_matrices(synth::MatrixOp op, std::span<const TileView> operands, const TileOut& out,
                                     std::byte* scratch);

}  // namespace tessera::runtime
