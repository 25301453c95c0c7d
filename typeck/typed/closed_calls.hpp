// Calls of functions of matrices and of transforms, as a person writes them. Private to typeck/typed/.
#pragma once

#include <optional>
#include <string>

#include "synth/layout/shape.hpp"
#include "synth/program/operation.hpp"

namespace tessera::typeck {

// None that gives several matrices in one.
std::optional<std::string> matrix_call(synth::MatrixOp op, const std::string& operands);
std::string fourier_call(const synth::Fourier& fourier, const std::string& operand, const synth::Shape& made);

}  // namespace tessera::typeck
