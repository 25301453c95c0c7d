#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/matrix_double.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

double inner_product(const double* a, const double* b, std::int64_t n) {
  constexpr std::int64_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      sums[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
  }
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])) + rest;
}

void subtract_multiple(double* a, double factor, const double* b, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) a[i] -= factor * b[i];
}

double reflection(double* vector, std::int64_t n) {
  const double first = vector[0];
  const double rest = std::sqrt(inner_product(vector + 1, vector + 1, n - 1));
  if (rest == 0) return 0;
  const double made = -std::copysign(std::hypot(first, rest), first);
  for (std::int64_t i = 1; i < n; ++i) vector[i] /= first - made;
  vector[0] = made;
  return (made - first) / made;
}

namespace {

// The reflection of a row; v begins with a 1 that is not stored.
void reflect(double* row, const double* v, double weight, std::int64_t n) {
  const double factor = weight * (row[0] + inner_product(row + 1, v + 1, n - 1));
  row[0] -= factor;
  subtract_multiple(row + 1, factor, v + 1, n - 1);
}

std::int64_t grain_of(std::int64_t length) {
  return std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, length));
}

}  // namespace

void triangular_by_reflections(Rows<double> a, std::int64_t n, std::int64_t m, double* weights) {
  for (std::int64_t k = 0; k < std::min(n, m) && !is_given_up(); ++k) {
    const double* const v = a[k] + k;
    weights[k] = reflection(a[k] + k, m - k);
    parallel_ranges(n - k - 1, grain_of(m - k), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = k + 1 + begin; j < k + 1 + end; ++j) reflect(a[j] + k, v, weights[k], m - k);
    });
  }
}

void product_of_reflections(Rows<const double> a, std::int64_t k, std::int64_t m, const double* weights,
                            Rows<double> q) {
  for (std::int64_t i = 0; i < k && !is_given_up(); ++i) {
    std::fill_n(q[i], m, 0.0);
    q[i][i] = 1;
  }
  for (std::int64_t step = k; step-- > 0 && !is_given_up();) {
    parallel_ranges(k - step, grain_of(m - step), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = step + begin; i < step + end; ++i)
        reflect(q[i] + step, a[step] + step, weights[step], m - step);
    });
  }
}

}  // namespace tessera::runtime
