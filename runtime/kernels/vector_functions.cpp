#include "runtime/kernels/vector_functions.hpp"

#include <algorithm>
#include <array>
#include <concepts>

#include "runtime/kernels/formulas.hpp"
#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime {

namespace {

using formulas::Precision;

#define TESSERA_FUNCTION(Name, formula)         \
  struct Name {                                 \
    template <Precision precision>              \
    TESSERA_INLINE static double of(double x) { \
      return formulas::formula<precision>(x);   \
    }                                           \
  };
TESSERA_FUNCTION(Exp, exp)
TESSERA_FUNCTION(Exp2, exp2)
TESSERA_FUNCTION(Log, log)
TESSERA_FUNCTION(Tanh, tanh)
TESSERA_FUNCTION(Sigmoid, sigmoid)
TESSERA_FUNCTION(Gelu, gelu)
TESSERA_FUNCTION(Erf, erf)
#undef TESSERA_FUNCTION

template <class T>
inline constexpr Precision kPrecision = std::same_as<T, float> ? Precision::single : Precision::full;

template <class Function>
struct Plain {
  template <class T>
  TESSERA_INLINE static void run(const T* in, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(Function::template of<kPrecision<T>>(in[i]));
  }
};

// Sines; a cosine is that of an angle one quarter on. Angles too large for the formula are seldom, so a block without
// one is reduced by vectors, and one with them element by element. An infinite angle is NaN, and -0.0 keeps its sign.
template <std::uint64_t quarters>
struct Circular {
  static constexpr std::int64_t kBlock = 256;

  template <class T>
  TESSERA_INLINE static T of(double x, formulas::Angle angle) {
    angle.quarters += quarters;
    const double value = formulas::sine<kPrecision<T>>(angle);
    return static_cast<T>(quarters == 0 && x == 0.0 ? x : value);
  }
  template <class T>
  TESSERA_INLINE static void run_large_block(const T* in, T* out, std::int64_t n) {
    std::array<double, kBlock> high;
    std::array<double, kBlock> low;
    std::array<std::uint64_t, kBlock> turned;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = in[i];
      const bool is_large = !(formulas::magnitude(x) <= formulas::kAngleMax);
      const formulas::Angle angle = is_large ? formulas::reduce_large_angle(x) : formulas::reduce_angle(x);
      high[i] = angle.high;
      low[i] = angle.low;
      turned[i] = angle.quarters;
    }
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = of<T>(in[i], formulas::Angle{high[i], low[i], turned[i]});
  }
  template <class T>
  TESSERA_INLINE static void run_block(const T* in, T* out, std::int64_t n) {
    bool is_small = true;
    for (std::int64_t i = 0; i < n; ++i) is_small &= in[i] <= T{0x1p20} && in[i] >= T{-0x1p20};
    if (!is_small) return run_large_block(in, out, n);
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = of<T>(in[i], formulas::reduce_angle(in[i]));
  }
  template <class T>
  TESSERA_INLINE static void run(const T* in, T* out, std::int64_t n) {
    for (std::int64_t at = 0; at < n; at += kBlock) run_block(in + at, out + at, std::min(kBlock, n - at));
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
  if (op == MapOp::exp) return loop_for<Plain<Exp>, T>(target);
  if (op == MapOp::exp2) return loop_for<Plain<Exp2>, T>(target);
  if (op == MapOp::log) return loop_for<Plain<Log>, T>(target);
  if (op == MapOp::tanh) return loop_for<Plain<Tanh>, T>(target);
  if (op == MapOp::sigmoid) return loop_for<Plain<Sigmoid>, T>(target);
  if (op == MapOp::gelu) return loop_for<Plain<Gelu>, T>(target);
  if (op == MapOp::erf) return loop_for<Plain<Erf>, T>(target);
  if (op == MapOp::sin) return loop_for<Circular<0>, T>(target);
  if (op == MapOp::cos) return loop_for<Circular<1>, T>(target);
  return nullptr;
}

template <class T>
RunFunction<T> vector_function(synth::MapOp op) {
  return vector_function<T>(op, widest_target());
}

template RunFunction<float> vector_function<float>(synth::MapOp, VectorTarget);
template RunFunction<double> vector_function<double>(synth::MapOp, VectorTarget);
template RunFunction<float> vector_function<float>(synth::MapOp);
template RunFunction<double> vector_function<double>(synth::MapOp);

}  // namespace tessera::runtime
