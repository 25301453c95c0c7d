#include <limits>
#include <type_traits>

#include "runtime/kernels/map_loops.hpp"
#include "synth/layout/halves.hpp"

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

// Storage types to f32 and back.
template <synth::ElementType storage>
struct Widened {
  TESSERA_INLINE float operator()(std::uint16_t bits) const { return synth::widened(storage, bits); }
};
template <synth::ElementType storage>
struct Stored {
  TESSERA_INLINE std::uint16_t operator()(float x) const { return synth::stored(storage, x); }
};

template <synth::ElementType storage>
MapLoop storage_cast(bool stores) {
  return stores ? map_loop_of<Stored<storage>, std::uint16_t, float>()
                : map_loop_of<Widened<storage>, float, std::uint16_t>();
}

}  // namespace

// Elements go as they are, whatever they mean.
MapLoop select(synth::ElementType element) {
  return synth::visit_bytes(element, [](auto zero) {
    using Bits = decltype(zero);
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
  const bool stores = synth::is_storage(result);
  const synth::ElementType storage = stores ? result : operand;
  if (storage == synth::ElementType::f16) return storage_cast<synth::ElementType::f16>(stores);
  if (storage == synth::ElementType::bf16) return storage_cast<synth::ElementType::bf16>(stores);
  return synth::visit_element(result, [&](auto to) {
    return synth::visit_element(operand, [](auto from) {
      using R = decltype(to);
      return map_loop_of<Cast<R>, InLoops<R>, InLoops<decltype(from)>>();
    });
  });
}

MapLoop copy(synth::ElementType element) {
  return synth::visit_bytes(element, [](auto zero) { return map_loop_of<Same, decltype(zero), decltype(zero)>(); });
}

}  // namespace tessera::runtime::elementwise
