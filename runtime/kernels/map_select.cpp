#include <limits>
#include <type_traits>

#include "runtime/elements/casts.hpp"
#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

namespace {

// One loop for all processors: these steps wait for memory.
template <class F, class R, class A>
void convert_run(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides) {
  auto* const to = reinterpret_cast<R*>(out);
  const auto* const from = reinterpret_cast<const A*>(operands[0]);
  if (strides[0] == 1) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) to[i] = F{}(from[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = F{}(from[i * strides[0]]);
  }
}

template <class Stored, class Widened>
MapLoop storage_cast(bool stores) {
  return stores ? MapLoop{convert_run<Stored, std::uint16_t, float>, 1}
                : MapLoop{convert_run<Widened, float, std::uint16_t>, 1};
}

MapLoop integer_cast(synth::ElementType storage, bool stores) {
  return synth::visit_stored_integer(storage, [&](auto zero) {
    using T = decltype(zero);
    return stores ? MapLoop{convert_run<Converted<T>, T, std::int64_t>, 1}
                  : MapLoop{convert_run<Converted<std::int64_t>, std::int64_t, T>, 1};
  });
}

}  // namespace

// Elements go as they are, whatever they mean; those of storage types have been widened.
MapLoop select(synth::ElementType element) {
  switch (synth::bytes_of(element)) {
    case 16: return map_loop_of<Select, synth::SixteenBytes, Byte, synth::SixteenBytes, synth::SixteenBytes>();
    case 8: return map_loop_of<Select, std::uint64_t, Byte, std::uint64_t, std::uint64_t>();
    case 4: return map_loop_of<Select, std::uint32_t, Byte, std::uint32_t, std::uint32_t>();
    case 1: return map_loop_of<Select, Byte, Byte, Byte, Byte>();
    default: refuse(element);
  }
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
  if (synth::is_stored_integer(storage)) return integer_cast(storage, stores);
  if (storage == synth::ElementType::f16) return storage_cast<StoredF16, WidenedF16>(stores);
  if (storage == synth::ElementType::bf16) return storage_cast<StoredBf16, WidenedBf16>(stores);
  return synth::visit_element(result, [&](auto to) {
    return synth::visit_element(operand, [](auto from) {
      using R = decltype(to);
      return MapLoop{convert_run<Cast<R>, InLoops<R>, InLoops<decltype(from)>>, 1};
    });
  });
}

MapLoop copy(synth::ElementType element) {
  return synth::visit_bytes(element, [](auto zero) { return map_loop_of<Same, decltype(zero), decltype(zero)>(); });
}

}  // namespace tessera::runtime::elementwise
