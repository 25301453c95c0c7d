#include "typeck/elaborate/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "synth/layout/half_elements.hpp"

namespace tessera::typeck {

using frontend::BinaryOp;
using frontend::UnaryOp;

bool takes_fractions(ElementType element) { return synth::is_rounded(synth::computed_as(element)); }

bool is_arithmetic(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::subtract:
    case BinaryOp::multiply:
    case BinaryOp::divide:
    case BinaryOp::remainder:
    case BinaryOp::power:;
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
    case BinaryOp::bit_and:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return true;
    case BinaryOp::logical_or:
    case BinaryOp::logical_and:
    case BinaryOp::equal:
    case BinaryOp::not_equal:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal:
    case BinaryOp::matmul: return false;
  }
  return false;
}

bool is_of_bits(BinaryOp op) {
  return op == BinaryOp::bit_or || op == BinaryOp::bit_xor || op == BinaryOp::bit_and || op == BinaryOp::shift_left ||
         op == BinaryOp::shift_right;
}

synth::MapOp map_op(UnaryOp op) {
  switch (op) {
    case UnaryOp::negate: return synth::MapOp::negate;
    case UnaryOp::bit_not: return synth::MapOp::bit_not;
    case UnaryOp::logical_not: return synth::MapOp::logical_not;
  }
  TESSERA_CHECK(false, "there is no such operator");
}

synth::MapOp map_op(BinaryOp op) {
  switch (op) {
    case BinaryOp::logical_or: return synth::MapOp::logical_or;
    case BinaryOp::logical_and: return synth::MapOp::logical_and;
    case BinaryOp::equal: return synth::MapOp::equal;
    case BinaryOp::not_equal: return synth::MapOp::not_equal;
    case BinaryOp::less: return synth::MapOp::less;
    case BinaryOp::less_equal: return synth::MapOp::less_equal;
    case BinaryOp::greater: return synth::MapOp::greater;
    case BinaryOp::greater_equal: return synth::MapOp::greater_equal;
    case BinaryOp::add: return synth::MapOp::add;
    case BinaryOp::subtract: return synth::MapOp::subtract;
    case BinaryOp::multiply: return synth::MapOp::multiply;
    case BinaryOp::divide: return synth::MapOp::divide;
    case BinaryOp::remainder: return synth::MapOp::remainder;
    case BinaryOp::power: return synth::MapOp::power;
    case BinaryOp::bit_or: return synth::MapOp::bit_or;
    case BinaryOp::bit_xor: return synth::MapOp::bit_xor;
    case BinaryOp::bit_and: return synth::MapOp::bit_and;
    case BinaryOp::shift_left: return synth::MapOp::shift_left;
    case BinaryOp::shift_right: return synth::MapOp::shift_right;
    case BinaryOp::matmul: break;
  }
  TESSERA_CHECK(false, "`@` is not elementwise");
}

namespace {

bool is_of_complex(BinaryOp op) {
  return op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply || op == BinaryOp::divide ||
         op == BinaryOp::matmul;
}

}  // namespace

bool binary_accepts(BinaryOp op, ElementType element) {
  const bool logical = op == BinaryOp::logical_or || op == BinaryOp::logical_and;
  const bool equality = op == BinaryOp::equal || op == BinaryOp::not_equal;
  if (equality) return true;
  if (is_of_bits(op)) return synth::is_integer(element);
  if (synth::is_complex(element)) return is_of_complex(op);
  return logical == (element == ElementType::boolean);
}

namespace {

constexpr const char* kOnlyIntegersHaveBits = "only integers have bits: cast it, as in i64(...)";

// `a & b` of what is no integer.
std::string help_for_bits(BinaryOp op, ElementType element) {
  const bool is_shift = op == BinaryOp::shift_left || op == BinaryOp::shift_right;
  if (op == BinaryOp::bit_xor && element != ElementType::boolean) return "a power is written `a ** b`";
  if (is_shift || element != ElementType::boolean) return kOnlyIntegersHaveBits;
  return op == BinaryOp::bit_and  ? "of bool write `a && b`"
         : op == BinaryOp::bit_or ? "of bool write `a || b`"
                                  : "of bool write `a != b`";
}

}  // namespace

bool unary_accepts(UnaryOp op, ElementType element) {
  if (op == UnaryOp::bit_not) return synth::is_integer(element);
  return (op == UnaryOp::negate) == (element != ElementType::boolean);
}

std::string unsupported_help(UnaryOp op, ElementType element) {
  if (op == UnaryOp::negate) return "cast it first, as in i64(...)";
  if (op == UnaryOp::logical_not) return "compare it, as in `a == 0`";
  return element == ElementType::boolean ? "of bool write `!a`" : kOnlyIntegersHaveBits;
}

std::string unsupported_help(BinaryOp op, ElementType element) {
  if (is_of_bits(op)) return help_for_bits(op, element);
  if (synth::is_complex(element) && op == BinaryOp::power) return "write a product, as in `a * a`";
  if (synth::is_complex(element) && op != BinaryOp::logical_or && op != BinaryOp::logical_and)
    return "complex numbers have no order: take `abs(a)`, `re(a)` or `im(a)`";
  if (op == BinaryOp::logical_or || op == BinaryOp::logical_and) return "compare first, as in `a != 0`";
  return "cast it first, as in i64(...)";
}

namespace {

// A type that holds all numbers of another one comes after it.
int width_of(ElementType element) { return synth::is_storage(element) ? 0 : 1 + static_cast<int>(element); }

}  // namespace

std::string cast_help(ElementType a, const std::string& a_text, ElementType b, const std::string& b_text) {
  if (synth::is_storage(a) && synth::is_storage(b)) return fmt::format("cast both: f32({}), f32({})", a_text, b_text);
  const bool cast_left = width_of(a) < width_of(b);
  const std::string& operand = cast_left ? a_text : b_text;
  return fmt::format("cast one of them: {}({})", synth::name(cast_left ? b : a), operand);
}

std::optional<KnownScalar> literal_value(const Ast& ast, ExprId id) {
  const auto& node = ast[id].node;
  if (const auto* integer = std::get_if<frontend::IntLiteral>(&node)) return integer->value;
  if (const auto* number = std::get_if<frontend::FloatLiteral>(&node))
    return number->is_imaginary ? std::nullopt : std::optional<KnownScalar>(number->value);
  if (const auto* truth = std::get_if<frontend::BoolLiteral>(&node)) return truth->value;
  const auto* unary = std::get_if<frontend::Unary>(&node);
  if (unary == nullptr || unary->op != frontend::UnaryOp::negate) return std::nullopt;
  const auto operand = literal_value(ast, unary->operand);
  if (!operand.has_value() || std::holds_alternative<bool>(*operand)) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&*operand))
    return KnownScalar(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(*integer)));
  return KnownScalar(-std::get<double>(*operand));
}

bool is_number_literal(const Ast& ast, ExprId id) {
  const auto& node = ast[id].node;
  if (const auto* unary = std::get_if<frontend::Unary>(&node)) return is_number_literal(ast, unary->operand);
  if (const auto* binary = std::get_if<frontend::Binary>(&node))
    return is_number_literal(ast, binary->left) && is_number_literal(ast, binary->right);
  return std::holds_alternative<frontend::IntLiteral>(node) || std::holds_alternative<frontend::FloatLiteral>(node);
}

namespace {

bool has_imaginary_literal(const Ast& ast, ExprId id) {
  const auto& node = ast[id].node;
  if (const auto* unary = std::get_if<frontend::Unary>(&node)) return has_imaginary_literal(ast, unary->operand);
  if (const auto* binary = std::get_if<frontend::Binary>(&node))
    return has_imaginary_literal(ast, binary->left) || has_imaginary_literal(ast, binary->right);
  const auto* number = std::get_if<frontend::FloatLiteral>(&node);
  return number != nullptr && number->is_imaginary;
}

}  // namespace

std::string help_for_item(const Ast& ast, ExprId id) {
  if (!is_number_literal(ast, id))
    return "a value is put in its place, as in `[1.0, 0.0] with [1] = b`; arrays are joined: `concat([reshape(a, [1]), "
           "[2.5]], 0)`";
  return has_imaginary_literal(ast, id) ? "complex numbers are joined: `complex([1.0, 0.0], [0.0, 2.0])`"
                                        : "arithmetic stands outside of the list, as in `[1.0, 3.0] / 2.0`";
}

bool has_float_literal(const Ast& ast, ExprId id) {
  const auto& node = ast[id].node;
  if (std::holds_alternative<frontend::FloatLiteral>(node)) return true;
  if (const auto* unary = std::get_if<frontend::Unary>(&node)) return has_float_literal(ast, unary->operand);
  if (const auto* binary = std::get_if<frontend::Binary>(&node)) {
    return has_float_literal(ast, binary->left) || has_float_literal(ast, binary->right);
  }
  if (const auto* list = std::get_if<frontend::ListLiteral>(&node)) {
    for (const ExprId item : list->items) {
      if (has_float_literal(ast, item)) return true;
    }
  }
  return false;
}

std::string print_known(const KnownScalar& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return fmt::format("{}", std::get<double>(value));
}

namespace {

std::int64_t wrap(std::uint64_t bits, ElementType element) {
  if (element == ElementType::i32) return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  return static_cast<std::int64_t>(bits);
}

std::int64_t least(ElementType element) {
  return element == ElementType::i32 ? std::numeric_limits<std::int32_t>::min()
                                     : std::numeric_limits<std::int64_t>::min();
}

// Floor division and the remainder with the divisor's sign, as Python has them.
std::optional<std::int64_t> floor_divide(std::int64_t a, std::int64_t b, ElementType element) {
  if (b == 0) return std::nullopt;
  if (b == -1) return a == least(element) ? a : -a;
  const std::int64_t quotient = a / b;
  return quotient - static_cast<std::int64_t>(a % b != 0 && (a % b < 0) != (b < 0));
}

std::optional<std::int64_t> power(std::int64_t base_value, std::int64_t exponent, ElementType element) {
  if (exponent < 0) return std::nullopt;
  auto factor = static_cast<std::uint64_t>(base_value);
  std::uint64_t result = 1;
  for (auto rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1U) {
    if ((rest & 1U) != 0) result *= factor;
    factor *= factor;
  }
  return wrap(result, element);
}

// As many bits as there are, or more, or less than none: all of them go.
std::int64_t shifted(BinaryOp op, std::int64_t a, std::uint64_t count, ElementType element) {
  const std::uint64_t last = element == ElementType::i32 ? 31 : 63;
  if (op == BinaryOp::shift_right) return a >> std::min(count, last);
  return count > last ? 0 : wrap(static_cast<std::uint64_t>(a) << count, element);
}

std::optional<KnownScalar> fold_integers(BinaryOp op, std::int64_t a, std::int64_t b, ElementType element) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case BinaryOp::add: return wrap(ua + ub, element);
    case BinaryOp::subtract: return wrap(ua - ub, element);
    case BinaryOp::multiply: return wrap(ua * ub, element);
    case BinaryOp::divide:
    case BinaryOp::remainder: {
      const auto quotient = floor_divide(a, b, element);
      if (!quotient.has_value()) return std::nullopt;
      if (op == BinaryOp::divide) return *quotient;
      return wrap(ua - static_cast<std::uint64_t>(*quotient) * ub, element);
    }
    case BinaryOp::power: {
      const auto raised = power(a, b, element);
      if (!raised.has_value()) return std::nullopt;
      return *raised;
    }
    case BinaryOp::bit_or: return a | b;
    case BinaryOp::bit_xor: return a ^ b;
    case BinaryOp::bit_and: return a & b;
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return shifted(op, a, ub, element);
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    case BinaryOp::logical_or:
    case BinaryOp::logical_and:
    case BinaryOp::matmul: return std::nullopt;
  }
  return std::nullopt;
}

template <class T>
std::optional<KnownScalar> fold_floats(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::add: return KnownScalar(static_cast<double>(a + b));
    case BinaryOp::subtract: return KnownScalar(static_cast<double>(a - b));
    case BinaryOp::multiply: return KnownScalar(static_cast<double>(a * b));
    case BinaryOp::divide: return KnownScalar(static_cast<double>(a / b));
    case BinaryOp::remainder:
    case BinaryOp::power:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
    case BinaryOp::bit_and:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
    case BinaryOp::equal:
    case BinaryOp::not_equal:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal:
    case BinaryOp::logical_or:
    case BinaryOp::logical_and:
    case BinaryOp::matmul: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<KnownScalar> fold_unary(UnaryOp op, const KnownScalar& value, ElementType element) {
  if (const auto* truth = std::get_if<bool>(&value)) return !*truth;
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer != nullptr && op == UnaryOp::bit_not)
    return ~*integer;
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return wrap(0 - static_cast<std::uint64_t>(*integer), element);
  return -std::get<double>(value);
}

std::optional<KnownScalar> fold_binary(BinaryOp op, const KnownScalar& a, const KnownScalar& b, ElementType element) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  if (left != nullptr && right != nullptr) return fold_integers(op, *left, *right, element);
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return std::nullopt;
  if (element == ElementType::f32) return fold_floats(op, static_cast<float>(*x), static_cast<float>(*y));
  return fold_floats(op, *x, *y);
}

std::optional<KnownScalar> fold_cast(const KnownScalar& value, ElementType from, ElementType to) {
  if (synth::is_storage(to) && !std::holds_alternative<bool>(value)) return as_held(value, to);
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer != nullptr) {
    if (to == ElementType::f64) return static_cast<double>(*integer);
    if (to == ElementType::f32) return static_cast<double>(static_cast<float>(*integer));
    if (synth::is_integer(to)) return wrap(static_cast<std::uint64_t>(*integer), to);
  }
  if (const auto* number = std::get_if<double>(&value); number != nullptr && synth::is_float(to)) {
    const double held = from == ElementType::f32 ? static_cast<double>(static_cast<float>(*number)) : *number;
    return to == ElementType::f32 ? static_cast<double>(static_cast<float>(held)) : held;
  }
  return std::nullopt;
}

Affine scaled(Affine affine, std::int64_t factor) {
  const auto times = [factor](std::int64_t value) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(factor));
  };
  affine.constant = times(affine.constant);
  for (auto& [atom, coefficient] : affine.atoms) coefficient = times(coefficient);
  return affine;
}

Affine sum(const Affine& a, const Affine& b) {
  const auto plus = [](std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  };
  Affine result = a;
  result.constant = plus(a.constant, b.constant);
  for (const auto& [atom, coefficient] : b.atoms) result.atoms[atom] = plus(result.atoms[atom], coefficient);
  std::erase_if(result.atoms, [](const auto& entry) { return entry.second == 0; });
  return result;
}

std::optional<std::int64_t> difference(const Affine& a, const Affine& b) {
  const Affine rest = sum(a, scaled(b, -1));
  if (!rest.atoms.empty()) return std::nullopt;
  return rest.constant;
}

std::optional<Affine> combine(BinaryOp op, const std::optional<Affine>& a, const std::optional<Affine>& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  if (op == BinaryOp::add) return sum(*a, *b);
  if (op == BinaryOp::subtract) return sum(*a, scaled(*b, -1));
  if (op != BinaryOp::multiply) return std::nullopt;
  if (a->atoms.empty()) return scaled(*b, a->constant);
  if (b->atoms.empty()) return scaled(*a, b->constant);
  return std::nullopt;
}

}  // namespace tessera::typeck
