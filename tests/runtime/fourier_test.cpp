#include "runtime/kernels/fourier.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numbers>
#include <random>

#include "runtime/kernels/fourier_plan.hpp"
#include "runtime/kernels/tile.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::ElementType;
using synth::FourierKind;

template <class T>
constexpr ElementType kComplex = sizeof(T) == sizeof(float) ? ElementType::c64 : ElementType::c128;
template <class T>
constexpr ElementType kReal = synth::part_of(kComplex<T>);

template <class T>
std::vector<std::complex<T>> random_numbers(std::int64_t n) {
  std::mt19937 random(static_cast<std::uint32_t>(n));
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<std::complex<T>> all;
  for (std::int64_t i = 0; i < n; ++i) all.emplace_back(uniform(random), uniform(random));
  return all;
}

TEST(ExampleOf, FourierPlan) {
  EXPECT_EQ(fourier_factors(12), std::pair(std::vector<int>({4, 3}), std::int64_t{1}));
  EXPECT_EQ(FourierPlan<double>::scratch(12), 2 * 12);
  EXPECT_EQ(fourier_factors(22), std::pair(std::vector<int>({2}), std::int64_t{11}));
  EXPECT_EQ(FourierPlan<double>::scratch(22), 2 * 22 + 4 * 48);
}

// The definition, in long double.
template <class T>
std::vector<std::complex<long double>> exact_transform(const std::vector<std::complex<T>>& x) {
  const auto n = static_cast<long long>(x.size());
  std::vector<std::complex<long double>> all(x.size());
  for (long long k = 0; k < n; ++k) {
    for (long long j = 0; j < n; ++j) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / static_cast<long double>(n);
      const auto& own = x[static_cast<std::size_t>(j)];
      all[static_cast<std::size_t>(k)] +=
          std::complex<long double>(own.real(), own.imag()) * std::complex(std::cos(angle), std::sin(angle));
    }
  }
  return all;
}

// In units in the last place of the mean size.
template <class T>
double distance(const std::vector<std::complex<T>>& a, const std::vector<std::complex<long double>>& exact) {
  long double error = 0;
  long double size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    error += std::norm(std::complex<long double>(a[k].real(), a[k].imag()) - exact[k]);
    size += std::norm(exact[k]);
  }
  return static_cast<double>(std::sqrt(error / size)) / std::numeric_limits<T>::epsilon();
}

template <class From, class To>
std::vector<To> transformed(FourierKind kind, ElementType from, ElementType to, const std::vector<From>& x,
                            const Shape& shape, std::uint8_t dimension, std::int64_t made) {
  Shape result = shape;
  result[dimension] = made;
  std::vector<To> out(static_cast<std::size_t>(count(result)));
  const synth::Fourier how{kind, dimension};
  const bool is_single = from == ElementType::c64 || from == ElementType::f32;
  const std::int64_t bytes = fourier_scratch_bytes(how, is_single ? ElementType::f32 : ElementType::f64, shape, result);
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, static_cast<std::size_t>((bytes + 63) / 64 * 64)), &std::free);
  fourier(how, dense_view(from, shape, reinterpret_cast<const std::byte*>(x.data())),
          TileOut{to, result, reinterpret_cast<std::byte*>(out.data())}, static_cast<std::byte*>(scratch.get()));
  return out;
}

template <class T>
std::vector<std::complex<T>> line_transform(FourierKind kind, const std::vector<std::complex<T>>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  return transformed<std::complex<T>, std::complex<T>>(kind, kComplex<T>, kComplex<T>, x, Shape{n}, 0, n);
}

template <class T>
void expect_exact_lines() {
  for (std::int64_t n = 1; n <= 260; n += n < 100 ? 1 : 13) {
    const auto x = random_numbers<T>(n);
    const auto made = line_transform(FourierKind::forward, x);
    EXPECT_LT(distance(made, exact_transform(x)), 3) << n;
    const auto back = line_transform(FourierKind::inverse, made);
    std::vector<std::complex<long double>> given;
    for (const auto& own : x) given.emplace_back(own.real(), own.imag());
    EXPECT_LT(distance(back, given), 5) << n;
  }
}

TEST(Fourier, LinesOfAnyLengthAreExactToAFewUnits) {
  expect_exact_lines<float>();
  expect_exact_lines<double>();
}

template <class T>
void expect_halves() {
  for (const std::int64_t n : {1, 2, 3, 8, 11, 30}) {
    auto x = random_numbers<T>(n);
    std::vector<T> real;
    for (auto& own : x) real.push_back(own.real());
    for (auto& own : x) own = own.real();
    const auto half =
        transformed<T, std::complex<T>>(FourierKind::forward_real, kReal<T>, kComplex<T>, real, Shape{n}, 0, n / 2 + 1);
    const auto all = line_transform(FourierKind::forward, x);
    for (std::size_t k = 0; k < half.size(); ++k) EXPECT_EQ(half[k], all[k]) << n;
    const auto back =
        transformed<std::complex<T>, T>(FourierKind::inverse_real, kComplex<T>, kReal<T>, half, Shape{n / 2 + 1}, 0, n);
    for (std::size_t k = 0; k < back.size(); ++k)
      EXPECT_NEAR(back[k], real[k], 4 * std::numeric_limits<T>::epsilon()) << n;
  }
}

TEST(Fourier, HalvesOfRealLinesGoThereAndBack) {
  expect_halves<float>();
  expect_halves<double>();
}

// Lines are transformed several at once: each has the bits that it has alone.
template <class T>
void expect_lines_by_themselves(std::int64_t n) {
  constexpr std::int64_t kLines = 7;
  const auto x = random_numbers<T>(kLines * n);
  const auto rows = transformed<std::complex<T>, std::complex<T>>(FourierKind::forward, kComplex<T>, kComplex<T>, x,
                                                                  Shape{kLines, n}, 1, n);
  std::vector<std::complex<T>> turned(x.size());
  for (std::int64_t i = 0; i < kLines * n; ++i)
    turned[static_cast<std::size_t>(i % n * kLines + i / n)] = x[static_cast<std::size_t>(i)];
  const auto columns = transformed<std::complex<T>, std::complex<T>>(FourierKind::forward, kComplex<T>, kComplex<T>,
                                                                     turned, Shape{n, kLines}, 0, n);
  for (std::int64_t line = 0; line < kLines; ++line) {
    const auto alone =
        line_transform(FourierKind::forward, std::vector(x.begin() + line * n, x.begin() + (line + 1) * n));
    for (std::int64_t k = 0; k < n; ++k) {
      EXPECT_EQ(rows[static_cast<std::size_t>(line * n + k)], alone[static_cast<std::size_t>(k)]);
      EXPECT_EQ(columns[static_cast<std::size_t>(k * kLines + line)], alone[static_cast<std::size_t>(k)]);
    }
  }
}

TEST(Fourier, LinesHaveTheSameBitsAloneAndSideBySide) {
  for (const std::int64_t n : {2, 12, 13, 49}) {
    expect_lines_by_themselves<float>(n);
    expect_lines_by_themselves<double>(n);
  }
}

}  // namespace
}  // namespace tessera::runtime::test
