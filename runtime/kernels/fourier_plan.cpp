#include "runtime/kernels/fourier_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::runtime {

namespace {

using Exact = Complex<long double>;

Exact root(std::int64_t k, std::int64_t n) {
  const long double angle =
      -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// What is 0 but for the last digits of a long double is 0.
long double without_dust(long double x) { return std::abs(x) < 1e-17L ? 0 : x; }

}  // namespace

// Each is the product of two of about sqrt(n) roots, so that few sines are computed.
template <class T>
std::vector<Complex<T>> roots_of_unity(std::int64_t n) {
  const auto step = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  std::vector<Exact> fine;
  for (std::int64_t k = 0; k < step; ++k) fine.push_back(root(k, n));
  std::vector<Complex<T>> all;
  all.reserve(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; k += step) {
    const Exact coarse = root(k, n);
    for (std::int64_t f = 0; f < std::min(step, n - k); ++f) {
      const Exact& own = fine[static_cast<std::size_t>(f)];
      all.push_back({static_cast<T>(without_dust(coarse.re * own.re - coarse.im * own.im)),
                     static_cast<T>(without_dust(coarse.re * own.im + coarse.im * own.re))});
    }
  }
  return all;
}
template std::vector<Complex<float>> roots_of_unity(std::int64_t n);
template std::vector<Complex<double>> roots_of_unity(std::int64_t n);

std::pair<std::vector<int>, std::int64_t> fourier_factors(std::int64_t n) {
  std::vector<int> factors;
  for (const int radix : {4, 2, 3, 5, 7}) {
    for (; n > 1 && n % radix == 0; n /= radix) factors.push_back(radix);
  }
  return {factors, n};
}

template <class T>
FourierPlan<T>::FourierPlan(std::int64_t n) : n_(n) {
  if (n <= 1) return;
  const auto [factors, rest] = fourier_factors(n);
  if (rest == 1) {
    const auto all = roots_of_unity<T>(n);
    std::int64_t l1 = 1;
    for (const int radix : factors) {
      const FourierPass pass{radix, l1, n / (l1 * radix), roots_.size()};
      for (std::int64_t i = 0; i < pass.ido; ++i) {
        for (int j = 1; j < radix; ++j) roots_.push_back(all[static_cast<std::size_t>(i * j * l1)]);
      }
      passes_.push_back(pass);
      l1 *= radix;
    }
    return;
  }
  const auto m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  convolved_ = std::make_unique<FourierPlan<T>>(m);
  const auto all = roots_of_unity<T>(2 * n);
  std::int64_t square = 0;  // k^2, modulo 2n
  for (std::int64_t k = 0; k < n; ++k) {
    chirp_.push_back(all[static_cast<std::size_t>(square)]);
    square = (square + 2 * k + 1) % (2 * n);
  }
  std::vector<T> memory(static_cast<std::size_t>(2 * m), T{0});
  const Line<T> line{memory.data(), memory.data() + m};
  for (std::int64_t k = 0; k < n; ++k) {
    const Complex<T> own = chirp_[static_cast<std::size_t>(k)];
    for (const std::int64_t at : {k, (m - k) % m}) {
      line.re[at] = own.re;
      line.im[at] = -own.im;
    }
  }
  std::vector<T> scratch(static_cast<std::size_t>(convolved_->scratch()));
  convolved_->forward(line, scratch.data());
  for (std::int64_t k = 0; k < m; ++k)
    chirp_transform_.push_back({line.re[k] / static_cast<T>(m), line.im[k] / static_cast<T>(m)});
}
template class FourierPlan<float>;
template class FourierPlan<double>;

}  // namespace tessera::runtime
