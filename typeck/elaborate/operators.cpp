// Operators and casts.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "frontend/literal.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/ranges.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

// -9223372036854775808, whose digits alone do not fit.
MaybeValue least_integer(Elaborator& elaborator, Span span, const Preference& want) {
  const ElementType element = want.element.value_or(ElementType::i64);
  const MeshRef mesh = elaborator.default_mesh();
  if (element == ElementType::i64)
    return elaborator.names().with_affine(elaborator.scalar(span, frontend::kLeastInteger, element, mesh));
  if (takes_fractions(element))
    return elaborator.scalar(span, static_cast<double>(frontend::kLeastInteger), element, mesh);
  elaborator.report(base::make(Kind::literal_does_not_fit, frontend::kLeastInteger, synth::name(element)).at(span));
  return std::nullopt;
}

// Where a float is wanted, a literal's bits are those of an i64 nevertheless.
Preference wanted_of_bits(const Preference& want) {
  return want.element.has_value() && takes_fractions(*want.element) ? Preference{} : want;
}

}  // namespace

MaybeValue Elaborator::check_unary(ExprId id, const frontend::Unary& unary, const Preference& want) {
  const Span span = ast()[id].span;
  const bool negate = unary.op == frontend::UnaryOp::negate;
  const bool is_of_number = unary.op != frontend::UnaryOp::logical_not;
  constexpr std::int64_t kLeastI32 = std::numeric_limits<std::int32_t>::min();
  const auto* digits = std::get_if<frontend::IntLiteral>(&ast()[unary.operand].node);
  const bool least = negate && want.element == ElementType::i32 && digits != nullptr && digits->value == -kLeastI32;
  if (least) return scalar(span, kLeastI32, ElementType::i32, default_mesh());  // its digits alone do not fit
  if (negate && digits != nullptr && digits->value == frontend::kLeastInteger) return least_integer(*this, span, want);
  const Preference own_want = !is_of_number ? Preference{} : negate ? want : wanted_of_bits(want);
  MaybeValue operand = check_array(unary.operand, own_want);
  if (!operand.has_value()) return std::nullopt;
  const ElementType element = this->element(*operand);
  const std::string who = fmt::format("{}`{}`", negate ? "unary " : "", frontend::spelling(unary.op));
  if (!unary_accepts(unary.op, element)) {
    report(base::make(Kind::element_unsupported, who, synth::name(element))
               .at(span)
               .suggest(unsupported_help(unary.op, element)));
    return std::nullopt;
  }
  const auto known = operand->known;
  Affine negative = operand->affine.value_or(Affine{});
  const bool affine = operand->affine.has_value();
  MaybeValue result = index_wise_.map(span, map_op(unary.op), {*operand}, element, who);
  if (!result.has_value()) return std::nullopt;
  if (known.has_value()) result->known = fold_unary(unary.op, *known, element);
  if (affine && negate) result->affine = scaled(std::move(negative), -1);
  return result;
}

// Checks two operands so that a literal takes the other's element type.
std::optional<std::pair<Checked, Checked>> Elaborator::check_operands(ExprId left, ExprId right,
                                                                      const Preference& want) {
  const bool left_literal = is_literal(left);
  const bool right_literal = is_literal(right);
  MaybeValue a;
  MaybeValue b;
  if (left_literal && !right_literal) {
    b = check_array(right);
    a = check_array(left, Preference{b.has_value() ? std::optional(element(*b)) : std::nullopt, right});
  } else if (!left_literal && right_literal) {
    a = check_array(left);
    b = check_array(right, Preference{a.has_value() ? std::optional(element(*a)) : std::nullopt, left});
  } else {
    const bool mixed = left_literal && (has_float_literal(ast(), left) || has_float_literal(ast(), right));
    const Preference both{mixed && !want.element.has_value() ? std::optional(ElementType::f32) : want.element,
                          want.beside};
    a = check_array(left, both);
    b = check_array(right, both);
  }
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return std::pair(std::move(*a), std::move(*b));
}

namespace {

// `1 / 3` and `2 ** 70`, where Python has a fraction and a larger number: says what comes, and how to write the float.
void note_an_integer_result(Elaborator& elaborator, const frontend::Binary& binary, Span span,
                            const KnownScalar& result) {
  const auto left = literal_value(elaborator.ast(), binary.left);
  const auto right = literal_value(elaborator.ast(), binary.right);
  if (!left || !right) return;
  const auto* value = std::get_if<std::int64_t>(&result);
  const auto* a = std::get_if<std::int64_t>(&*left);
  const auto* b = std::get_if<std::int64_t>(&*right);
  if (value == nullptr || a == nullptr || b == nullptr) return;
  const bool rounds = binary.op == frontend::BinaryOp::divide && *b != 0 && *b != -1 && *a % *b != 0;
  // A result that wraps differs by 2^32 at the least; one that does not differs by rounding alone.
  constexpr double kRounding = 1e6;
  const bool wraps =
      binary.op == frontend::BinaryOp::power && *b >= 0 &&
      std::abs(std::pow(static_cast<double>(*a), static_cast<double>(*b)) - static_cast<double>(*value)) > kRounding;
  if (!rounds && !wraps) return;
  elaborator.report(
      base::make(Kind::integer_result, elaborator.text(span), *value,
                 rounds ? "`/` of integers rounds down" : "integers wrap around")
          .at(span)
          .suggest(fmt::format("for a float write `{}.0 {} {}.0`", *a, frontend::spelling(binary.op), *b)));
}

}  // namespace

MaybeValue Elaborator::check_binary(ExprId id, const frontend::Binary& binary, const Preference& want) {
  const Span span = ast()[id].span;
  const std::string who = fmt::format("`{}`", frontend::spelling(binary.op));
  const bool result_element_wanted = is_arithmetic(binary.op) || binary.op == frontend::BinaryOp::matmul;
  const Preference own_want = !result_element_wanted  ? Preference{}
                              : is_of_bits(binary.op) ? wanted_of_bits(want)
                                                      : want;
  const bool has_ranges = binary.op == frontend::BinaryOp::matmul &&
                          (may_have_ranges(ast(), binary.left) || may_have_ranges(ast(), binary.right)) &&
                          !is_literal(binary.left) && !is_literal(binary.right);
  auto operands =
      has_ranges ? product_of_ranges(*this, id, binary, own_want) : check_operands(binary.left, binary.right, own_want);
  if (!operands.has_value()) return std::nullopt;
  auto& [left, right] = *operands;
  const bool is_mixed = element(left) != element(right);
  if (is_mixed && binary_accepts(binary.op, element(left)) && binary_accepts(binary.op, element(right)))
    index_wise_.make_complex(left, right);
  const ElementType a = element(left);
  const ElementType b = element(right);
  if (a != b) {
    report(base::make(Kind::element_mismatch, who, synth::name(a), synth::name(b))
               .at(binary.op_span)
               .also(left.span, std::string(synth::name(a)))
               .also(right.span, std::string(synth::name(b)))
               .suggest(cast_help(a, text(left.span), b, text(right.span))));
    return std::nullopt;
  }
  if (!binary_accepts(binary.op, a)) {
    report(base::make(Kind::element_unsupported, who, synth::name(a))
               .at(binary.op_span)
               .suggest(unsupported_help(binary.op, a)));
    return std::nullopt;
  }
  if (binary.op == frontend::BinaryOp::matmul) return index_wise_.matmul(span, left, right);
  const auto known_left = left.known;
  const auto known_right = right.known;
  auto affine = combine(binary.op, left.affine, right.affine);
  MaybeValue result =
      index_wise_.map(span, map_op(binary.op), {left, right}, is_arithmetic(binary.op) ? a : ElementType::boolean, who);
  if (!result.has_value()) return std::nullopt;
  if (known_left.has_value() && known_right.has_value())
    result->known = fold_binary(binary.op, *known_left, *known_right, a);
  if (result->known.has_value()) note_an_integer_result(*this, binary, span, *result->known);
  result->affine = std::move(affine);
  return names_.with_affine(std::move(*result));
}

MaybeValue Elaborator::check_cast(ExprId id, const frontend::Cast& cast) {
  const ElementType element = types_.element_type(cast.element);
  // A literal becomes the wanted element at once: f64(0.1) is the nearest f64.
  const bool literal = is_literal(cast.operand) &&
                       (takes_fractions(element) || !has_float_literal(ast(), cast.operand)) &&
                       element != ElementType::boolean;
  MaybeValue operand = check_array(cast.operand, Preference{literal ? std::optional(element) : std::nullopt});
  if (!operand.has_value()) return std::nullopt;
  if (type(*operand).element() == element) return operand;
  const auto known = operand->known;
  const ElementType from = type(*operand).element();
  if (synth::is_complex(from) && !synth::is_complex(element)) {
    const std::string own = text(ast()[cast.operand].span);
    report(base::make(Kind::element_unsupported, fmt::format("{}(...)", synth::name(element)), synth::name(from))
               .at(ast()[id].span)
               .suggest(element == ElementType::boolean
                            ? fmt::format("compare it, as in `{} != 0.0`", own)
                            : fmt::format("take a part of it: `re({0})`, `im({0})` or `abs({0})`", own)));
    return std::nullopt;
  }
  if (synth::is_complex(element) && synth::is_storage(from)) operand = index_wise_.widened(*operand);
  if (synth::is_storage(element)) operand = index_wise_.ready_to_store(ast()[id].span, *operand, element);
  if (!operand.has_value()) return std::nullopt;
  MaybeValue result = index_wise_.map(ast()[id].span, synth::MapOp::cast, {*operand}, element,
                                      fmt::format("{}(...)", synth::name(element)));
  if (result.has_value() && known.has_value()) result->known = fold_cast(*known, from, element);
  return result;
}

}  // namespace tessera::typeck
