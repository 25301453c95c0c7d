#include <limits>
#include <type_traits>

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

MapLoop select(synth::ElementType element) {
  return synth::visit_element(element, [](auto zero) {
    // Elements go as they are, whatever they mean.
    using T = decltype(zero);
    using Bits =
        std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, Byte>>;
    return map_loop_of<Select, Bits, Byte, Bits, Bits>();
  });
}

MapLoop clip(synth::ElementType element) {
  return synth::visit_element(element, [](auto zero) {
    using T = decltype(zero);
    return map_loop_of<Clip, T, T, T, T>();
  });
}

MapLoop cast(synth::ElementType result, synth::ElementType operand) {
  return synth::visit_element(result, [&](auto to) {
    return synth::visit_element(operand, [](auto from) {
      using R = decltype(to);
      return map_loop_of<Cast<R>, InLoops<R>, InLoops<decltype(from)>>();
    });
  });
}

MapLoop copy(synth::ElementType element) { return unary<Same>(element); }

}  // namespace tessera::runtime::elementwise
