#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template void binary<Add>(std::span<const TileView>, const TileOut&);
template void binary<Subtract>(std::span<const TileView>, const TileOut&);
template void binary<Multiply>(std::span<const TileView>, const TileOut&);
template void binary<Divide>(std::span<const TileView>, const TileOut&);
template void binary<Remainder>(std::span<const TileView>, const TileOut&);
template void binary<Minimum>(std::span<const TileView>, const TileOut&);
template void binary<Maximum>(std::span<const TileView>, const TileOut&);

namespace {

template <int exponent, class T>
void small_powers(std::span<const TileView> operands, const TileOut& out) {
  map_elements<T, T>(out, operands.first(1), [](T a) { return small_power<exponent>(a); });
}

// False where the exponent is no small whole number.
template <class T>
bool raise(T exponent, std::span<const TileView> operands, const TileOut& out) {
  if (exponent == 2) return small_powers<2, T>(operands, out), true;
  if (exponent == 3) return small_powers<3, T>(operands, out), true;
  if (exponent == 4) return small_powers<4, T>(operands, out), true;
  if (exponent == 1) return small_powers<1, T>(operands, out), true;
  if (exponent == -1) return small_powers<-1, T>(operands, out), true;
  return false;
}

}  // namespace

void power(std::span<const TileView> operands, const TileOut& out) {
  const bool done = synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (Float<T>) {
      if (count(operands[1].shape) == 1) return raise<T>(*typed<T>(operands[1]), operands, out);
    }
    return false;
  });
  if (!done) binary<Power>(operands, out);
}

}  // namespace tessera::runtime::elementwise
