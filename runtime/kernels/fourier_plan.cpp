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
void write_roots_of_unity(std::int64_t n, Complex<T>* roots) {
  const auto step = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  std::vector<Exact> fine;
  for (std::int64_t k = 0; k < step; ++k) fine.push_back(root(k, n));
  for (std::int64_t k = 0; k < n && !is_given_up(); k += step) {
    const Exact coarse = root(k, n);
    for (std::int64_t f = 0; f < std::min(step, n - k); ++f) {
      const Exact& own = fine[static_cast<std::size_t>(f)];
      roots[k + f] = {static_cast<T>(without_dust(coarse.re * own.re - coarse.im * own.im)),
                      static_cast<T>(without_dust(coarse.re * own.im + coarse.im * own.re))};
    }
  }
}
template void write_roots_of_unity(std::int64_t n, Complex<float>* roots);
template void write_roots_of_unity(std::int64_t n, Complex<double>* roots);

std::pair<std::vector<int>, std::int64_t> fourier_factors(std::int64_t n) {
  std::vector<int> factors;
  for (const int radix : {4, 2, 3, 5, 7}) {
    for (; n > 1 && n % radix == 0; n /= radix) factors.push_back(radix);
  }
  return {factors, n};
}

namespace {

// What the passes of m numbers take, in units of a tenth of one of radix 4 for each number.
std::int64_t work_of(std::int64_t m) {
  std::int64_t tenths = 0;
  for (const int radix : fourier_factors(m).first) tenths += radix == 2 ? 8 : radix < 5 ? 10 : radix == 5 ? 14 : 20;
  return m * tenths;
}

// The number with that odd part that is the least from `least` on.
std::int64_t from_on(std::int64_t least, std::int64_t odd) {
  return odd * static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((least + odd - 1) / odd)));
}

}  // namespace

std::int64_t convolved_length(std::int64_t n) {
  if (n <= 1 || fourier_factors(n).second == 1) return 0;
  const std::int64_t least = 2 * n - 1;
  const std::int64_t most = from_on(least, 1);
  std::int64_t best = most;
  for (std::int64_t sevens = 1; sevens <= most; sevens *= 7) {
    for (std::int64_t fives = sevens; fives <= most; fives *= 5) {
      for (std::int64_t odd = fives; odd <= most; odd *= 3) {
        const std::int64_t m = from_on(least, odd);
        if (m < most && work_of(m) < work_of(best)) best = m;
      }
    }
  }
  return best;
}

template <class T>
std::int64_t FourierPlan<T>::numbers(std::int64_t n) {
  if (n <= 1) return 0;
  const std::int64_t m = convolved_length(n);
  return m == 0 ? n - 1 : n + m + numbers(m);
}

template <class T>
FourierPlan<T>::FourierPlan(std::int64_t n, Complex<T>* kept, T* work) : n_(n) {
  if (n <= 1) return;
  const auto [factors, rest] = fourier_factors(n);
  if (rest != 1) {
    plan_convolution(kept, work);
    return;
  }
  roots_ = kept;
  plan_passes(factors, work);
}

template <class T>
void FourierPlan<T>::plan_passes(const std::vector<int>& factors, T* work) {
  auto* const all = reinterpret_cast<Complex<T>*>(work);
  write_roots_of_unity<T>(n_, all);
  // A pass takes n/l1 - ido of them, and its ido is n/l1 of the next.
  std::int64_t l1 = 1;
  std::int64_t taken = 0;
  for (const int radix : factors) {
    const FourierPass pass{radix, l1, n_ / (l1 * radix), taken};
    in_pieces(pass.ido, [&](std::int64_t begin, std::int64_t end) {
      Complex<T>* const roots = roots_ + pass.roots;
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
void FourierPlan<T>::plan_convolution(Complex<T>* kept, T* work) {
  const std::int64_t m = convolved_length(n_);
  chirp_ = kept;
  chirp_transform_ = kept + n_;
  convolved_ = std::make_unique<FourierPlan<T>>(m, kept + n_ + m, work);
  if (is_given_up()) return;
  auto* const all = reinterpret_cast<Complex<T>*>(work);
  write_roots_of_unity<T>(2 * n_, all);
  std::int64_t square = 0;  // k^2, modulo 2n
  in_pieces(n_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      chirp_[k] = all[square];
      square = (square + 2 * k + 1) % (2 * n_);
    }
  });
  const Line<T> line{work, work + m};
  in_pieces(2 * m, [&](std::int64_t begin, std::int64_t end) { std::fill(work + begin, work + end, T{0}); });
  in_pieces(n_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Complex<T> own = chirp_[k];
      for (const std::int64_t at : {k, (m - k) % m}) {
        line.re[at] = own.re;
        line.im[at] = -own.im;
      }
    }
  });
  convolved_->forward(line, work + 2 * m);
  in_pieces(m, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      chirp_transform_[k] = {line.re[k] / static_cast<T>(m), line.im[k] / static_cast<T>(m)};
  });
}
template class FourierPlan<float>;
template class FourierPlan<double>;

}  // namespace tessera::runtime
