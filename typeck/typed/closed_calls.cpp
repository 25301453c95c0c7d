#include "typeck/typed/closed_calls.hpp"

#include <fmt/format.h>

namespace tessera::typeck {

std::optional<std::string> matrix_call(synth::MatrixOp op, const std::string& operands) {
  switch (op) {
    case synth::MatrixOp::cholesky: return fmt::format("cholesky({})", operands);
    case synth::MatrixOp::solve: return fmt::format("solve({})", operands);
    case synth::MatrixOp::solve_lower: return fmt::format("solve_triangular({}, lower=true)", operands);
    case synth::MatrixOp::solve_upper: return fmt::format("solve_triangular({}, lower=false)", operands);
    case synth::MatrixOp::determinant: return fmt::format("det({})", operands);
    case synth::MatrixOp::factor_qr:
    case synth::MatrixOp::eigen:
    case synth::MatrixOp::singular: return std::nullopt;
  }
  return std::nullopt;
}

std::string fourier_call(const synth::Fourier& fourier, const std::string& operand, const synth::Shape& made) {
  const int dimension = fourier.dimension;
  switch (fourier.kind) {
    case synth::FourierKind::forward: return fmt::format("fft({}, dims={})", operand, dimension);
    case synth::FourierKind::inverse: return fmt::format("ifft({}, dims={})", operand, dimension);
    case synth::FourierKind::forward_real: return fmt::format("rfft({}, dims={})", operand, dimension);
    case synth::FourierKind::inverse_real:
      return fmt::format("irfft({}, dims={}, n={})", operand, dimension, made[fourier.dimension]);
  }
  return "";
}

}  // namespace tessera::typeck
