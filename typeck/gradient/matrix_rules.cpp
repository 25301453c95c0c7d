// Derivatives of functions of matrices. X' is X with rows and columns exchanged.
#include <algorithm>

#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

using synth::MapOp;
using synth::MatrixOp;

// Formulas of matrices, which are the last two dimensions.
struct Matrices {
  const Build& build;

  open::Type type(const Use& a) const { return build.graph().type(a); }
  Use transposed(const Use& a) const {
    const open::Type own = type(a);
    const std::size_t rank = own.rank();
    std::vector<std::uint8_t> permutation;
    for (std::size_t d = 0; d < rank; ++d) permutation.push_back(static_cast<std::uint8_t>(d));
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    synth::Shape shape = own.shape();
    std::swap(shape[rank - 2], shape[rank - 1]);
    return build.compute({own.element(), shape, own.mesh_ref()}, synth::Operation(synth::Transpose{permutation}), {a});
  }
  // a @ b.
  Use product(const Use& a, const Use& b) const {
    const open::Type own = type(a);
    const auto rank = static_cast<std::uint8_t>(own.rank());
    synth::Contract contract{{{}, {}}, {}};
    for (std::uint8_t d = 0; d < rank; ++d) {
      contract.operand_indices[0].push_back(d);
      contract.operand_indices[1].push_back(d);
    }
    contract.result_indices = contract.operand_indices[0];
    contract.operand_indices[1][rank - 2] = rank - 1;
    contract.operand_indices[1][rank - 1] = rank;
    contract.result_indices[rank - 1] = rank;
    synth::Shape shape = own.shape();
    shape.back() = type(b).shape().back();
    return build.compute({own.element(), shape, own.mesh_ref()}, open::Product{contract, {}}, {a, b});
  }
  Use solved(MatrixOp op, const Use& a, const Use& b) const {
    return build.compute(type(b), synth::Operation(synth::MatrixFunction{op}), {a, b});
  }
  // Row less column of each place in a square matrix.
  Use below_diagonal(const Use& like) const {
    constexpr synth::ElementType kInteger = synth::ElementType::i64;
    const open::Type own = type(like);
    const std::int64_t n = own.shape().back();
    const open::Type square(kInteger, {n, n}, own.mesh_ref());
    const open::Make numbers_of{synth::Iota{}, {std::vector<synth::AxisList>(2), {}}, build.span()};
    const Use numbers = build.compute(square, numbers_of, {});
    const Use extent = build.graph().number(build.span(), std::max<std::int64_t>(n, 1), kInteger, own.mesh_ref());
    return build.subtract(build.map(MapOp::divide, {numbers, extent}), build.map(MapOp::remainder, {numbers, extent}));
  }
  Use is(MapOp comparison, const Use& like) const {
    const Use zero =
        build.graph().number(build.span(), std::int64_t{0}, synth::ElementType::i64, type(like).mesh_ref());
    return build.compare(comparison, below_diagonal(like), zero);
  }
  // Zeros above the diagonal (lower), or below it.
  Use triangle(const Use& a, bool lower) const {
    return build.select(is(lower ? MapOp::greater_equal : MapOp::less_equal, a), a, build.number(0, a));
  }
  Use identity(const Use& like) const {
    const Use ones = build.select(is(MapOp::equal, like), build.number(1, like), build.number(0, like));
    return build.repeated(ones, like);
  }
  Use half(const Use& a) const { return build.multiply(build.number(0.5, a), a); }
};

MatrixOp of_transposed(MatrixOp op) {
  if (op == MatrixOp::solve_lower) return MatrixOp::solve_upper;
  return op == MatrixOp::solve_upper ? MatrixOp::solve_lower : op;
}

// a x = b: the right side is given s with a' s = g, and the matrix -s x', of a triangle its own elements.
void reverse_solve(const Reversal& r, const Matrices& m, MatrixOp op) {
  const Use g = r.build.finished(r.g);
  const Use s = m.solved(of_transposed(op), m.transposed(r.operand(0)), g);
  r.give(1, s);
  if (!r.wants(0)) return;
  const Use all = r.build.negate(m.product(s, m.transposed(r.result())));
  r.give(0, op == MatrixOp::solve ? all : m.triangle(r.build.finished(all), op == MatrixOp::solve_lower));
}

// l l' = a: with p the lower triangle of l' g, its diagonal halved, s = l'^-1 p l^-1; a, which is symmetric, is given
// the mean of s and s'.
void reverse_cholesky(const Reversal& r, const Matrices& m) {
  const Use l = r.result();
  const Use g = m.triangle(r.build.finished(r.g), true);
  const Use turned = m.transposed(l);
  const Use lower = m.triangle(r.build.finished(m.product(turned, g)), true);
  const Use p = r.build.select(m.is(MapOp::equal, lower), m.half(lower), lower);
  const Use left = m.solved(MatrixOp::solve_upper, turned, p);
  const Use s = m.solved(MatrixOp::solve_upper, turned, m.transposed(left));  // s' as a matrix
  r.give(0, m.half(r.build.add(s, m.transposed(s))));
}

// The determinant times the inverse, transposed.
void reverse_determinant(const Reversal& r, const Matrices& m) {
  const Use a = r.operand(0);
  const Use inverse = m.solved(MatrixOp::solve, m.transposed(a), m.identity(a));
  const Use scale = r.build.multiply(r.build.finished(r.g), r.result());
  const std::size_t rank = m.type(a).rank();
  r.give(0, r.build.multiply(r.build.with_unit_dimensions(scale, {rank - 2, rank - 1}), inverse));
}

}  // namespace

void reverse_matrix(const Reversal& r, MatrixOp op) {
  const Matrices m{r.build};
  switch (op) {
    case MatrixOp::solve:
    case MatrixOp::solve_lower:
    case MatrixOp::solve_upper: return reverse_solve(r, m, op);
    case MatrixOp::cholesky: return reverse_cholesky(r, m);
    case MatrixOp::determinant: return reverse_determinant(r, m);
    case MatrixOp::factor_qr:
    case MatrixOp::eigen:
    case MatrixOp::singular: return;  // end every way (activity.cpp)
  }
}

}  // namespace tessera::typeck::gradient
