#include "runtime/kernels/map.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/check.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/map_ops.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

using Operands = std::span<const TileView>;

// The position of the first element of `shape` at which the operand, broadcast, is bad.
template <class T, class Bad>
std::optional<std::int64_t> first_bad(const TileView& operand, const synth::Shape& shape, Bad bad) {
  const auto nest = make_nest<1>(shape, {broadcast_strides(operand, shape)});
  const std::int64_t stride = nest.inner_strides()[0];
  std::atomic<std::int64_t> least = nest.count;
  const auto note = [&](std::int64_t position) {
    std::int64_t known = least;
    while (position < known && !least.compare_exchange_weak(known, position)) continue;
  };
  parallel_ranges(nest.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    if (begin > least) return;
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t n) {
      const T* const first = typed<T>(operand) + offsets[0];
      for (std::int64_t i = 0; i < n; ++i) {
        if (bad(first[i * stride])) return note(position + i);
      }
    });
  });
  return least == nest.count ? std::nullopt : std::optional(least.load());
}

// The operand is looked through in its own shape first: mostly nothing is bad, and a scalar is quickly done.
template <class Bad>
std::optional<std::int64_t> first_bad_integer(const TileView& operand, const synth::Shape& shape, Bad bad) {
  if (synth::is_complex(operand.element)) return std::nullopt;
  return synth::visit_element(operand.element, [&](auto zero) -> std::optional<std::int64_t> {
    using T = decltype(zero);
    if constexpr (!Integer<T>)
      return std::nullopt;
    else {
      if (!first_bad<T>(operand, operand.shape, bad)) return std::nullopt;
      return first_bad<T>(operand, shape, bad);
    }
  });
}

std::optional<std::int64_t> first_zero(const TileView& operand, const synth::Shape& shape) {
  return first_bad_integer(operand, shape, [](auto x) { return x == 0; });
}
std::optional<std::int64_t> first_negative(const TileView& operand, const synth::Shape& shape) {
  return first_bad_integer(operand, shape, [](auto x) { return x < 0; });
}

// Elements without a value, before anything is overwritten: `out` may be the memory of the divisor.
std::optional<std::int64_t> first_without_value(synth::MapOp op, Operands operands, const synth::Shape& shape) {
  if (op == synth::MapOp::divide || op == synth::MapOp::remainder) return first_zero(operands[1], shape);
  if (op == synth::MapOp::power) return first_negative(operands[1], shape);
  return std::nullopt;
}

}  // namespace

MapLoop map_loop(synth::MapOp op, Operands operands, synth::ElementType result) {
  namespace e = elementwise;
  using synth::MapOp;
  if (synth::is_complex(result) || synth::is_complex(operands.back().element))
    return e::of_complex(op, result, operands.back().element);
  switch (op) {
    case MapOp::add: return e::binary<e::Add>(result);
    case MapOp::subtract: return e::binary<e::Subtract>(result);
    case MapOp::multiply: return e::binary<e::Multiply>(result);
    case MapOp::divide: return e::binary<e::Divide>(result);
    case MapOp::remainder: return e::binary<e::Remainder>(result);
    case MapOp::power: return e::power(result, operands[1]);
    case MapOp::minimum: return e::binary<e::Minimum>(result);
    case MapOp::maximum: return e::binary<e::Maximum>(result);
    case MapOp::equal: return e::comparison<e::Equal>(operands[0].element);
    case MapOp::not_equal: return e::comparison<e::NotEqual>(operands[0].element);
    case MapOp::less: return e::comparison<e::Less>(operands[0].element);
    case MapOp::less_equal: return e::comparison<e::LessEqual>(operands[0].element);
    case MapOp::greater: return e::swapped_comparison<e::Less>(operands[0].element);
    case MapOp::greater_equal: return e::swapped_comparison<e::LessEqual>(operands[0].element);
    case MapOp::logical_and:
    case MapOp::logical_or:
    case MapOp::logical_not: return e::logical(op);
    case MapOp::bit_and: return e::binary<e::BitAnd>(result);
    case MapOp::bit_or: return e::binary<e::BitOr>(result);
    case MapOp::bit_xor: return e::binary<e::BitXor>(result);
    case MapOp::bit_not: return e::unary<e::BitNot>(result);
    case MapOp::shift_left: return e::binary<e::ShiftLeft>(result);
    case MapOp::shift_right: return e::binary<e::ShiftRight>(result);
    case MapOp::negate: return e::unary<e::Negate>(result);
    case MapOp::exp:
    case MapOp::exp2:
    case MapOp::log:
    case MapOp::log2:
    case MapOp::log10:
    case MapOp::log1p:
    case MapOp::expm1:
    case MapOp::arctan:
    case MapOp::tanh:
    case MapOp::sigmoid:
    case MapOp::gelu:
    case MapOp::erf:
    case MapOp::sin:
    case MapOp::cos: return e::smooth(op, result);
    case MapOp::sqrt: return e::unary<e::Sqrt>(result);
    case MapOp::rsqrt: return e::unary<e::Rsqrt>(result);
    case MapOp::relu: return e::unary<e::Relu>(result);
    case MapOp::abs: return e::unary<e::Abs>(result);
    case MapOp::sign: return e::unary<e::Sign>(result);
    case MapOp::floor: return e::unary<e::Floor>(result);
    case MapOp::select: return e::select(result);
    case MapOp::clip: return e::clip(result);
    case MapOp::cast: return e::cast(result, operands[0].element);
    case MapOp::copy: return e::copy(result);
    case MapOp::complex:
    case MapOp::real:
    case MapOp::imaginary: break;  // one side is complex
  }
  throw base::InternalError("an elementwise operation has no loop");
}

namespace {

template <std::size_t N>
void run_over_tiles(const MapLoop& loop, Operands operands, const TileOut& out) {
  std::array<synth::Shape, N> strides;
  for (std::size_t k = 0; k < N; ++k) strides[k] = broadcast_strides(operands[k], out.shape);
  const auto nest = make_nest(out.shape, strides);
  const std::int64_t out_bytes = synth::bytes_of(out.element);
  parallel_ranges(nest.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<N>& offsets, std::int64_t n) {
      std::array<const std::byte*, N> first;
      for (std::size_t k = 0; k < N; ++k)
        first[k] = operands[k].data + offsets[k] * synth::bytes_of(operands[k].element);
      loop.run(out.data + position * out_bytes, n, first.data(), nest.inner_strides().data());
    });
  });
}

}  // namespace

std::optional<std::int64_t> map(synth::MapOp op, Operands operands, const TileOut& out) {
  if (const auto bad = first_without_value(op, operands, out.shape)) return bad;
  if (is_given_up()) return std::nullopt;  // divisors that nobody has looked at may be anything
  const MapLoop loop = map_loop(op, operands, out.element);
  TESSERA_CHECK(operands.size() >= loop.operands, "an elementwise operation has another number of operands");
  if (loop.operands == 1) run_over_tiles<1>(loop, operands, out);
  if (loop.operands == 2) run_over_tiles<2>(loop, operands, out);
  if (loop.operands == 3) run_over_tiles<3>(loop, operands, out);
  return std::nullopt;
}

}  // namespace tessera::runtime
