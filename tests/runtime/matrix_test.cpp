// Functions of matrices, against what they promise: products of factors, right angles, orders; and the same bits for
// each matrix and each column, whatever lies beside it.
#include "runtime/kernels/matrix.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/kinds.hpp"
#include "runtime/memory/plan.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MatrixOp;

constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 64, 65, 130};

// Numbers in [-1, 1) that a position and a seed decide.
double noise(std::int64_t seed, std::int64_t i) {
  const auto bits = static_cast<std::uint64_t>(seed * 1'000'003 + i) * 0x9e3779b97f4a7c15U;
  return static_cast<double>((bits ^ (bits >> 29U)) * 0xbf58476d1ce4e5b9U >> 12U) * 0x1p-51 - 1;
}

template <class T>
Array<T> noisy(const Shape& shape, std::int64_t seed) {
  Array<T> array(shape);
  for (std::int64_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<T>(noise(seed, i));
  return array;
}

// An array of matrices, to read as numbers of matrix, row and column.
template <class T>
struct Reader {
  const Array<T>& array;
  double operator()(std::int64_t matrix, std::int64_t i, std::int64_t j) const {
    const std::size_t rank = array.shape.size();
    return static_cast<double>(array[(matrix * array.shape[rank - 2] + i) * array.shape[rank - 1] + j]);
  }
};

template <class T>
struct Done {
  Array<T> out;
  std::optional<BadMatrix> bad;
};
template <class T>
Done<T> apply(MatrixOp op, const std::vector<TileView>& operands, const Shape& result) {
  Done<T> done{Array<T>(result), {}};
  const std::int64_t bytes = matrix_scratch_bytes(op, element_of<T>(), operands[0].shape);
  std::vector<double> room(static_cast<std::size_t>(bytes / 8 + 1), std::numeric_limits<double>::quiet_NaN());
  done.bad = of_matrices(op, operands, done.out.out(), reinterpret_cast<std::byte*>(room.data()));
  return done;
}

// The largest element of `left right - wanted`, where each is a function of row and column.
template <class Left, class Right, class Wanted>
double distance(std::int64_t rows, std::int64_t terms, std::int64_t columns, const Left& left, const Right& right,
                const Wanted& wanted) {
  double most = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = -wanted(i, j);
      for (std::int64_t k = 0; k < terms; ++k) sum += left(i, k) * right(k, j);
      most = std::isnan(sum) ? sum : std::max(most, std::abs(sum));
    }
  }
  return most;
}

double on_diagonal(std::int64_t i, std::int64_t j) { return i == j ? 1 : 0; }

template <class T>
class Matrices : public ::testing::Test {
 public:
  static double tolerance(std::int64_t n) {
    return static_cast<double>(n + 4) * 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
  // Symmetric and positive definite, its diagonal about n.
  static Array<T> definite(std::int64_t count, std::int64_t n, std::int64_t seed) {
    Array<T> a(Shape{count, n, n});
    for (std::int64_t m = 0; m < count; ++m) {
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          const double own = noise(seed + m, i * n + j) + (i == j ? static_cast<double>(n) + 2 : 0);
          a.data()[(m * n + i) * n + j] = a.data()[(m * n + j) * n + i] = static_cast<T>(own);
        }
      }
    }
    return a;
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Matrices, Floats);

TYPED_TEST(Matrices, ASolutionSolves) {
  for (const std::int64_t n : kSizes) {
    const auto a = noisy<TypeParam>(Shape{2, n, n}, n);
    const auto b = noisy<TypeParam>(Shape{2, n, 19}, n + 1);
    const auto done = apply<TypeParam>(MatrixOp::solve, {a.view(), b.view()}, b.shape);
    ASSERT_FALSE(done.bad) << n;
    const Reader<TypeParam> x{done.out};
    double most = 1;
    for (std::int64_t i = 0; i < done.out.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(done.out[i])));
    for (const std::int64_t m : {0, 1}) {
      const double off = distance(
          n, n, 19, [&](auto i, auto k) { return Reader<TypeParam>{a}(m, i, k); },
          [&](auto k, auto j) { return x(m, k, j); }, [&](auto i, auto j) { return Reader<TypeParam>{b}(m, i, j); });
      EXPECT_LE(off, this->tolerance(n) * most) << n;
    }
  }
}

TYPED_TEST(Matrices, ATriangleIsAllThatIsRead) {
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const std::int64_t n : kSizes) {
    for (const bool lower : {false, true}) {
      auto a = this->definite(1, n, n);
      const auto b = noisy<TypeParam>(Shape{1, n, 3}, n);
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          if (lower ? j > i : j < i) a.data()[i * n + j] = nan;
        }
      }
      const auto done =
          apply<TypeParam>(lower ? MatrixOp::solve_lower : MatrixOp::solve_upper, {a.view(), b.view()}, b.shape);
      const auto triangle = [&](std::int64_t i, std::int64_t k) {
        return (lower ? k > i : k < i) ? 0 : Reader<TypeParam>{a}(0, i, k);
      };
      EXPECT_LE(distance(
                    n, n, 3, triangle, [&](auto k, auto j) { return Reader<TypeParam>{done.out}(0, k, j); },
                    [&](auto i, auto j) { return Reader<TypeParam>{b}(0, i, j); }),
                this->tolerance(n))
          << n;
    }
  }
}

TYPED_TEST(Matrices, ATriangleTimesItselfIsTheMatrix) {
  for (const std::int64_t n : kSizes) {
    const auto a = this->definite(3, n, n);
    const auto done = apply<TypeParam>(MatrixOp::cholesky, {a.view()}, a.shape);
    ASSERT_FALSE(done.bad);
    const Reader<TypeParam> l{done.out};
    for (const std::int64_t m : {0, 1, 2}) {
      const double off = distance(
          n, n, n, [&](auto i, auto k) { return l(m, i, k); }, [&](auto k, auto j) { return l(m, j, k); },
          [&](auto i, auto j) { return Reader<TypeParam>{a}(m, i, j); });
      EXPECT_LE(off, this->tolerance(n) * static_cast<double>(n + 2)) << n;
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = i + 1; j < n; ++j) ASSERT_EQ(l(m, i, j), 0);
      }
    }
  }
}

// By the product of a matrix with itself, whose determinant is a square.
TYPED_TEST(Matrices, DeterminantsMultiply) {
  for (const std::int64_t n : {0, 1, 2, 3, 7, 17}) {
    const auto a = noisy<TypeParam>(Shape{1, n, n}, n);
    Array<TypeParam> square(a.shape);
    for (std::int64_t i = 0; i < n * n; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < n; ++k) sum += Reader<TypeParam>{a}(0, i / n, k) * Reader<TypeParam>{a}(0, k, i % n);
      square.data()[i] = static_cast<TypeParam>(sum);
    }
    const double once = apply<TypeParam>(MatrixOp::determinant, {a.view()}, Shape{1}).out[0];
    const double twice = apply<TypeParam>(MatrixOp::determinant, {square.view()}, Shape{1}).out[0];
    EXPECT_NEAR(once * once, twice, std::abs(twice) * this->tolerance(n) * 20) << n;
    if (n == 0) {
      EXPECT_EQ(once, 1);
    }
  }
  const Array<TypeParam> swapped(Shape{1, 3, 3}, {0, 2, 0, 4, 0, 0, 0, 0, 3});
  EXPECT_EQ(apply<TypeParam>(MatrixOp::determinant, {swapped.view()}, Shape{1}).out[0], -24);
}

const std::pair<std::int64_t, std::int64_t> kShapes[] = {{0, 3},  {3, 0},  {1, 1},   {2, 5},   {5, 2},   {17, 17},
                                                         {40, 9}, {9, 40}, {33, 64}, {70, 70}, {130, 20}};

TYPED_TEST(Matrices, FactorsAtRightAngles) {
  for (const auto& [m, n] : kShapes) {
    const std::int64_t k = std::min(m, n);
    const auto a = noisy<TypeParam>(Shape{2, m, n}, m);
    const auto done = apply<TypeParam>(MatrixOp::factor_qr, {a.view()}, Shape{2, m + n, k});
    const Reader<TypeParam> both{done.out};
    const auto q = [&](auto i, auto j) { return both(1, i, j); };
    const auto r = [&, rows = m](auto i, auto j) { return both(1, rows + j, i); };
    EXPECT_LE(distance(m, k, n, q, r, [&](auto i, auto j) { return Reader<TypeParam>{a}(1, i, j); }),
              this->tolerance(m + n));
    EXPECT_LE(distance(k, m, k, [&](auto i, auto j) { return q(j, i); }, q, on_diagonal), this->tolerance(m));
    for (std::int64_t i = 0; i < k; ++i) {
      for (std::int64_t j = 0; j < std::min(i, n); ++j) ASSERT_EQ(r(i, j), 0);
    }
  }
}

TYPED_TEST(Matrices, EigenvectorsAreOnlyStretched) {
  for (const std::int64_t n : kSizes) {
    const auto a = this->definite(2, n, n);
    const auto done = apply<TypeParam>(MatrixOp::eigen, {a.view()}, Shape{2, n + 1, n});
    const Reader<TypeParam> both{done.out};
    const auto v = [&](auto i, auto j) { return both(1, i + 1, j); };
    EXPECT_LE(distance(
                  n, n, n, [&](auto i, auto j) { return Reader<TypeParam>{a}(1, i, j); }, v,
                  [&](auto i, auto j) { return both(1, 0, j) * v(i, j); }),
              this->tolerance(n) * static_cast<double>(n + 2));
    EXPECT_LE(distance(n, n, n, [&](auto i, auto j) { return v(j, i); }, v, on_diagonal), this->tolerance(n)) << n;
    for (std::int64_t j = 1; j < n; ++j) ASSERT_LE(both(1, 0, j - 1), both(1, 0, j));
  }
}

template <class T>
void expect_singular_values(const Array<T>& a, double tolerance) {
  const std::int64_t m = a.shape[0];
  const std::int64_t n = a.shape[1];
  const std::int64_t k = std::min(m, n);
  const auto done = apply<T>(MatrixOp::singular, {a.view()}, Shape{m + 1 + n, k});
  const Reader<T> all{done.out};
  const auto u = [&](auto i, auto j) { return all(0, i, j); };
  const auto v = [&](auto i, auto j) { return all(0, m + 1 + i, j); };
  EXPECT_LE(distance(
                m, k, n, [&](auto i, auto j) { return u(i, j) * all(0, m, j); },
                [&](auto i, auto j) { return v(j, i); }, [&](auto i, auto j) { return Reader<T>{a}(0, i, j); }),
            tolerance)
      << m << " " << n;
  EXPECT_LE(distance(k, m, k, [&](auto i, auto j) { return u(j, i); }, u, on_diagonal), tolerance) << m << " " << n;
  EXPECT_LE(distance(k, n, k, [&](auto i, auto j) { return v(j, i); }, v, on_diagonal), tolerance) << m << " " << n;
  for (std::int64_t j = 0; j < k; ++j) ASSERT_TRUE(all(0, m, j) >= 0 && (j == 0 || all(0, m, j) <= all(0, m, j - 1)));
}

// Of any shape; of fewer directions than columns; of none.
TYPED_TEST(Matrices, SingularValuesStretchRightAngles) {
  for (const auto& [m, n] : kShapes) {
    auto a = noisy<TypeParam>(Shape{m, n}, m + n);
    expect_singular_values(a, this->tolerance(m + n));
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 2; j < n; ++j) a.data()[i * n + j] = a[i * n + j % 2] * static_cast<TypeParam>(j % 3);
    }
    expect_singular_values(a, this->tolerance(m + n) * 3);
    expect_singular_values(Array<TypeParam>(Shape{m, n}), 0);
  }
}

// Squares of such elements overflow, or are nothing.
TYPED_TEST(Matrices, SizesDoNotMatterToDecompositions) {
  constexpr int kFar = std::numeric_limits<TypeParam>::max_exponent - 8;
  for (const int exponent : {-kFar, kFar}) {
    auto a = this->definite(1, 9, 1);
    auto scaled = a;
    const auto by = std::ldexp(TypeParam{1}, exponent - 4);
    for (std::int64_t i = 0; i < a.size(); ++i) scaled.data()[i] *= by;
    const auto plain = apply<TypeParam>(MatrixOp::eigen, {a.view()}, Shape{1, 10, 9});
    const auto far = apply<TypeParam>(MatrixOp::eigen, {scaled.view()}, Shape{1, 10, 9});
    for (std::int64_t j = 0; j < 9; ++j) EXPECT_NEAR(far.out[j] / by, plain.out[j], 1e-4) << exponent;
    const auto values = apply<TypeParam>(MatrixOp::singular, {scaled.view()}, Shape{1, 19, 9});
    EXPECT_NEAR(values.out[9 * 9] / by, plain.out[8], 1e-4) << exponent;
  }
}

TYPED_TEST(Matrices, NoNumbersGiveNone) {
  for (const auto bad : {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity()}) {
    auto a = this->definite(2, 20, 1);
    a.data()[5 * 20 + 2] = bad;
    for (const auto& [op, shape] : {std::pair(MatrixOp::eigen, Shape{2, 21, 20}),
                                    {MatrixOp::singular, {2, 41, 20}},
                                    {MatrixOp::factor_qr, {2, 40, 20}}}) {
      const auto done = apply<TypeParam>(op, {a.view()}, shape);
      EXPECT_TRUE(std::isnan(done.out[0])) << name(op);
      EXPECT_FALSE(std::isnan(done.out[done.out.size() - 1])) << name(op);
    }
  }
}

// ---- Bits

// The same matrix and column, alone and among others, and as columns of memory.
TYPED_TEST(Matrices, NeighboursChangeNoBit) {
  for (const std::int64_t n : {3, 16, 40, 130}) {
    const auto a = this->definite(5, n, n);
    const auto b = noisy<TypeParam>(Shape{5, n, 37}, n);
    for (const MatrixOp op : {MatrixOp::solve, MatrixOp::solve_lower, MatrixOp::solve_upper}) {
      const auto all = apply<TypeParam>(op, {a.view(), b.view()}, b.shape);
      for (const std::int64_t first : {0, 1, 15, 16, 36}) {
        const std::int64_t columns = std::min<std::int64_t>(5, 37 - first);
        const TileView matrix = part_of(a.view(), Shape{3, 0, 0}, Shape{1, n, n});
        const TileView right = part_of(b.view(), Shape{3, 0, first}, Shape{1, n, columns});
        const auto alone = apply<TypeParam>(op, {matrix, right}, Shape{1, n, columns});
        for (std::int64_t i = 0; i < n * columns; ++i)
          ASSERT_EQ(alone.out[i], all.out[(3 * n + i / columns) * 37 + first + i % columns]) << name(op) << " " << n;
      }
    }
    for (const auto& [op, rows] : {std::pair(MatrixOp::cholesky, n),
                                   {MatrixOp::eigen, n + 1},
                                   {MatrixOp::singular, 2 * n + 1},
                                   {MatrixOp::factor_qr, 2 * n}}) {
      const auto all = apply<TypeParam>(op, {a.view()}, Shape{5, rows, n});
      TileView turned = part_of(a.view(), Shape{3, 0, 0}, Shape{1, n, n});
      std::swap(turned.strides[1], turned.strides[2]);  // symmetric
      const auto alone = apply<TypeParam>(op, {turned}, Shape{1, rows, n});
      for (std::int64_t i = 0; i < rows * n; ++i)
        ASSERT_EQ(alone.out[i], all.out[3 * rows * n + i]) << name(op) << " " << n;
    }
  }
}

// ---- What has no result

TYPED_TEST(Matrices, TheFirstThatIsBadIsNamed) {
  for (const std::int64_t count : {1, 5, 200}) {
    auto a = this->definite(count, 20, 1);
    const std::int64_t first = count / 2;
    for (std::int64_t m = first; m < count; ++m) {
      for (std::int64_t j = 0; j < 20; ++j) a.data()[(m * 20 + 7) * 20 + j] = a.data()[(m * 20 + j) * 20 + 7] = 0;
    }
    const auto b = noisy<TypeParam>(Shape{count, 20, 1}, 1);
    for (const MatrixOp op : {MatrixOp::cholesky, MatrixOp::solve, MatrixOp::solve_lower, MatrixOp::solve_upper}) {
      const bool is_cholesky = op == MatrixOp::cholesky;
      const auto operands = is_cholesky ? std::vector{a.view()} : std::vector{a.view(), b.view()};
      const auto bad = apply<TypeParam>(op, operands, is_cholesky ? a.shape : b.shape).bad;
      ASSERT_TRUE(bad) << name(op);
      EXPECT_EQ(bad->number, first) << name(op);
      if (op != MatrixOp::solve) {
        EXPECT_EQ(bad->column, 7) << name(op);
      }
    }
    EXPECT_EQ(apply<TypeParam>(MatrixOp::determinant, {a.view()}, Shape{count}).out[first], 0);
  }
}

TEST(MatrixMessages, SayWhichMatrixOfTheWholeArray) {
  Builder builder("x:2");
  Array<double> a(Shape{2, 4, 2, 2});
  for (std::int64_t m = 0; m < 8; ++m) a.data()[m * 4] = a.data()[m * 4 + 3] = m == 7 ? 0 : 1;
  const RegisterId all = builder.constant(a, "f64[2, 4@x, 2, 2]");
  builder.output(builder.apply(synth::MatrixFunction{MatrixOp::cholesky}, {all}, "f64[2, 4@x, 2, 2]"));
  const auto diagnostic = run_badly(builder.program());
  EXPECT_THAT(diagnostic.message, testing::HasSubstr("the matrix at [1, 3] is not positive definite"));
}

// Where matrices are worked on counts as memory of the step.
TEST(MatrixMemory, IsPlanned) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f64[2@x, 300, 300]");
  builder.output(builder.apply(synth::MatrixFunction{MatrixOp::determinant}, {a}, "f64[2@x]"));
  const MemoryPlan plan = plan_memory(builder.program(), TileMaps(builder.program()));
  EXPECT_GE(plan.arena_bytes[0], 2 * 300 * 300 * 8);
  EXPECT_LE(plan.arena_bytes[0], 2 * 300 * 300 * 8 + 4096);
  // Of many matrices, few at a time.
  EXPECT_EQ(matrix_scratch_bytes(MatrixOp::eigen, ElementType::f64, Shape{1'000'000, 4, 4}),
            64 * matrix_scratch_bytes(MatrixOp::eigen, ElementType::f64, Shape{1, 4, 4}));
}

}  // namespace
}  // namespace tessera::runtime::test
