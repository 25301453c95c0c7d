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
Numbers<T> roots_of_unity(std::int64_t n) {
  const auto step = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  std::vector<Exact> fine;
  for (std::int64_t k = 0; k < step; ++k) fine.push_back(root(k, n));
  auto all = std::make_unique_for_overwrite<Complex<T>[]>(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n && !is_given_up(); k += step) {
    const Exact coarse = root(k, n);
    for (std::int64_t f = 0; f < std::min(step, n - k); ++f) {
      const Exact& own = fine[static_cast<std::size_t>(f)];
      all[k + f] = {static_cast<T>(without_dust(coarse.re * own.re - coarse.im * own.im)),
                    static_cast<T>(without_dust(coarse.re * own.im + coarse.im * own.re))};
    }
  }
  return all;
}
template Numbers<float> roots_of_unity(std::int64_t n);
template Numbers<double> roots_of_unity(std::int64_t n);

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
  rest == 1 ? plan_passes(factors) : plan_convolution();
}

template <class T>
void FourierPlan<T>::plan_passes(const std::vector<int>& factors) {
  const auto all = roots_of_unity<T>(n_);
  // A pass takes n/l1 - ido of them, and its ido is n/l1 of the next.
  roots_ = std::make_unique_for_overwrite<Complex<T>[]>(static_cast<std::size_t>(n_ - 1));
  std::int64_t l1 = 1;
  std::int64_t taken = 0;
  for (const int radix : factors) {
    const FourierPass pass{radix, l1, n_ / (l1 * radix), taken};
    in_pieces(pass.ido, [&](std::int64_t begin, std::int64_t end) {
      Complex<T>* const roots = roots_.get() + pass.roots;
      for (std::int64_t i = begin; i < end; ++i) {
        for (int j = 1; j < radix; ++j) roots[i * (radix - 1) + j - 1] = all[i * j * l1];
      }
    });
    passes_.push_back(pass);
    taken += pass.ido * (radix - 1);
    l1 *= radix;
  }
}

template <class T>
void FourierPlan<T>::plan_convolution() {
  const auto m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n_ - 1)));
  convolved_ = std::make_unique<FourierPlan<T>>(m);
  if (is_given_up()) return;
  const auto all = roots_of_unity<T>(2 * n_);
  chirp_ = std::make_unique_for_overwrite<Complex<T>[]>(static_cast<std::size_t>(n_));
  std::int64_t square = 0;  // k^2, modulo 2n
  in_pieces(n_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      chirp_[k] = all[square];
      square = (square + 2 * k + 1) % (2 * n_);
    }
  });
  const auto memory = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(2 * m));
  const Line<T> line{memory.get(), memory.get() + m};
  in_pieces(2 * m, [&](std::int64_t begin, std::int64_t end) {
    std::fill(&memory[begin], &memory[begin] + (end - begin), T{0});
  });
  in_pieces(n_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Complex<T> own = chirp_[k];
      for (const std::int64_t at : {k, (m - k) % m}) {
        line.re[at] = own.re;
        line.im[at] = -own.im;
      }
    }
  });
  const auto scratch = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(convolved_->scratch()));
  convolved_->forward(line, scratch.get());
  chirp_transform_ = std::make_unique_for_overwrite<Complex<T>[]>(static_cast<std::size_t>(m));
  in_pieces(m, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      chirp_transform_[k] = {line.re[k] / static_cast<T>(m), line.im[k] / static_cast<T>(m)};
  });
}
template class FourierPlan<float>;
template class FourierPlan<double>;

}  // namespace tessera::runtime
