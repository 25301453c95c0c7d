#include "runtime/kernels/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/matrix_double.hpp"
#include "runtime/kernels/matrix_factors.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

using synth::MatrixOp;
using synth::Shape;

// One matrix of a tile.
template <class T>
struct MatrixView {
  const T* data;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;

  const T& at(std::int64_t i, std::int64_t j) const { return data[i * row_stride + j * column_stride]; }
  MatrixView turned() const { return {data, columns, rows, column_stride, row_stride}; }
};

template <class T>
MatrixView<T> matrix_of(const TileView& tile, std::int64_t number) {
  const std::size_t batch = tile.shape.size() - 2;
  const T* data = typed<T>(tile);
  for (std::size_t d = batch; d-- > 0; number /= tile.shape[d]) data += number % tile.shape[d] * tile.strides[d];
  return {data, tile.shape[batch], tile.shape[batch + 1], tile.strides[batch], tile.strides[batch + 1]};
}

template <class T, class U>
void copy_matrix(const MatrixView<T>& from, Rows<U> to) {
  for (std::int64_t i = 0; i < from.rows && !is_given_up(); ++i) {
    for (std::int64_t j = 0; j < from.columns; ++j) to[i][j] = static_cast<U>(from.at(i, j));
  }
}

std::int64_t number_of_matrices(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end() - 2, std::int64_t{1}, std::multiplies<>());
}

// The numbers that one matrix needs room for.
double numbers_of(MatrixOp op, double rows, double columns) {
  const double less = std::min(rows, columns);
  const double more = std::max(rows, columns);
  switch (op) {
    case MatrixOp::cholesky: return 0;
    case MatrixOp::solve:
    case MatrixOp::solve_lower:
    case MatrixOp::solve_upper:
    case MatrixOp::determinant: return rows * columns;
    case MatrixOp::factor_qr: return rows * columns + rows * less + less;
    case MatrixOp::eigen: return 2 * rows * rows + 4 * rows;
    case MatrixOp::singular: return 2 * less * more + less * less + 2 * less;
  }
  return 0;
}

// The same in bytes, in whole cache lines; of more than there ever is the most that can be said.
std::int64_t room_of(MatrixOp op, synth::ElementType element, std::int64_t rows, std::int64_t columns) {
  constexpr double kLine = 64;
  constexpr double kMost = 0x1p60;
  const bool is_wide = op == MatrixOp::factor_qr || op == MatrixOp::eigen || op == MatrixOp::singular;
  const auto bytes = static_cast<double>(is_wide ? 8 : synth::bytes_of(element));
  const double all = numbers_of(op, static_cast<double>(rows), static_cast<double>(columns)) * bytes;
  return static_cast<std::int64_t>(std::min(kMost, std::ceil(all / kLine) * kLine));
}

// Of how many matrices are worked on at the same time.
std::int64_t matrices_at_once(std::int64_t count, std::int64_t room) {
  constexpr std::int64_t kBytes = std::int64_t{4} << 20U;
  constexpr std::int64_t kMost = 64;
  return std::min({count, kMost, std::max<std::int64_t>(1, kBytes / std::max<std::int64_t>(1, room))});
}

// ---- Systems of equations

// Puts some columns of a right side beside each other, and zeros behind them; f solves with them.
template <class T, class F>
void solve_columns(const MatrixView<T>& right, Rows<T> out, const F& f) {
  parallel_each((right.columns + kRightColumns - 1) / kRightColumns, [&](std::int64_t number) {
    const std::int64_t first = number * kRightColumns;
    const std::int64_t count = std::min(kRightColumns, right.columns - first);
    std::vector<T> room(static_cast<std::size_t>(right.rows * kRightColumns));
    const Rows<T> x{room.data(), kRightColumns};
    copy_matrix(MatrixView<T>{&right.at(0, first), right.rows, count, right.row_stride, right.column_stride}, x);
    f(x);
    if (is_given_up()) return;
    for (std::int64_t i = 0; i < right.rows; ++i) std::copy_n(x[i], count, out[i] + first);
  });
}

template <class T>
std::optional<std::int64_t> first_zero(Rows<const T> a, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (a[i][i] == 0) return i;
  }
  return std::nullopt;
}

template <class T>
std::optional<std::int64_t> solve(const MatrixView<T>& a, const MatrixView<T>& right, Rows<T> out, T* room) {
  const std::int64_t n = a.rows;
  const Rows<T> both{room, n};
  copy_matrix(a, both);
  std::vector<std::int64_t> exchanged;
  if (const auto bad = eliminate(both, n, exchanged)) return bad;
  if (is_given_up()) return std::nullopt;
  const Rows<const T> factors{room, n};
  solve_columns(right, out, [&](Rows<T> x) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t other = exchanged[static_cast<std::size_t>(j)];
      if (other != j) std::swap_ranges(x[j], x[j] + kRightColumns, x[other]);
    }
    solve_lower<T>(factors, n, Diagonal::ones, x, kRightColumns);
    solve_upper<T>(factors, n, x, kRightColumns);
  });
  return std::nullopt;
}

template <class T>
std::optional<std::int64_t> solve_triangle(bool lower, const MatrixView<T>& a, const MatrixView<T>& right, Rows<T> out,
                                           T* room) {
  const std::int64_t n = a.rows;
  copy_matrix(a, Rows<T>{room, n});
  const Rows<const T> triangle{room, n};
  if (const auto bad = first_zero(triangle, n)) return bad;
  solve_columns(right, out, [&](Rows<T> x) {
    if (lower)
      solve_lower<T>(triangle, n, Diagonal::stored, x, kRightColumns);
    else
      solve_upper<T>(triangle, n, x, kRightColumns);
  });
  return std::nullopt;
}

template <class T>
std::optional<std::int64_t> factor_cholesky(const MatrixView<T>& a, Rows<T> out) {
  copy_matrix(a, out);
  const auto bad = cholesky(out, a.rows);
  for (std::int64_t i = 0; i < a.rows && !is_given_up(); ++i) std::fill(out[i] + i + 1, out[i] + a.rows, T{0});
  return bad;
}

template <class T>
T determinant(const MatrixView<T>& a, T* room) {
  const std::int64_t n = a.rows;
  const Rows<T> both{room, n};
  copy_matrix(a, both);
  std::vector<std::int64_t> exchanged;
  if (eliminate(both, n, exchanged) || is_given_up()) return T{0};
  T product{1};
  for (std::int64_t j = 0; j < n; ++j)
    product *= exchanged[static_cast<std::size_t>(j)] == j ? both[j][j] : -both[j][j];
  return product;
}

// ---- Decompositions, in f64

// A power of two that brings the largest element to about 1, so that no square is too large or too small. 1 of zeros;
// NaN of what is not finite.
double scale_of(Rows<const double> a, std::int64_t rows, std::int64_t columns) {
  double most = 0;
  for (std::int64_t i = 0; i < rows && !is_given_up(); ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (!std::isfinite(a[i][j])) return std::numeric_limits<double>::quiet_NaN();
      most = std::max(most, std::abs(a[i][j]));
    }
  }
  return most == 0 ? 1 : std::ldexp(1.0, std::clamp(-std::ilogb(most), -1000, 1000));
}

void multiply(Rows<double> a, std::int64_t rows, std::int64_t columns, double by) {
  for (std::int64_t i = 0; i < rows && !is_given_up(); ++i) {
    for (std::int64_t j = 0; j < columns; ++j) a[i][j] *= by;
  }
}

template <class T>
void fill_with_nan(Rows<T> out, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows && !is_given_up(); ++i)
    std::fill_n(out[i], columns, std::numeric_limits<T>::quiet_NaN());
}

template <class T>
void factor_qr(const MatrixView<T>& a, Rows<T> out, double* room) {
  const std::int64_t k = std::min(a.rows, a.columns);
  const Rows<double> columns{room, a.rows};
  const Rows<double> q{room + a.rows * a.columns, a.rows};
  double* const weights = q[k];
  copy_matrix(a.turned(), columns);
  double scale = scale_of({columns.data, columns.stride}, a.columns, a.rows);
  if (std::isnan(scale)) return fill_with_nan(out, a.rows + a.columns, k);
  multiply(columns, a.columns, a.rows, scale);
  triangular_by_reflections(columns, a.columns, a.rows, weights);
  product_of_reflections({columns.data, columns.stride}, k, a.rows, weights, q);
  for (std::int64_t i = 0; i < a.rows && !is_given_up(); ++i) {
    for (std::int64_t j = 0; j < k; ++j) out[i][j] = static_cast<T>(q[j][i]);
  }
  for (std::int64_t i = 0; i < a.columns && !is_given_up(); ++i) {
    for (std::int64_t j = 0; j < k; ++j) out[a.rows + i][j] = static_cast<T>(j <= i ? columns[i][j] / scale : 0);
  }
}

// The numbers of the largest (smallest) first; of equal ones the first first.
std::vector<std::int64_t> in_order(const double* values, std::int64_t n, bool ascending) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](std::int64_t a, std::int64_t b) { return ascending ? values[a] < values[b] : values[a] > values[b]; });
  return order;
}

template <class T>
void eigen(const MatrixView<T>& a, Rows<T> out, double* room) {
  const std::int64_t n = a.rows;
  const Rows<double> symmetric{room, n};
  const Rows<double> vectors{room + n * n, n};
  double* const values = vectors[n];
  for (std::int64_t i = 0; i < n && !is_given_up(); ++i) {
    for (std::int64_t j = 0; j < n; ++j) symmetric[i][j] = static_cast<double>(j <= i ? a.at(i, j) : a.at(j, i));
  }
  const double scale = scale_of({symmetric.data, n}, n, n);
  if (!std::isnan(scale)) multiply(symmetric, n, n, scale);
  if (std::isnan(scale) || !eigenvectors(symmetric, n, values, vectors, values + n))
    return fill_with_nan(out, n + 1, n);
  const auto order = in_order(values, n, true);
  for (std::int64_t j = 0; j < n && !is_given_up(); ++j) {
    const std::int64_t own = order[static_cast<std::size_t>(j)];
    out[0][j] = static_cast<T>(values[own] / scale);
    for (std::int64_t i = 0; i < n; ++i) out[1 + i][j] = static_cast<T>(vectors[own][i]);
  }
}

// A decomposition of rows that are at right angles to each other, the longest first: in `units` their directions, of
// rows of zeros any that are at right angles to all others.
void find_directions(Rows<double> rows, Rows<double> units, const std::vector<std::int64_t>& order, double* lengths,
                     double* weights, std::int64_t q) {
  const auto p = static_cast<std::int64_t>(order.size());
  std::int64_t found = 0;
  for (; found < p && lengths[order[static_cast<std::size_t>(found)]] > 0; ++found) {
    const std::int64_t own = order[static_cast<std::size_t>(found)];
    for (std::int64_t i = 0; i < q; ++i) units[found][i] = rows[own][i] / lengths[own];
  }
  if (found == p) return;
  for (std::int64_t i = 0; i < p; ++i) std::copy_n(units[i], i < found ? q : 0, rows[i]);
  for (std::int64_t i = found; i < p; ++i) std::fill_n(rows[i], q, 0.0);
  triangular_by_reflections(rows, p, q, weights);
  product_of_reflections({rows.data, rows.stride}, p, q, weights, units);
  // The first rows come back, but for their signs.
  for (std::int64_t i = 0; i < found; ++i) {
    if (rows[i][i] < 0) std::transform(units[i], units[i] + q, units[i], std::negate<>());
  }
}

template <class T>
void singular(const MatrixView<T>& a, Rows<T> out, double* room) {
  const bool is_wide = a.rows < a.columns;
  const MatrixView<T> rows_of = is_wide ? a : a.turned();
  const std::int64_t p = rows_of.rows;
  const std::int64_t q = rows_of.columns;
  const Rows<double> rows{room, q};
  const Rows<double> units{room + p * q, q};
  const Rows<double> turns{room + 2 * p * q, p};
  double* const lengths = turns[p];
  copy_matrix(rows_of, rows);
  const double scale = scale_of({rows.data, q}, p, q);
  if (!std::isnan(scale)) multiply(rows, p, q, scale);
  if (std::isnan(scale) || !make_orthogonal(rows, p, q, turns, lengths))
    return fill_with_nan(out, a.rows + 1 + a.columns, p);
  for (std::int64_t i = 0; i < p; ++i) lengths[i] = std::sqrt(inner_product(rows[i], rows[i], q));
  const auto order = in_order(lengths, p, false);
  if (is_given_up()) return;
  find_directions(rows, units, order, lengths, lengths + p, q);
  const Rows<T> u = is_wide ? out.from(a.rows + 1, 0) : out;  // of q rows; the other side has those of the turns
  const Rows<T> v = is_wide ? out : out.from(a.rows + 1, 0);
  for (std::int64_t j = 0; j < p && !is_given_up(); ++j) {
    const std::int64_t own = order[static_cast<std::size_t>(j)];
    out[a.rows][j] = static_cast<T>(lengths[own] / scale);
    for (std::int64_t i = 0; i < q; ++i) u[i][j] = static_cast<T>(units[j][i]);
    for (std::int64_t i = 0; i < p; ++i) v[i][j] = static_cast<T>(turns[own][i]);
  }
}

// ---- All matrices of a tile

template <class T>
std::optional<std::int64_t> of_one(MatrixOp op, std::span<const TileView> operands, std::int64_t number, Rows<T> out,
                                   std::byte* room) {
  const MatrixView<T> a = matrix_of<T>(operands[0], number);
  T* const own = reinterpret_cast<T*>(room);
  double* const wide = reinterpret_cast<double*>(room);
  switch (op) {
    case MatrixOp::cholesky: return factor_cholesky(a, out);
    case MatrixOp::solve: return solve(a, matrix_of<T>(operands[1], number), out, own);
    case MatrixOp::solve_lower:
    case MatrixOp::solve_upper:
      return solve_triangle(op == MatrixOp::solve_lower, a, matrix_of<T>(operands[1], number), out, own);
    case MatrixOp::determinant: *out.data = determinant(a, own); return std::nullopt;
    case MatrixOp::factor_qr: factor_qr(a, out, wide); return std::nullopt;
    case MatrixOp::eigen: eigen(a, out, wide); return std::nullopt;
    case MatrixOp::singular: singular(a, out, wide); return std::nullopt;
  }
  return std::nullopt;
}

// Each of several places works on every so-many-th matrix, until one is bad: the first of all is among those.
template <class T>
std::optional<BadMatrix> of_all(MatrixOp op, std::span<const TileView> operands, const TileOut& out,
                                std::byte* scratch) {
  const Shape& shape = operands[0].shape;
  const std::int64_t count = number_of_matrices(shape);
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t room = room_of(op, out.element, rows, shape.back());
  const std::int64_t places = matrices_at_once(count, room);
  const std::int64_t each = runtime::count(out.shape) / count;
  const std::int64_t stride = op == MatrixOp::determinant ? 1 : out.shape.back();
  std::vector<std::optional<BadMatrix>> bad(static_cast<std::size_t>(places));
  const bool is_little = count * rows * shape.back() < kGrain / 8;
  parallel_ranges(places, is_little ? places : 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      for (std::int64_t number = place; number < count && !is_given_up(); number += places) {
        const auto column =
            of_one<T>(op, operands, number, {typed<T>(out) + number * each, stride}, scratch + place * room);
        if (!column) continue;
        bad[static_cast<std::size_t>(place)] = BadMatrix{number, *column};
        break;
      }
    }
  });
  std::optional<BadMatrix> first;
  for (const auto& own : bad) {
    if (own && (!first || own->number < first->number)) first = own;
  }
  return first;
}

}  // namespace

std::int64_t matrix_scratch_bytes(MatrixOp op, synth::ElementType element, const Shape& matrices) {
  if (is_empty(matrices)) return 0;
  const std::int64_t room = room_of(op, element, matrices[matrices.size() - 2], matrices.back());
  return matrices_at_once(number_of_matrices(matrices), room) * room;
}

std::optional<BadMatrix> of_matrices(MatrixOp op, std::span<const TileView> operands, const TileOut& out,
                                     std::byte* scratch) {
  if (is_empty(out.shape)) return std::nullopt;
  return out.element == synth::ElementType::f32 ? of_all<float>(op, operands, out, scratch)
                                                : of_all<double>(op, operands, out, scratch);
}

}  // namespace tessera::runtime
