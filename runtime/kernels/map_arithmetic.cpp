#include <optional>

#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template MapLoop binary<Add>(synth::ElementType);
template MapLoop binary<Subtract>(synth::ElementType);
template MapLoop binary<Multiply>(synth::ElementType);
template MapLoop binary<Divide>(synth::ElementType);
template MapLoop binary<Remainder>(synth::ElementType);
template MapLoop binary<Minimum>(synth::ElementType);
template MapLoop binary<Maximum>(synth::ElementType);

namespace {

template <int exponent>
struct SmallPower {
  template <class T>
  T operator()(T a) const {
    return small_power<exponent>(a);
  }
};

// Nothing where the exponent is no small whole number.
template <class T>
std::optional<MapLoop> small_power_loop(T exponent) {
  if (exponent == 2) return map_loop_of<SmallPower<2>, T, T>();
  if (exponent == 3) return map_loop_of<SmallPower<3>, T, T>();
  if (exponent == 4) return map_loop_of<SmallPower<4>, T, T>();
  if (exponent == 1) return map_loop_of<SmallPower<1>, T, T>();
  if (exponent == -1) return map_loop_of<SmallPower<-1>, T, T>();
  return std::nullopt;
}

}  // namespace

MapLoop power(synth::ElementType element, const TileView& exponent) {
  const auto small = synth::visit_element(element, [&](auto zero) -> std::optional<MapLoop> {
    using T = decltype(zero);
    if constexpr (Float<T>) {
      if (count(exponent.shape) == 1) return small_power_loop(*typed<T>(exponent));
    }
    return std::nullopt;
  });
  return small ? *small : binary<Power>(element);
}

}  // namespace tessera::runtime::elementwise
