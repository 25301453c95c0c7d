#include "runtime/kernels/map.hpp"

#include <algorithm>

#include "base/check.hpp"
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
  std::optional<std::int64_t> found;
  for_runs(nest, 0, nest.count, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t n) {
    const T* first = typed<T>(operand) + offsets[0];
    for (std::int64_t i = 0; !found && i < n; ++i) {
      if (bad(first[i * stride])) found = position + i;
    }
  });
  return found;
}

// The operand is looked through in its own shape first: mostly nothing is bad, and a scalar is quickly done.
template <class Bad>
std::optional<std::int64_t> first_bad_integer(const TileView& operand, const synth::Shape& shape, Bad bad) {
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

std::optional<std::int64_t> map(synth::MapOp op, Operands operands, const TileOut& out) {
  namespace e = elementwise;
  using synth::MapOp;
  if (const auto bad = first_without_value(op, operands, out.shape)) return bad;
  switch (op) {
    case MapOp::add: e::binary<e::Add>(operands, out); break;
    case MapOp::subtract: e::binary<e::Subtract>(operands, out); break;
    case MapOp::multiply: e::binary<e::Multiply>(operands, out); break;
    case MapOp::divide: e::binary<e::Divide>(operands, out); break;
    case MapOp::remainder: e::binary<e::Remainder>(operands, out); break;
    case MapOp::power: e::power(operands, out); break;
    case MapOp::minimum: e::binary<e::Minimum>(operands, out); break;
    case MapOp::maximum: e::binary<e::Maximum>(operands, out); break;
    case MapOp::equal: e::comparison<e::Equal>(operands, out); break;
    case MapOp::not_equal: e::comparison<e::NotEqual>(operands, out); break;
    case MapOp::less: e::comparison<e::Less>(operands, out); break;
    case MapOp::less_equal: e::comparison<e::LessEqual>(operands, out); break;
    case MapOp::greater: e::comparison<e::Greater>(operands, out); break;
    case MapOp::greater_equal: e::comparison<e::GreaterEqual>(operands, out); break;
    case MapOp::logical_and: e::binary<e::LogicalAnd>(operands, out); break;
    case MapOp::logical_or: e::binary<e::LogicalOr>(operands, out); break;
    case MapOp::logical_not: e::unary<e::LogicalNot>(operands, out); break;
    case MapOp::negate: e::unary<e::Negate>(operands, out); break;
    case MapOp::exp:
    case MapOp::exp2:
    case MapOp::log:
    case MapOp::tanh:
    case MapOp::sigmoid:
    case MapOp::gelu:
    case MapOp::erf:
    case MapOp::sin:
    case MapOp::cos: e::smooth(op, operands, out); break;
    case MapOp::sqrt: e::unary<e::Sqrt>(operands, out); break;
    case MapOp::rsqrt: e::unary<e::Rsqrt>(operands, out); break;
    case MapOp::relu: e::unary<e::Relu>(operands, out); break;
    case MapOp::abs: e::unary<e::Abs>(operands, out); break;
    case MapOp::sign: e::unary<e::Sign>(operands, out); break;
    case MapOp::floor: e::unary<e::Floor>(operands, out); break;
    case MapOp::select: e::select(operands, out); break;
    case MapOp::clip: e::clip(operands, out); break;
    case MapOp::cast: e::cast(operands, out); break;
    case MapOp::copy: e::copy(operands, out); break;
  }
  return std::nullopt;
}

}  // namespace tessera::runtime
