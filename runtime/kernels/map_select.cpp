#include <limits>

#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

namespace {

struct Same {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};

// Truncates; saturates at the ends; NaN gives 0.
template <Integer R, Float T>
R truncate(T x) {
  if (x != x) return 0;
  // The least integer is a power of two, so exact as a float; the first value above the greatest is its negative.
  const T least = static_cast<T>(std::numeric_limits<R>::min());
  if (x >= -least) return std::numeric_limits<R>::max();
  if (x < least) return std::numeric_limits<R>::min();
  return static_cast<R>(x);
}

template <class R>
struct Cast {
  template <class T>
  R operator()(T x) const {
    if constexpr (Boolean<R>)
      return x != T{};
    else if constexpr (Integer<R> && Float<T>)
      return truncate<R>(x);
    else
      return static_cast<R>(x);
  }
};

}  // namespace

void select(std::span<const TileView> operands, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    map_elements<T, bool, T, T>(out, operands, Select{});
  });
}

void clip(std::span<const TileView> operands, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    map_elements<T, T, T, T>(out, operands, Clip{});
  });
}

void cast(std::span<const TileView> operands, const TileOut& out) {
  synth::visit_element(out.element, [&](auto result) {
    synth::visit_element(operands[0].element, [&](auto operand) {
      using R = decltype(result);
      using T = decltype(operand);
      map_elements<R, T>(out, operands, Cast<R>{});
    });
  });
}

void copy(std::span<const TileView> operands, const TileOut& out) { unary<Same>(operands, out); }

}  // namespace tessera::runtime::elementwise
