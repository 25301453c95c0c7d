#include "tests/runtime/function_errors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/vector_functions.hpp"

namespace tessera::runtime::test {

namespace {

using synth::MapOp;

constexpr std::array<StatedError, 14> kStated = {{{MapOp::exp, 1.0, 1.5},
                                                  {MapOp::exp2, 1.0, 1.5},
                                                  {MapOp::log, 0.9, 1.0},
                                                  {MapOp::tanh, 7.0, 3.0},
                                                  {MapOp::sigmoid, 2.5, 2.5},
                                                  {MapOp::gelu, 8.0, 8.0},
                                                  {MapOp::erf, 6.5, 2.0},
                                                  {MapOp::sin, 0.95, 1.0},
                                                  {MapOp::cos, 0.95, 1.0},
                                                  {MapOp::log2, 0.55, 2.0},
                                                  {MapOp::log10, 0.55, 2.0},
                                                  {MapOp::log1p, 0.55, 1.5},
                                                  {MapOp::expm1, 0.55, 2.5},
                                                  {MapOp::arctan, 0.55, 2.0}}};

constexpr std::size_t kFloatsOfBlock = 4096;

}  // namespace

std::span<const StatedError> stated_errors() { return kStated; }

long double true_value(MapOp op, long double x) {
  const long double e = std::exp(-std::abs(x));
  if (op == MapOp::exp) return std::exp(x);
  if (op == MapOp::exp2) return std::exp2(x);
  if (op == MapOp::log) return std::log(x);
  if (op == MapOp::log2) return std::log2(x);
  if (op == MapOp::log10) return std::log10(x);
  if (op == MapOp::log1p) return std::log1p(x);
  if (op == MapOp::expm1) return std::expm1(x);
  if (op == MapOp::arctan) return std::atan(x);
  if (op == MapOp::tanh) return std::tanh(x);
  if (op == MapOp::sigmoid) return (x < 0 ? e : 1.0L) / (1.0L + e);
  if (op == MapOp::gelu) return 0.5L * x * std::erfc(-x / std::sqrt(2.0L));
  if (op == MapOp::erf) return std::erf(x);
  return op == MapOp::sin ? std::sin(x) : std::cos(x);
}

template <class T>
double error_in_units(T got, long double truth) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(truth);
  const bool same_nan = std::isnan(got) && std::isnan(rounded);
  const bool same = got == rounded && std::signbit(got) == std::signbit(rounded);
  if (same_nan || (same && (got == 0 || std::isinf(got)))) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return std::numeric_limits<double>::infinity();
  if (truth == 0) return std::numeric_limits<double>::infinity();
  const T size = std::abs(rounded);
  const bool is_last = size == Limits::max();
  const T unit = is_last ? size - std::nextafter(size, T{0}) : std::nextafter(size, Limits::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(got) - truth) / static_cast<long double>(unit));
}
template double error_in_units<float>(float, long double);
template double error_in_units<double>(double, long double);

namespace {

// A value that is the truth, rounded, is within half a unit. Only the others, few of many, are measured.
double worst_error_of_block(MapOp op, std::uint64_t first, std::uint64_t step) {
  constexpr std::size_t kBlock = kFloatsOfBlock;
  std::array<float, kBlock> x;
  std::array<float, kBlock> got;
  std::array<double, kBlock> wide;
  std::array<double, kBlock> truth;
  for (std::size_t i = 0; i < kBlock; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + step * i));
  for (std::size_t i = 0; i < kBlock; ++i) wide[i] = x[i];
  vector_function<float>(op)(x.data(), got.data(), kBlock);
  vector_function<double>(op)(wide.data(), truth.data(), kBlock);
  double worst = 0.5;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const auto rounded = static_cast<float>(truth[i]);
    if (std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(rounded))
      worst = std::max(worst, error_in_units(got[i], truth[i]));
  }
  return worst;
}

}  // namespace

double worst_error_of_floats(MapOp op, std::uint64_t step) {
  constexpr std::uint64_t kFloats = std::uint64_t{1} << 32U;
  const std::uint64_t stride = step * kFloatsOfBlock;
  std::mutex guard;
  double worst = 0;
  parallel_ranges(static_cast<std::int64_t>((kFloats + stride - 1) / stride), 64,
                  [&](std::int64_t begin, std::int64_t end) {
                    double here = 0;
                    for (std::int64_t block = begin; block < end; ++block)
                      here = std::max(here, worst_error_of_block(op, static_cast<std::uint64_t>(block) * stride, step));
                    const std::lock_guard lock(guard);
                    worst = std::max(worst, here);
                  });
  return worst;
}

}  // namespace tessera::runtime::test
