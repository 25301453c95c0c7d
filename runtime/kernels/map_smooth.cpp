// The smooth functions of tiles: runs of them go through vector_functions.hpp.
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

template <class T>
void apply(RunFunction<T> function, const TileView& operand, const TileOut& out) {
  const auto nest = make_nest<1>(out.shape, {broadcast_strides(operand, out.shape)});
  const std::int64_t stride = nest.inner_strides()[0];
  parallel_ranges(nest.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<1>& at, std::int64_t n) {
      apply_to_run(function, typed<T>(operand) + at[0], stride, typed<T>(out) + position, n);
    });
  });
}

}  // namespace

void smooth(synth::MapOp op, std::span<const TileView> operands, const TileOut& out) {
  TESSERA_CHECK(operands.size() == 1, "a function of one element has another number of operands");
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (Float<T>)
      apply<T>(vector_function<T>(op), operands[0], out);
    else
      refuse(out.element);
  });
}

}  // namespace tessera::runtime::elementwise
