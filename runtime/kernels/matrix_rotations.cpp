#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/matrix_double.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Turns two rows by one angle.
void turn(double* a, double* b, double cosine, double sine, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double first = a[i];
    a[i] = cosine * first - sine * b[i];
    b[i] = sine * first + cosine * b[i];
  }
}

std::int64_t rows_at_once(std::int64_t length) {
  return std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, length));
}

// Reflections from both sides leave the diagonal and what is beside it; they stand in the rows of `a`, and `vectors`
// has their product, transposed.
class Tridiagonal {
 public:
  Tridiagonal(Rows<double> a, std::int64_t n, double* diagonal, double* beside, double* weights, double* products)
      : a_(a), n_(n), diagonal_(diagonal), beside_(beside), weights_(weights), products_(products) {}

  void reduce() {
    for (std::int64_t k = 0; k + 2 < n_ && !is_given_up(); ++k) step(k);
    for (std::int64_t k = 0; k < n_; ++k) diagonal_[k] = a_[k][k];
    if (n_ > 1) beside_[n_ - 2] = a_[n_ - 2][n_ - 1];
    if (n_ > 0) beside_[n_ - 1] = 0;
  }

  // From the last reflection to the first: only rows and columns behind it have anything but ones on the diagonal.
  void multiply(Rows<double> vectors) const {
    for (std::int64_t i = 0; i < n_ && !is_given_up(); ++i) {
      std::fill_n(vectors[i], n_, 0.0);
      vectors[i][i] = 1;
    }
    for (std::int64_t k = n_ - 2; k-- > 0 && !is_given_up();) {
      const double* const v = a_[k] + k + 1;
      const std::int64_t length = n_ - k - 1;
      parallel_ranges(length, rows_at_once(length), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = k + 1 + begin; i < k + 1 + end; ++i) {
          double* const row = vectors[i] + k + 1;
          subtract_multiple(row, weights_[k] * inner_product(row, v, length), v, length);
        }
      });
    }
  }

 private:
  void step(std::int64_t k) {
    double* const v = a_[k] + k + 1;
    const std::int64_t length = n_ - k - 1;
    weights_[k] = reflection(v, length);
    beside_[k] = v[0];
    v[0] = 1;
    if (weights_[k] == 0) return;
    parallel_ranges(length, rows_at_once(length), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        products_[i] = weights_[k] * inner_product(a_[k + 1 + i] + k + 1, v, length);
    });
    subtract_multiple(products_, weights_[k] / 2 * inner_product(products_, v, length), v, length);
    parallel_ranges(length, rows_at_once(length), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        double* const row = a_[k + 1 + i] + k + 1;
        for (std::int64_t j = 0; j < length; ++j) row[j] -= v[i] * products_[j] + products_[i] * v[j];
      }
    });
  }

  Rows<double> a_;
  std::int64_t n_;
  double* diagonal_;
  double* beside_;
  double* weights_;
  double* products_;
};

struct Rotation {
  std::int64_t row;  // and the one behind it
  double cosine;
  double sine;
};

// Sweeps of rotations that take away what is beside the diagonal, from its end on.
class Sweeps {
 public:
  Sweeps(double* diagonal, double* beside, std::int64_t n, Rows<double> vectors)
      : diagonal_(diagonal), beside_(beside), n_(n), vectors_(vectors) {}

  bool run() {
    constexpr int kSweepsMax = 80;
    for (std::int64_t first = 0; first < n_; ++first) {
      int sweeps = 0;
      for (std::int64_t last = end_of_block(first); last != first; last = end_of_block(first)) {
        if (++sweeps > kSweepsMax || is_given_up()) return false;
        sweep(first, last);
        apply();
      }
    }
    return true;
  }

 private:
  // The last row that what is beside the diagonal joins to the first one.
  std::int64_t end_of_block(std::int64_t first) const {
    std::int64_t last = first;
    while (last + 1 < n_) {
      const double size = std::abs(diagonal_[last]) + std::abs(diagonal_[last + 1]);
      if (std::abs(beside_[last]) <= kEpsilon * size) break;
      ++last;
    }
    return last;
  }
  // The shift is the eigenvalue of the first two rows that is next to the first.
  void sweep(std::int64_t first, std::int64_t last) {
    const double half = (diagonal_[first + 1] - diagonal_[first]) / (2 * beside_[first]);
    const double root = std::copysign(std::hypot(half, 1.0), half);
    double bulge = diagonal_[last] - diagonal_[first] + beside_[first] / (half + root);
    double sine = 1;
    double cosine = 1;
    double shift = 0;
    for (std::int64_t i = last; i-- > first;) {
      const double outer = sine * beside_[i];
      const double inner = cosine * beside_[i];
      const double length = std::hypot(outer, bulge);
      beside_[i + 1] = length;
      if (length == 0) {
        diagonal_[i + 1] -= shift;
        beside_[last] = 0;
        return;
      }
      sine = outer / length;
      cosine = bulge / length;
      const double rest = diagonal_[i + 1] - shift;
      const double change = (diagonal_[i] - rest) * sine + 2 * cosine * inner;
      shift = sine * change;
      diagonal_[i + 1] = rest + shift;
      bulge = cosine * change - inner;
      rotations_.push_back({i, cosine, sine});
    }
    diagonal_[first] -= shift;
    beside_[first] = bulge;
    beside_[last] = 0;
  }
  // Some columns at a time, so that they stay in the cache from one row to the next.
  void apply() {
    constexpr std::int64_t kColumns = 256;
    parallel_each((n_ + kColumns - 1) / kColumns, [&](std::int64_t number) {
      const std::int64_t begin = number * kColumns;
      const std::int64_t count = std::min(kColumns, n_ - begin);
      for (const Rotation& own : rotations_)
        turn(vectors_[own.row] + begin, vectors_[own.row + 1] + begin, own.cosine, own.sine, count);
    });
    rotations_.clear();
  }

  double* diagonal_;
  double* beside_;
  std::int64_t n_;
  Rows<double> vectors_;
  std::vector<Rotation> rotations_;
};

}  // namespace

bool eigenvectors(Rows<double> a, std::int64_t n, double* values, Rows<double> vectors, double* beside) {
  Tridiagonal reduced(a, n, values, beside, beside + n, beside + 2 * n);
  reduced.reduce();
  reduced.multiply(vectors);
  return Sweeps(values, beside, n, vectors).run();
}

namespace {

// Pairs of rows are turned round by round, as in a tournament: those of a round have no row in common.
class Pairs {
 public:
  Pairs(Rows<double> rows, std::int64_t p, std::int64_t q, Rows<double> turns, double* squares)
      : rows_(rows), p_(p), q_(q), turns_(turns), squares_(squares) {}

  // Was any pair not at right angles?
  bool sweep() {
    std::atomic<bool> turned = false;
    for (std::int64_t i = 0; i < p_ && !is_given_up(); ++i) squares_[i] = inner_product(rows_[i], rows_[i], q_);
    const std::int64_t players = p_ + p_ % 2;
    for (std::int64_t round = 0; round + 1 < players && !is_given_up(); ++round) {
      parallel_ranges(players / 2, rows_at_once(q_), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t pair = begin; pair < end; ++pair) {
          const std::int64_t a = player(players, round, pair);
          const std::int64_t b = player(players, round, players - 1 - pair);
          if (a < p_ && b < p_ && turn_pair(std::min(a, b), std::max(a, b))) turned = true;
        }
      });
    }
    return turned;
  }

 private:
  // The first seat never changes; the others go round.
  static std::int64_t player(std::int64_t players, std::int64_t round, std::int64_t seat) {
    return seat == 0 ? 0 : 1 + (seat - 1 + round) % (players - 1);
  }
  bool turn_pair(std::int64_t i, std::int64_t j) {
    const double product = inner_product(rows_[i], rows_[j], q_);
    const double tolerance = kEpsilon * std::sqrt(static_cast<double>(q_));
    if (!(std::abs(product) > tolerance * std::sqrt(squares_[i]) * std::sqrt(squares_[j]))) return false;
    const double ratio = (squares_[j] - squares_[i]) / (2 * product);
    const double tangent = std::copysign(1.0, ratio) / (std::abs(ratio) + std::hypot(1.0, ratio));
    if (tangent == 0) return false;
    const double cosine = 1 / std::hypot(1.0, tangent);
    turn(rows_[i], rows_[j], cosine, cosine * tangent, q_);
    turn(turns_[i], turns_[j], cosine, cosine * tangent, p_);
    squares_[i] = std::max(0.0, squares_[i] - tangent * product);
    squares_[j] += tangent * product;
    return true;
  }

  Rows<double> rows_;
  std::int64_t p_;
  std::int64_t q_;
  Rows<double> turns_;
  double* squares_;
};

}  // namespace

bool make_orthogonal(Rows<double> rows, std::int64_t p, std::int64_t q, Rows<double> turns, double* squares) {
  constexpr int kSweepsMax = 60;
  for (std::int64_t i = 0; i < p && !is_given_up(); ++i) {
    std::fill_n(turns[i], p, 0.0);
    turns[i][i] = 1;
  }
  Pairs pairs(rows, p, q, turns, squares);
  for (int sweep = 0; sweep < kSweepsMax; ++sweep) {
    if (is_given_up()) return false;
    if (!pairs.sweep()) return true;
  }
  return false;
}

}  // namespace tessera::runtime
