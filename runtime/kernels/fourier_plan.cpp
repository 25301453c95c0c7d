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
  std::vector<Complex<T>> all(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n && !is_given_up(); k += step) {
    const Exact coarse = root(k, n);
    for (std::int64_t f = 0; f < std::min(step, n - k); ++f) {
      const Exact& own = fine[static_cast<std::size_t>(f)];
      all[static_cast<std::size_t>(k + f)] = {static_cast<T>(without_dust(coarse.re * own.re - coarse.im * own.im)),
                                              static_cast<T>(without_dust(coarse.re * own.im + coarse.im * own.re))};
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
      roots_.resize(pass.roots + static_cast<std::size_t>(pass.ido * (radix - 1)));
      in_pieces(pass.ido, [&](std::int64_t begin, std::int64_t end) {
        Complex<T>* const roots = roots_.data() + pass.roots;
        for (std::int64_t i = begin; i < end; ++i) {
          for (int j = 1; j < radix; ++j) roots[i * (radix - 1) + j - 1] = all[static_cast<std::size_t>(i * j * l1)];
        }
      });
      passes_.push_back(pass);
      l1 *= radix;
    }
    return;
  }
  const auto m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  convolved_ = std::make_unique<FourierPlan<T>>(m);
  const auto all = roots_of_unity<T>(2 * n);
  chirp_.resize(static_cast<std::size_t>(n));
  std::int64_t square = 0;  // k^2, modulo 2n
  in_pieces(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      chirp_[static_cast<std::size_t>(k)] = all[static_cast<std::size_t>(square)];
      square = (square + 2 * k + 1) % (2 * n);
    }
  });
  std::vector<T> memory(static_cast<std::size_t>(2 * m), T{0});
  const Line<T> line{memory.data(), memory.data() + m};
  in_pieces(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Complex<T> own = chirp_[static_cast<std::size_t>(k)];
      for (const std::int64_t at : {k, (m - k) % m}) {
        line.re[at] = own.re;
        line.im[at] = -own.im;
      }
    }
  });
  std::vector<T> scratch(static_cast<std::size_t>(convolved_->scratch()));
  convolved_->forward(line, scratch.data());
  chirp_transform_.resize(static_cast<std::size_t>(m));
  in_pieces(m, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      chirp_transform_[static_cast<std::size_t>(k)] = {line.re[k] / static_cast<T>(m), line.im[k] / static_cast<T>(m)};
  });
}
template class FourierPlan<float>;
template class FourierPlan<double>;

}  // namespace tessera::runtime
