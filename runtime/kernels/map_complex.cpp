// The loops of complex numbers.
#include <cmath>

#include "runtime/kernels/complex_parts.hpp"
#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

namespace {

template <class T>
struct ComplexOps {
  using C = Complex<T>;

  struct Add {
    C operator()(C a, C b) const { return {a.re + b.re, a.im + b.im}; }
  };
  struct Subtract {
    C operator()(C a, C b) const { return {a.re - b.re, a.im - b.im}; }
  };
  struct Multiply {
    C operator()(C a, C b) const { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  };
  // By the quotient of the divisor's smaller part and its larger one, so that no square overflows. A divisor of 0 gives
  // what its parts give, an infinity or NaN.
  struct Divide {
    C operator()(C a, C b) const {
      if (b.re == 0 && b.im == 0) return {a.re / std::abs(b.re), a.im / std::abs(b.re)};
      if (std::abs(b.re) >= std::abs(b.im)) {
        const T ratio = b.im / b.re;
        const T whole = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / whole, (a.im - a.re * ratio) / whole};
      }
      const T ratio = b.re / b.im;
      const T whole = b.im + b.re * ratio;
      return {(a.re * ratio + a.im) / whole, (a.im * ratio - a.re) / whole};
    }
  };
  struct Negate {
    C operator()(C a) const { return {-a.re, -a.im}; }
  };
  struct Equal {
    Byte operator()(C a, C b) const { return static_cast<Byte>(a.re == b.re && a.im == b.im); }
  };
  struct NotEqual {
    Byte operator()(C a, C b) const { return static_cast<Byte>(a.re != b.re || a.im != b.im); }
  };
  struct Join {
    C operator()(T re, T im) const { return {re, im}; }
  };
  struct Real {
    T operator()(C a) const { return a.re; }
  };
  struct Imaginary {
    T operator()(C a) const { return a.im; }
  };
  struct OfReal {
    template <class A>
    C operator()(A a) const {
      return {static_cast<T>(a), T{0}};
    }
  };
  struct OfComplex {
    template <class A>
    C operator()(Complex<A> a) const {
      return {static_cast<T>(a.re), static_cast<T>(a.im)};
    }
  };
};

template <class T>
MapLoop cast_from(synth::ElementType operand) {
  using Ops = ComplexOps<T>;
  if (synth::is_complex(operand))
    return synth::visit_part(
        operand, [](auto zero) { return map_loop_of<typename Ops::OfComplex, Complex<T>, Complex<decltype(zero)>>(); });
  return synth::visit_element(
      operand, [](auto zero) { return map_loop_of<typename Ops::OfReal, Complex<T>, InLoops<decltype(zero)>>(); });
}

}  // namespace

MapLoop of_complex(synth::MapOp op, synth::ElementType result, synth::ElementType operand) {
  using synth::MapOp;
  return synth::visit_part(synth::is_complex(result) ? result : operand, [&](auto zero) -> MapLoop {
    using T = decltype(zero);
    using C = Complex<T>;
    using Ops = ComplexOps<T>;
    switch (op) {
      case MapOp::add: return map_loop_of<typename Ops::Add, C, C, C>();
      case MapOp::subtract: return map_loop_of<typename Ops::Subtract, C, C, C>();
      case MapOp::multiply: return map_loop_of<typename Ops::Multiply, C, C, C>();
      case MapOp::divide: return map_loop_of<typename Ops::Divide, C, C, C>();
      case MapOp::negate: return map_loop_of<typename Ops::Negate, C, C>();
      case MapOp::equal: return map_loop_of<typename Ops::Equal, Byte, C, C>();
      case MapOp::not_equal: return map_loop_of<typename Ops::NotEqual, Byte, C, C>();
      case MapOp::complex: return map_loop_of<typename Ops::Join, C, T, T>();
      case MapOp::real: return map_loop_of<typename Ops::Real, T, C>();
      case MapOp::imaginary: return map_loop_of<typename Ops::Imaginary, T, C>();
      case MapOp::cast: return cast_from<T>(operand);
      case MapOp::select: return select(result);
      case MapOp::copy: return copy(result);
      case MapOp::remainder:
      case MapOp::power:
      case MapOp::minimum:
      case MapOp::maximum:
      case MapOp::less:
      case MapOp::less_equal:
      case MapOp::greater:
      case MapOp::greater_equal:
      case MapOp::logical_and:
      case MapOp::logical_or:
      case MapOp::logical_not:
      case MapOp::exp:
      case MapOp::exp2:
      case MapOp::log:
      case MapOp::log2:
      case MapOp::log10:
      case MapOp::log1p:
      case MapOp::expm1:
      case MapOp::sqrt:
      case MapOp::rsqrt:
      case MapOp::tanh:
      case MapOp::sigmoid:
      case MapOp::relu:
      case MapOp::gelu:
      case MapOp::erf:
      case MapOp::abs:
      case MapOp::sign:
      case MapOp::floor:
      case MapOp::sin:
      case MapOp::cos:
      case MapOp::arctan:
      case MapOp::clip: break;
    }
    refuse(operand);
  });
}

}  // namespace tessera::runtime::elementwise
