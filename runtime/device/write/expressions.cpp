#include "runtime/device/write/expressions.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace tessera::device {

namespace {

using synth::ElementType;
using synth::MapOp;

// How an operation is spelled, and about how many instructions it takes of an f32.
struct Spelling {
  std::string_view text;  // a functor, or with a last `(` the beginning of a call
  int weight = 1;
};

Spelling spelling(MapOp op) {
  switch (op) {
    case MapOp::add: return {"elementwise::Add{}("};
    case MapOp::subtract: return {"elementwise::Subtract{}("};
    case MapOp::multiply: return {"elementwise::Multiply{}("};
    case MapOp::divide: return {"elementwise::Divide{}(", 10};
    case MapOp::remainder: return {"elementwise::Remainder{}(", 60};
    case MapOp::power: return {"power(", 150};
    case MapOp::minimum: return {"elementwise::Minimum{}(", 3};
    case MapOp::maximum: return {"elementwise::Maximum{}(", 3};
    case MapOp::equal: return {"elementwise::Equal{}("};
    case MapOp::not_equal: return {"elementwise::NotEqual{}("};
    case MapOp::less:
    case MapOp::greater: return {"elementwise::Less{}("};
    case MapOp::less_equal:
    case MapOp::greater_equal: return {"elementwise::LessEqual{}("};
    case MapOp::logical_and: return {"elementwise::LogicalAnd{}("};
    case MapOp::logical_or: return {"elementwise::LogicalOr{}("};
    case MapOp::logical_not: return {"elementwise::LogicalNot{}("};
    case MapOp::bit_and: return {"elementwise::BitAnd{}("};
    case MapOp::bit_or: return {"elementwise::BitOr{}("};
    case MapOp::bit_xor: return {"elementwise::BitXor{}("};
    case MapOp::bit_not: return {"elementwise::BitNot{}("};
    case MapOp::shift_left: return {"elementwise::ShiftLeft{}(", 4};
    case MapOp::shift_right: return {"elementwise::ShiftRight{}(", 4};
    case MapOp::negate: return {"elementwise::Negate{}("};
    case MapOp::exp: return {"functions::Exp::of(", 20};
    case MapOp::exp2: return {"functions::Exp2::of(", 20};
    case MapOp::log: return {"functions::Log::of(", 35};
    case MapOp::log2: return {"functions::Log2::of(", 70};
    case MapOp::log10: return {"functions::Log10::of(", 70};
    case MapOp::log1p: return {"functions::Log1p::of(", 80};
    case MapOp::expm1: return {"functions::Expm1::of(", 60};
    case MapOp::sqrt: return {"elementwise::Sqrt{}(", 10};
    case MapOp::rsqrt: return {"elementwise::Rsqrt{}(", 20};
    case MapOp::tanh: return {"functions::Tanh::of(", 30};
    case MapOp::sigmoid: return {"functions::Sigmoid::of(", 30};
    case MapOp::relu: return {"elementwise::Relu{}(", 2};
    case MapOp::gelu: return {"functions::Gelu::of(", 50};
    case MapOp::erf: return {"functions::Erf::of(", 30};
    case MapOp::abs: return {"elementwise::Abs{}("};
    case MapOp::sign: return {"elementwise::Sign{}(", 3};
    case MapOp::floor: return {"elementwise::Floor{}(", 8};
    case MapOp::sin: return {"functions::Sin::of(", 200};
    case MapOp::cos: return {"functions::Cos::of(", 200};
    case MapOp::arctan: return {"functions::Arctan::of(", 80};
    case MapOp::complex:
    case MapOp::real:
    case MapOp::imaginary: break;  // steps of complex numbers are the host's
    case MapOp::select: return {"elementwise::Select{}("};
    case MapOp::clip: return {"elementwise::Clip{}(", 5};
    case MapOp::cast: return {"", 3};
    case MapOp::copy: return {"("};
  }
  throw base::InternalError("an elementwise operation has no text");
}

std::string cast_text(ElementType from, ElementType to, const std::string& name) {
  if (from == ElementType::f16) return fmt::format("elementwise::WidenedF16{{}}({})", name);
  if (from == ElementType::bf16) return fmt::format("elementwise::WidenedBf16{{}}({})", name);
  if (to == ElementType::f16) return fmt::format("elementwise::StoredF16{{}}({})", name);
  if (to == ElementType::bf16) return fmt::format("elementwise::StoredBf16{{}}({})", name);
  const bool is_stored = synth::is_stored_integer(from) || synth::is_stored_integer(to);
  return fmt::format("elementwise::{}<{}>{{}}({})", is_stored ? "Converted" : "Cast", type_text(to), name);
}

bool is_swapped(MapOp op) { return op == MapOp::greater || op == MapOp::greater_equal; }

bool is_of_integers(const Value& value) { return !synth::is_float(value.element); }

}  // namespace

std::string_view type_text(ElementType element) {
  switch (element) {
    case ElementType::boolean: return "bool";
    case ElementType::i32: return "std::int32_t";
    case ElementType::i64: return "std::int64_t";
    case ElementType::f32: return "float";
    case ElementType::f64: return "double";
    case ElementType::i8: return "std::int8_t";
    case ElementType::u8: return "std::uint8_t";
    case ElementType::i16: return "std::int16_t";
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::u16: return "std::uint16_t";
    case ElementType::u32: return "std::uint32_t";
    case ElementType::c64:
    case ElementType::c128: break;  // steps of complex numbers are the host's
  }
  return "";
}

std::string expression(const Formula& formula, const Value& value, std::span<const std::string> names) {
  const ElementType first = formula.values[value.operands[0]].element;
  if (value.op == MapOp::cast) {
    return first == value.element ? names[0] : cast_text(first, value.element, names[0]);
  }
  if (value.op == MapOp::power && is_of_integers(value))
    return fmt::format("elementwise::Power{{}}({}, {})", names[0], names[1]);
  if (is_swapped(value.op)) return fmt::format("{}{}, {})", spelling(value.op).text, names[1], names[0]);
  return fmt::format("{}{})", spelling(value.op).text, fmt::join(names, ", "));
}

std::string combine_text(const Value& value) {
  const auto name = [&]() -> std::string_view {
    switch (value.how) {
      case synth::ReduceKind::sum: return "sum";
      case synth::ReduceKind::product: return "product";
      case synth::ReduceKind::max: return "max";
      case synth::ReduceKind::min: return "min";
    }
    return "";
  }();
  return fmt::format("runtime::Combine<synth::ReduceKind::{}, {}>", name, type_text(value.element));
}

int weight_of(const Value& value) {
  if (value.kind != Value::Kind::map) return 1;
  return spelling(value.op).weight * (value.element == ElementType::f64 ? 2 : 1);
}

}  // namespace tessera::device
