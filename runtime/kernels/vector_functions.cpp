#include "runtime/kernels/vector_functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "runtime/elements/functions.hpp"

namespace tessera::runtime {

namespace {

template <class Function>
struct Plain {
  template <class T>
  TESSERA_INLINE static void run(const T* in, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = Function::of(in[i]);
  }
};

constexpr std::int64_t kBlock = 256;

// Is any of n numbers NaN or of more than this magnitude? Without their signs the bits of floats are in the order of
// the numbers, NaN above all.
template <class T>
TESSERA_INLINE bool any_above(const T* in, std::int64_t n, T limit) {
  formulas::BitsOf<T> most = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::max(most, formulas::bits_of(formulas::magnitude(in[i])));
  return most > formulas::bits_of(limit);
}

struct ModestExponents {
  template <class T>
  TESSERA_INLINE static bool hold(const T* in, std::int64_t n) {
    return !any_above(in, n, formulas::Format<T>::usual_exponent);
  }
};
struct NormalPositives {
  template <class T>
  TESSERA_INLINE static bool hold(const T* in, std::int64_t n) {
    constexpr auto kLeast = std::bit_cast<formulas::BitsOf<T>>(std::numeric_limits<T>::min());
    constexpr auto kInfinite = std::bit_cast<formulas::BitsOf<T>>(std::numeric_limits<T>::infinity());
    formulas::BitsOf<T> most = 0;
    for (std::int64_t i = 0; i < n; ++i) most = std::max(most, formulas::bits_of(in[i]) - kLeast);
    return most < kInfinite - kLeast;
  }
};

// Blocks of usual numbers, which nearly all are, by a shorter formula of the same bits.
template <class Function, class UsualFunction, class Usual>
struct Shortened {
  template <class T>
  TESSERA_INLINE static void run(const T* in, T* out, std::int64_t n) {
    for (std::int64_t at = 0; at < n; at += kBlock) {
      const std::int64_t length = std::min(kBlock, n - at);
      if (Usual::hold(in + at, length))
        Plain<UsualFunction>::run(in + at, out + at, length);
      else
        Plain<Function>::run(in + at, out + at, length);
    }
  }
};

// Angles too large for a formula are rare: a block that holds some is taken again, for these alone, by the next
// formula, and at last angle by angle.
template <std::uint8_t quarters>
struct Circular {
  template <class T>
  TESSERA_INLINE static T of(T x, formulas::Angle<T> angle) {
    return functions::Circular<quarters>::of(x, angle);
  }
  TESSERA_INLINE static void run_block(const double* in, double* out, std::int64_t n) {
    std::array<double, kBlock> large;
    const bool has_large = any_above(in, n, formulas::kAngleMax);
    if (has_large) std::copy_n(in, n, large.data());
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = of(in[i], formulas::reduce_angle(in[i]));
    for (std::int64_t i = 0; has_large && i < n; ++i) {
      const double x = large[i];
      if (!(formulas::magnitude(x) <= formulas::kAngleMax)) out[i] = of(x, formulas::reduce_large_angle(x));
    }
  }
  TESSERA_INLINE static void run_block(const float* in, float* out, std::int64_t n) {
    std::array<double, kBlock> wide;
    std::array<float, kBlock> single;
    const bool has_large = any_above(in, n, formulas::kSingleAngleMax);
    float* const small = has_large ? single.data() : out;
    if (has_large) {
      for (std::int64_t i = 0; i < n; ++i) wide[i] = in[i];
    }
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) small[i] = of(in[i], formulas::reduce_angle(in[i]));
    if (!has_large) return;
    run_block(wide.data(), wide.data(), n);
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) {
      const bool is_small = formulas::magnitude(in[i]) <= formulas::kSingleAngleMax;
      out[i] = is_small ? single[i] : static_cast<float>(wide[i]);
    }
  }
  template <class T>
  TESSERA_INLINE static void run(const T* in, T* out, std::int64_t n) {
    for (std::int64_t at = 0; at < n; at += kBlock) run_block(in + at, out + at, std::min(kBlock, n - at));
  }
};

struct Powers {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = functions::Power::of(a[i], b[i]);
  }
};

template <class Loop, class T>
RunFunction<T> loop_for(VectorTarget target) {
  return for_target<Loop>::template with<const T*, T*, std::int64_t>::of(target);
}

}  // namespace

template <class T>
RunFunction<T> vector_function(synth::MapOp op, VectorTarget target) {
  using synth::MapOp;
  if (op == MapOp::exp) return loop_for<Shortened<functions::Exp, functions::UsualExp, ModestExponents>, T>(target);
  if (op == MapOp::exp2) return loop_for<Plain<functions::Exp2>, T>(target);
  if (op == MapOp::log) return loop_for<Shortened<functions::Log, functions::UsualLog, NormalPositives>, T>(target);
  if (op == MapOp::tanh) return loop_for<Plain<functions::Tanh>, T>(target);
  if (op == MapOp::sigmoid)
    return loop_for<Shortened<functions::Sigmoid, functions::UsualSigmoid, ModestExponents>, T>(target);
  if (op == MapOp::gelu) return loop_for<Plain<functions::Gelu>, T>(target);
  if (op == MapOp::erf) return loop_for<Plain<functions::Erf>, T>(target);
  if (op == MapOp::log2) return loop_for<Plain<functions::Log2>, T>(target);
  if (op == MapOp::log10) return loop_for<Plain<functions::Log10>, T>(target);
  if (op == MapOp::log1p) return loop_for<Plain<functions::Log1p>, T>(target);
  if (op == MapOp::expm1) return loop_for<Plain<functions::Expm1>, T>(target);
  if (op == MapOp::arctan) return loop_for<Plain<functions::Arctan>, T>(target);
  if (op == MapOp::sin) return loop_for<Circular<0>, T>(target);
  if (op == MapOp::cos) return loop_for<Circular<1>, T>(target);
  return nullptr;
}

template <class T>
RunFunction<T> vector_function(synth::MapOp op) {
  return vector_function<T>(op, widest_target());
}

template <class T>
RunPower<T> vector_power(VectorTarget target) {
  return for_target<Powers>::with<const T*, const T*, T*, std::int64_t>::of(target);
}

template RunPower<float> vector_power<float>(VectorTarget);
template RunPower<double> vector_power<double>(VectorTarget);
template RunFunction<float> vector_function<float>(synth::MapOp, VectorTarget);
template RunFunction<double> vector_function<double>(synth::MapOp, VectorTarget);
template RunFunction<float> vector_function<float>(synth::MapOp);
template RunFunction<double> vector_function<double>(synth::MapOp);

}  // namespace tessera::runtime
