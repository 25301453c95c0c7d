#include "synth/layout/place/matrix.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "synth/layout/mesh.hpp"

namespace tessera::synth {

namespace {

using Numbers = std::vector<std::int64_t>;

// The product; nothing if a number is not positive or the product is above what a mesh may have.
std::optional<std::int64_t> product_of(const Numbers& numbers) {
  std::int64_t product = 1;
  for (const std::int64_t number : numbers) {
    if (number < 1 || number > kDevicesMax / product) return std::nullopt;
    product *= number;
  }
  return product;
}

std::int64_t sum_up_to_max(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return a > kMax - b ? kMax : a + b;
}

std::int64_t product_up_to_max(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return b != 0 && a > kMax / b ? kMax : a * b;
}

// Counts the tables of integers from 0 on with these row and column sums, column by column.
class Tables {
 public:
  explicit Tables(Numbers columns) : columns_(std::move(columns)) {}

  std::int64_t count(Numbers& rows, std::size_t column) {
    if (column == columns_.size()) return std::all_of(rows.begin(), rows.end(), [](auto r) { return r == 0; }) ? 1 : 0;
    const auto key = std::make_pair(column, rows);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const std::int64_t found = fill(rows, column, 0, columns_[column]);
    known_.emplace(key, found);
    return found;
  }

 private:
  // Deals what is left of a column's sum to the rows from `row` on.
  std::int64_t fill(Numbers& rows, std::size_t column, std::size_t row, std::int64_t left) {
    if (row == rows.size()) return left == 0 ? count(rows, column + 1) : 0;
    std::int64_t total = 0;
    for (std::int64_t take = 0; take <= std::min(left, rows[row]); ++take) {
      rows[row] -= take;
      total = sum_up_to_max(total, fill(rows, column, row + 1, left - take));
      rows[row] += take;
    }
    return total;
  }

  Numbers columns_;
  std::map<std::pair<std::size_t, Numbers>, std::int64_t> known_;
};

std::int64_t exponent(std::int64_t number, std::int64_t prime) {
  std::int64_t times = 0;
  for (; number % prime == 0; number /= prime) ++times;
  return times;
}

Numbers exponents(const Numbers& numbers, std::int64_t prime) {
  Numbers all;
  for (const std::int64_t number : numbers) all.push_back(exponent(number, prime));
  return all;
}

class Enumeration {
 public:
  Enumeration(const PlaceProblem& problem, const std::function<bool(const PlaceMatrix&)>& visit)
      : counts_(problem.counts), left_(problem.sizes), visit_(visit) {
    matrix_.rows.assign(left_.size(), Numbers(counts_.size(), 1));
  }

  // False once the visitor has had enough.
  bool column(std::size_t j) {
    if (j == counts_.size()) return visit_(matrix_);
    return row(j, 0, counts_[j]);
  }

 private:
  bool row(std::size_t j, std::size_t i, std::int64_t rest) {
    if (i == left_.size()) return rest != 1 || column(j + 1);
    for (std::int64_t factor = 1; factor <= std::min(rest, left_[i]); ++factor) {
      if (rest % factor != 0 || left_[i] % factor != 0) continue;
      matrix_.rows[i][j] = factor;
      left_[i] /= factor;
      const bool goes_on = row(j, i + 1, rest / factor);
      left_[i] *= factor;
      if (!goes_on) return false;
    }
    return true;
  }

  Numbers counts_;
  Numbers left_;  // of every axis, what its later factors multiply to
  const std::function<bool(const PlaceMatrix&)>& visit_;
  PlaceMatrix matrix_;
};

bool fits(const PlaceProblem& problem) {
  const auto devices = product_of(problem.sizes);
  return devices && devices == product_of(problem.counts);
}

}  // namespace

bool is_placement(const PlaceProblem& problem, const PlaceMatrix& matrix) {
  if (matrix.rows.size() != problem.sizes.size()) return false;
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    if (matrix.rows[i].size() != problem.counts.size() || product_of(matrix.rows[i]) != problem.sizes[i]) return false;
  }
  return fits(problem) && (matrix.rows.empty() || counts_of(matrix) == problem.counts);
}

std::int64_t placements_count(const PlaceProblem& problem) {
  if (!fits(problem)) return 0;
  std::int64_t left = *product_of(problem.sizes);
  std::int64_t total = 1;
  for (std::int64_t prime = 2; left > 1; ++prime) {
    if (left % prime != 0) continue;
    while (left % prime == 0) left /= prime;
    Numbers rows = exponents(problem.sizes, prime);
    total = product_up_to_max(total, Tables(exponents(problem.counts, prime)).count(rows, 0));
  }
  return total;
}

void for_each_placement(const PlaceProblem& problem, const std::function<bool(const PlaceMatrix&)>& visit) {
  if (fits(problem)) Enumeration(problem, visit).column(0);
}

std::optional<PlaceMatrix> row_major_placement(const PlaceProblem& problem) {
  if (!fits(problem)) return std::nullopt;
  PlaceMatrix matrix;
  matrix.rows.assign(problem.sizes.size(), Numbers(problem.counts.size(), 1));
  Numbers left = problem.sizes;
  std::size_t i = 0;  // the outermost axis of which something is left
  for (std::size_t j = 0; j < problem.counts.size(); ++j) {
    for (std::int64_t rest = problem.counts[j]; rest > 1;) {
      while (left[i] == 1) ++i;
      const std::int64_t factor = std::gcd(rest, left[i]);
      if (factor != rest && factor != left[i]) return std::nullopt;
      matrix.rows[i][j] *= factor;
      left[i] /= factor;
      rest /= factor;
    }
  }
  return matrix;
}

}  // namespace tessera::synth
