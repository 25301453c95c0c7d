// The smooth functions of runs of elements, by vector_functions.hpp.
#include <algorithm>
#include <array>

#include "runtime/kernels/map_loops.hpp"
#include "runtime/kernels/vector_functions.hpp"

namespace tessera::runtime::elementwise {

namespace {

// Elements that do not lie side by side are brought together first.
template <class T>
void apply_to_run(RunFunction<T> function, const T* in, std::int64_t stride, T* out, std::int64_t n) {
  if (stride == 1) return function(in, out, n);
  constexpr std::int64_t kBlock = 512;
  std::array<T, kBlock> gathered;
  for (std::int64_t at = 0; at < n; at += kBlock) {
    const std::int64_t length = std::min(kBlock, n - at);
    for (std::int64_t i = 0; i < length; ++i) gathered[static_cast<std::size_t>(i)] = in[(at + i) * stride];
    function(gathered.data(), out + at, length);
  }
}

template <synth::MapOp op, class T>
void run_smooth(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides) {
  static const RunFunction<T> function = vector_function<T>(op);
  apply_to_run(function, reinterpret_cast<const T*>(operands[0]), strides[0], reinterpret_cast<T*>(out), n);
}

template <class T>
MapLoop smooth_loop(synth::MapOp op) {
  using synth::MapOp;
  MapLoop loop{nullptr, 1};
  [&]<MapOp... all>(std::integer_sequence<MapOp, all...>) {
    ((op == all ? void(loop.run = run_smooth<all, T>) : void()), ...);
  }(std::integer_sequence<MapOp, MapOp::exp, MapOp::exp2, MapOp::log, MapOp::tanh, MapOp::sigmoid, MapOp::gelu,
                          MapOp::erf, MapOp::sin, MapOp::cos, MapOp::log2, MapOp::log10, MapOp::log1p, MapOp::expm1,
                          MapOp::arctan>{});
  return loop;
}

}  // namespace

MapLoop smooth(synth::MapOp op, synth::ElementType element) {
  if (element == synth::ElementType::f32) return smooth_loop<float>(op);
  if (element == synth::ElementType::f64) return smooth_loop<double>(op);
  refuse(element);
}

}  // namespace tessera::runtime::elementwise
