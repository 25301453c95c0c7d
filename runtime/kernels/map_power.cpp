// Powers of runs of elements: of integers by products, of floats by vector_functions.hpp.
#include <algorithm>
#include <array>
#include <optional>

#include "runtime/kernels/map_loops.hpp"
#include "runtime/kernels/vector_functions.hpp"

namespace tessera::runtime::elementwise {

namespace {

template <int exponent>
struct SmallPower {
  template <class T>
  TESSERA_INLINE T operator()(T a) const {
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

// A part of an operand's run, side by side.
template <class T>
class Block {
 public:
  static constexpr std::int64_t kLength = 256;

  Block(const std::byte* operand, std::int64_t stride) : first_(reinterpret_cast<const T*>(operand)), stride_(stride) {}

  const T* at(std::int64_t begin, std::int64_t n) {
    if (stride_ == 1) return first_ + begin;
    for (std::int64_t i = 0; i < n; ++i) gathered_[static_cast<std::size_t>(i)] = first_[(begin + i) * stride_];
    return gathered_.data();
  }

 private:
  const T* first_;
  std::int64_t stride_;
  std::array<T, kLength> gathered_;
};

template <class T>
void run_power(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides) {
  static const RunPower<T> function = vector_power<T>(widest_target());
  Block<T> base(operands[0], strides[0]);
  Block<T> exponent(operands[1], strides[1]);
  for (std::int64_t at = 0; at < n; at += Block<T>::kLength) {
    const std::int64_t length = std::min(Block<T>::kLength, n - at);
    function(base.at(at, length), exponent.at(at, length), reinterpret_cast<T*>(out) + at, length);
  }
}

}  // namespace

MapLoop power(synth::ElementType element, const TileView& exponent) {
  return synth::visit_element(element, [&](auto zero) -> MapLoop {
    using T = decltype(zero);
    if constexpr (Float<T>) {
      const auto small = count(exponent.shape) == 1 ? small_power_loop(*typed<T>(exponent)) : std::nullopt;
      return small ? *small : MapLoop{run_power<T>, 2};
    } else if constexpr (Integer<T>) {
      return map_loop_of<Power, T, T, T>();
    } else {
      refuse(element);
    }
  });
}

}  // namespace tessera::runtime::elementwise
