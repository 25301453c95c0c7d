#include "runtime/kernels/matrix_factors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

// So few columns are eliminated one by one; more by halves.
constexpr std::int64_t kFewColumns = 16;

// Half of so many, in whole blocks of few.
std::int64_t half_of(std::int64_t n) { return (n / 2 + kFewColumns - 1) / kFewColumns * kFewColumns; }

struct Extents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t terms = 0;
};

// The other factor of a product, by rows or by columns.
template <class T>
struct Right {
  const T* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;

  const T& at(std::int64_t row, std::int64_t column) const { return data[row * row_stride + column * column_stride]; }
};

template <class T>
void subtract_few(const Extents& extents, Rows<const T> left, const Right<T>& right, Rows<T> out) {
  for (std::int64_t i = 0; i < extents.rows; ++i) {
    T* const to = out[i];
    for (std::int64_t k = 0; k < extents.terms; ++k) {
      const T factor = left[i][k];
      const T* const from = &right.at(k, 0);
      if (right.column_stride == 1)
        for (std::int64_t j = 0; j < extents.columns; ++j) to[j] -= factor * from[j];
      else
        for (std::int64_t j = 0; j < extents.columns; ++j) to[j] -= factor * from[j * right.column_stride];
    }
  }
}

// A block of the result: the library adds, so that what is taken away is first copied with its sign changed.
template <class T>
void subtract_block(const Extents& extents, Rows<const T> left, const Right<T>& right, Rows<T> out) {
  constexpr std::int64_t kTerms = 256;
  const auto room = static_cast<std::size_t>(std::min(kTerms, extents.terms) * extents.columns);
  const auto negative = std::make_unique_for_overwrite<T[]>(room);
  for (std::int64_t k = 0; k < extents.terms && !is_given_up(); k += kTerms) {
    const std::int64_t terms = std::min(kTerms, extents.terms - k);
    for (std::int64_t i = 0; i < terms; ++i) {
      for (std::int64_t j = 0; j < extents.columns; ++j)
        negative[static_cast<std::size_t>(i * extents.columns + j)] = -right.at(k + i, j);
    }
    blas_multiply<T>({extents.rows, extents.columns, terms}, {left[0] + k, left.stride, 1},
                     {negative.get(), extents.columns, 1}, true, out[0], out.stride);
  }
}

// out -= left * right, in blocks that depend on the extents alone.
template <class T>
void subtract_product(const Extents& extents, Rows<const T> left, const Right<T>& right, Rows<T> out) {
  constexpr double kWork = 32 * 32 * 32;
  constexpr std::int64_t kBlock = 256;
  const auto rows = static_cast<double>(extents.rows);
  if (extents.rows == 0 || extents.columns == 0 || extents.terms == 0 || is_given_up()) return;
  if (rows * static_cast<double>(extents.columns) * static_cast<double>(extents.terms) < kWork)
    return subtract_few(extents, left, right, out);
  const std::int64_t across = (extents.columns + kBlock - 1) / kBlock;
  const std::int64_t down = (extents.rows + kBlock - 1) / kBlock;
  parallel_each(across * down, [&](std::int64_t number) {
    const std::int64_t i = number / across * kBlock;
    const std::int64_t j = number % across * kBlock;
    const Extents own{std::min(kBlock, extents.rows - i), std::min(kBlock, extents.columns - j), extents.terms};
    subtract_block(own, left.from(i, 0), Right<T>{&right.at(0, j), right.row_stride, right.column_stride},
                   out.from(i, j));
  });
}

template <class T>
Rows<const T> to_read(Rows<T> a) {
  return {a.data, a.stride};
}

template <class T>
class Cholesky {
 public:
  explicit Cholesky(Rows<T> a) : a_(a) {}

  std::optional<std::int64_t> factor(std::int64_t begin, std::int64_t end) {
    if (is_given_up()) return std::nullopt;
    if (end - begin <= kFewColumns) return few(begin, end);
    const std::int64_t middle = begin + half_of(end - begin);
    if (const auto bad = factor(begin, middle)) return bad;
    solve_right(begin, middle, middle, end);
    constexpr std::int64_t kRows = 256;  // of which nothing is wanted right of the diagonal's block
    for (std::int64_t row = middle; row < end; row += kRows) {
      const std::int64_t last = std::min(row + kRows, end);
      subtract(row, last, middle, last, begin, middle);
    }
    return factor(middle, end);
  }

 private:
  // a[rows, columns] -= a[rows, terms] * a[columns, terms]'.
  void subtract(std::int64_t row, std::int64_t row_end, std::int64_t column, std::int64_t column_end, std::int64_t term,
                std::int64_t term_end) {
    subtract_product<T>({row_end - row, column_end - column, term_end - term}, to_read(a_.from(row, term)),
                        Right<T>{a_[column] + term, 1, a_.stride}, a_.from(row, column));
  }

  std::optional<std::int64_t> few(std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      T pivot = a_[j][j];
      for (std::int64_t k = begin; k < j; ++k) pivot -= a_[j][k] * a_[j][k];
      if (pivot <= 0) return j;
      a_[j][j] = std::sqrt(pivot);
      for (std::int64_t i = j + 1; i < end; ++i) take_from(i, j, begin);
    }
    return std::nullopt;
  }
  void take_from(std::int64_t i, std::int64_t j, std::int64_t begin) {
    T rest = a_[i][j];
    for (std::int64_t k = begin; k < j; ++k) rest -= a_[i][k] * a_[j][k];
    a_[i][j] = rest / a_[j][j];
  }

  // The rows below a triangle that is done: x l' = what they were.
  void solve_right(std::int64_t begin, std::int64_t end, std::int64_t row, std::int64_t row_end) {
    if (is_given_up()) return;
    if (end - begin <= kFewColumns) {
      for (std::int64_t i = row; i < row_end; ++i) {
        for (std::int64_t j = begin; j < end; ++j) take_from(i, j, begin);
      }
      return;
    }
    const std::int64_t middle = begin + half_of(end - begin);
    solve_right(begin, middle, row, row_end);
    subtract(row, row_end, middle, end, begin, middle);
    solve_right(middle, end, row, row_end);
  }

  Rows<T> a_;
};

template <class T>
class Elimination {
 public:
  Elimination(Rows<T> a, std::int64_t n, std::vector<std::int64_t>& exchanged) : a_(a), n_(n), exchanged_(exchanged) {}

  std::optional<std::int64_t> run(std::int64_t begin, std::int64_t end) {
    if (is_given_up()) return std::nullopt;
    if (end - begin <= kFewColumns) return few(begin, end);
    const std::int64_t middle = begin + half_of(end - begin);
    if (const auto bad = run(begin, middle)) return bad;
    solve_lower<T>(to_read(a_.from(begin, begin)), middle - begin, Diagonal::ones, a_.from(begin, middle),
                   end - middle);
    subtract_product<T>({n_ - middle, end - middle, middle - begin}, to_read(a_.from(middle, begin)),
                        Right<T>{a_[begin] + middle, a_.stride, 1}, a_.from(middle, middle));
    return run(middle, end);
  }

 private:
  // NaN is taken for the largest: it shows in the result.
  std::int64_t pivot_row(std::int64_t column) const {
    std::int64_t row = column;
    for (std::int64_t i = column; i < n_; ++i) {
      if (std::isnan(a_[i][column])) return i;
      if (std::abs(a_[i][column]) > std::abs(a_[row][column])) row = i;
    }
    return row;
  }
  std::optional<std::int64_t> few(std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      const std::int64_t row = pivot_row(j);
      exchanged_[static_cast<std::size_t>(j)] = row;
      if (a_[row][j] == 0) return j;
      if (row != j) std::swap_ranges(a_[j], a_[j] + n_, a_[row]);
      for (std::int64_t i = j + 1; i < n_; ++i) {
        T* const own = a_[i];
        const T factor = own[j] / a_[j][j];
        own[j] = factor;
        for (std::int64_t k = j + 1; k < end; ++k) own[k] -= factor * a_[j][k];
      }
    }
    return std::nullopt;
  }

  Rows<T> a_;
  std::int64_t n_;
  std::vector<std::int64_t>& exchanged_;
};

template <class T>
void divide_row(T* row, T by, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) row[j] /= by;
}

}  // namespace

template <BlasElement T>
std::optional<std::int64_t> cholesky(Rows<T> a, std::int64_t n) {
  return Cholesky<T>(a).factor(0, n);
}

template <BlasElement T>
std::optional<std::int64_t> eliminate(Rows<T> a, std::int64_t n, std::vector<std::int64_t>& exchanged) {
  exchanged.resize(static_cast<std::size_t>(n));
  return Elimination<T>(a, n, exchanged).run(0, n);
}

template <BlasElement T>
void solve_lower(Rows<const T> l, std::int64_t n, Diagonal diagonal, Rows<T> x, std::int64_t columns) {
  if (is_given_up()) return;
  if (n <= kFewColumns) {
    for (std::int64_t i = 0; i < n; ++i) {
      subtract_few<T>({1, columns, i}, l.from(i, 0), Right<T>{x[0], x.stride, 1}, x.from(i, 0));
      if (diagonal == Diagonal::stored) divide_row(x[i], l[i][i], columns);
    }
    return;
  }
  const std::int64_t middle = half_of(n);
  solve_lower<T>(l, middle, diagonal, x, columns);
  subtract_product<T>({n - middle, columns, middle}, l.from(middle, 0), Right<T>{x[0], x.stride, 1}, x.from(middle, 0));
  solve_lower<T>(l.from(middle, middle), n - middle, diagonal, x.from(middle, 0), columns);
}

template <BlasElement T>
void solve_upper(Rows<const T> u, std::int64_t n, Rows<T> x, std::int64_t columns) {
  if (is_given_up()) return;
  if (n <= kFewColumns) {
    for (std::int64_t i = n; i-- > 0;) {
      subtract_few<T>({1, columns, n - 1 - i}, u.from(i, i + 1), Right<T>{x[i + 1], x.stride, 1}, x.from(i, 0));
      divide_row(x[i], u[i][i], columns);
    }
    return;
  }
  const std::int64_t middle = half_of(n);
  solve_upper<T>(u.from(middle, middle), n - middle, x.from(middle, 0), columns);
  subtract_product<T>({middle, columns, n - middle}, u.from(0, middle), Right<T>{x[middle], x.stride, 1}, x);
  solve_upper<T>(u, middle, x, columns);
}

template std::optional<std::int64_t> cholesky(Rows<float>, std::int64_t);
template std::optional<std::int64_t> cholesky(Rows<double>, std::int64_t);
template std::optional<std::int64_t> eliminate(Rows<float>, std::int64_t, std::vector<std::int64_t>&);
template std::optional<std::int64_t> eliminate(Rows<double>, std::int64_t, std::vector<std::int64_t>&);
template void solve_lower(Rows<const float>, std::int64_t, Diagonal, Rows<float>, std::int64_t);
template void solve_lower(Rows<const double>, std::int64_t, Diagonal, Rows<double>, std::int64_t);
template void solve_upper(Rows<const float>, std::int64_t, Rows<float>, std::int64_t);
template void solve_upper(Rows<const double>, std::int64_t, Rows<double>, std::int64_t);

}  // namespace tessera::runtime
