// The loops of complex numbers.
#include <cmath>
#include <utility>

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
    constexpr std::pair<MapOp, MapLoop (*)()> kLoops[] = {
        {MapOp::add, map_loop_of<typename Ops::Add, C, C, C>},
        {MapOp::subtract, map_loop_of<typename Ops::Subtract, C, C, C>},
        {MapOp::multiply, map_loop_of<typename Ops::Multiply, C, C, C>},
        {MapOp::divide, map_loop_of<typename Ops::Divide, C, C, C>},
        {MapOp::negate, map_loop_of<typename Ops::Negate, C, C>},
        {MapOp::equal, map_loop_of<typename Ops::Equal, Byte, C, C>},
        {MapOp::not_equal, map_loop_of<typename Ops::NotEqual, Byte, C, C>},
        {MapOp::complex, map_loop_of<typename Ops::Join, C, T, T>},
        {MapOp::real, map_loop_of<typename Ops::Real, T, C>},
        {MapOp::imaginary, map_loop_of<typename Ops::Imaginary, T, C>}};
    for (const auto& [own, loop] : kLoops) {
      if (own == op) return loop();
    }
    if (op == MapOp::cast) return cast_from<T>(operand);
    if (op == MapOp::select) return select(result);
    if (op == MapOp::copy) return copy(result);
    refuse(operand);
  });
}

}  // namespace tessera::runtime::elementwise
