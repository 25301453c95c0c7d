// Systems of equations and factors of matrices. Diagonals are larger than all that stands beside them, so that answers
// are as exact as what they are made of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

constexpr std::int64_t kRowsMax = 8;

// Elements in [-1, 1].
ExpressionRef bounded(Maker& maker, Element element, const Shape& shape, int depth) {
  const ExpressionRef a = maker.make({element, shape, false}, depth);
  return a->facts.magnitude > 1 || !a->facts.finite ? clipped(a, 1) : a;
}

bool may_be_matrix(const Want& want) {
  return is_float(want.element) && !want.certain && want.shape.size() >= 2 && count(want.shape) > 0;
}

// a + (n + 4) on the diagonal; the inverse has rows whose elements add up to a quarter at most.
std::string heavy(std::string_view a, std::int64_t n, std::string_view element, bool numpy) {
  return numpy ? fmt::format("({0} + {1} * np.eye({2}, dtype={3}))", a, n + 4, n, element)
               : fmt::format("({0} + {1}.0 * eye({2}[{3}, {3}]))", a, n + 4, element, n);
}

// Each matrix is worked on alone and in one order, so that bits are the same on every mesh, and other ones than
// NumPy's.
Facts of_matrices(Element element, Shape shape, const std::vector<Facts>& operands) {
  Facts facts = derived(element, std::move(shape), operands);
  facts.portable = false;
  return facts;
}

// The same where products or sums follow.
Facts put_together(Element element, Shape shape, const std::vector<Facts>& operands) {
  Facts facts = of_matrices(element, std::move(shape), operands);
  facts.same_bits = false;
  return facts;
}

// Facts of the answer to a system with such a matrix and a right side like b.
Facts of_answer(const Facts& result, const Facts& a, double right, double right_error, std::int64_t n) {
  const auto rows = static_cast<double>(n);
  const double magnitude = std::max(right / 3, 1e-3);
  const double residual =
      right_error + rows * a.error * magnitude + 4 * rows * (2 * rows + 5) * unit(result.element) * magnitude;
  return settled(result, magnitude, residual);
}

ExpressionRef system(Maker& maker, const Want& want, int depth) {
  if (!may_be_matrix(want)) return nullptr;
  const std::int64_t n = want.shape[want.shape.size() - 2];
  if (n > kRowsMax) return nullptr;
  Shape square = want.shape;
  square.back() = n;
  const ExpressionRef a = bounded(maker, want.element, square, depth);
  const ExpressionRef b = maker.make({want.element, want.shape, false}, depth);
  if (!b->facts.finite) return nullptr;
  const std::string batch = std::string("abcdef").substr(0, want.shape.size() - 2);
  const auto all = agreeing(maker, {a, b}, {batch + "ij", batch + "jk"});
  const Facts base = of_matrices(want.element, want.shape, {all[0]->facts, all[1]->facts});
  const Facts facts = of_answer(base, a->facts, b->facts.magnitude, b->facts.error, n);
  const std::string own = heavy("$0", n, name(want.element), false);
  const std::string theirs = heavy("$0", n, numpy_name(want.element), true);
  switch (maker.random.between(0, 3)) {
    case 0:
      return node(facts, fmt::format("solve_triangular({}, $1)", own),
                  fmt::format("np.linalg.solve(np.triu({}), $1)", theirs), all);
    case 1:
      return node(facts, fmt::format("solve_triangular({}, $1, lower=true)", own),
                  fmt::format("np.linalg.solve(np.tril({}), $1)", theirs), all);
    case 2: return node(facts, fmt::format("lstsq({}, $1)", own), fmt::format("np.linalg.solve({}, $1)", theirs), all);
    default: return node(facts, fmt::format("solve({}, $1)", own), fmt::format("np.linalg.solve({}, $1)", theirs), all);
  }
}

ExpressionRef inverse(Maker& maker, const Want& want, int depth) {
  if (!may_be_matrix(want)) return nullptr;
  const std::int64_t n = want.shape.back();
  if (n != want.shape[want.shape.size() - 2] || n > kRowsMax) return nullptr;
  const ExpressionRef a = bounded(maker, want.element, want.shape, depth);
  const Facts facts = of_answer(of_matrices(want.element, want.shape, {a->facts}), a->facts, 1, 0, n);
  return node(facts, fmt::format("inv({})", heavy("$0", n, name(want.element), false)),
              fmt::format("np.linalg.inv({})", heavy("$0", n, numpy_name(want.element), true)), {a});
}

ExpressionRef determinant(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.size() > 2 || count(want.shape) == 0) return nullptr;
  const std::int64_t n = maker.random.between(1, 3);
  Shape from = want.shape;
  from.insert(from.end(), {n, n});
  if (count(from) > kElementsMax) return nullptr;
  const ExpressionRef a = bounded(maker, want.element, from, depth);
  const auto rows = static_cast<double>(n);
  const double magnitude = std::pow(2 * rows + 4, rows);
  const double error = magnitude * rows * (a->facts.error + 8 * unit(want.element) * rows);
  const Facts facts = settled(of_matrices(want.element, want.shape, {a->facts}), magnitude, error);
  return node(facts, fmt::format("det({})", heavy("$0", n, name(want.element), false)),
              fmt::format("np.linalg.det({})", heavy("$0", n, numpy_name(want.element), true)), {a});
}

// Of a matrix that is made symmetric: twice the diagonal of one above is larger than what stands beside it.
ExpressionRef root(Maker& maker, const Want& want, int depth) {
  if (!may_be_matrix(want) || want.shape.size() != 2) return nullptr;
  const std::int64_t n = want.shape[0];
  if (n != want.shape[1] || n > kRowsMax) return nullptr;
  const ExpressionRef a = bounded(maker, want.element, want.shape, depth);
  const auto rows = static_cast<double>(n);
  const double magnitude = std::sqrt(4 * rows + 10);
  const double error = 4 * rows * (2 * a->facts.error + (rows + 4) * 20 * unit(want.element));
  const Facts facts = settled(of_matrices(want.element, want.shape, {a->facts}), magnitude, error);
  const auto text = [&](bool numpy) {
    const std::string own = heavy("$0", n, numpy ? numpy_name(want.element) : name(want.element), numpy);
    return numpy ? fmt::format("np.linalg.cholesky((lambda m: m + m.T)({}))", own)
                 : fmt::format("{{ let m_ = {} as [{}, {}]; cholesky(m_ + transpose(m_)) }}", own, n, n);
  };
  return node(facts, text(false), text(true), {a});
}

// A matrix taken apart and put together again: the signs of columns may be others than NumPy's, their product is not.
ExpressionRef factored(Maker& maker, const Want& want, int depth) {
  if (!may_be_matrix(want) || want.shape.size() != 2) return nullptr;
  const auto longer = static_cast<double>(std::max(want.shape[0], want.shape[1]));
  if (longer > 2 * kRowsMax) return nullptr;
  const ExpressionRef a = bounded(maker, want.element, want.shape, depth);
  const double error = 2 * a->facts.error + 32 * longer * longer * unit(want.element);
  const Facts facts = settled(put_together(want.element, want.shape, {a->facts}), 1 + error, error);
  const char* text = maker.random.between(0, 1) == 0 ? "{ let (q_, r_) = qr($0); q_ @ r_ }"
                                                     : "{ let (u_, s_, vt_) = svd($0); (u_ * s_) @ vt_ }";
  return node(facts, text, "($0)", {a});
}

// The trace of a symmetric matrix: the sum of its eigenvalues, and that of the squares of its root.
ExpressionRef trace(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || !want.shape.empty()) return nullptr;
  const std::int64_t n = maker.random.between(1, 4);
  const ExpressionRef a = bounded(maker, want.element, {n, n}, depth);
  const auto rows = static_cast<double>(n);
  const double magnitude = 2 * rows * (rows + 5);
  const double error = 2 * rows * a->facts.error + 32 * rows * magnitude * unit(want.element);
  const Facts facts = settled(put_together(want.element, want.shape, {a->facts}), magnitude, error);
  const std::string own = fmt::format("let m_ = {} as [{}, {}]", heavy("$0", n, name(want.element), false), n, n);
  const char* rest = maker.random.between(0, 1) == 0
                         ? "let (w_, v_) = eigh(m_ + transpose(m_)); sum(w_, dim=0)"
                         : "let c_ = cholesky(m_ + transpose(m_)); sum(c_ * c_, dim=[0, 1])";
  return node(facts, fmt::format("{{ {}; {} }}", own, rest),
              fmt::format("np.trace((lambda m: m + m.T)({}))", heavy("$0", n, numpy_name(want.element), true)), {a});
}

}  // namespace

std::vector<Production> matrix_productions() {
  return {{"system", 3, system}, {"inverse", 2, inverse},   {"determinant", 2, determinant},
          {"root", 2, root},     {"factored", 2, factored}, {"trace", 2, trace}};
}

}  // namespace tessera::generator
