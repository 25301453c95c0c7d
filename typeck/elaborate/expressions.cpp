// Expressions: literals, names, operators, casts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "frontend/literal.hpp"
#include "synth/kinds.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/ranges.hpp"
#include "typeck/elaborate/records.hpp"
#include "typeck/elaborate/several_names.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

// Expressions and calls nest at most this deep, so that a hostile program cannot exhaust the stack.
constexpr std::size_t kDepthMax = 600;

class Depth {
 public:
  explicit Depth(std::size_t& depth) : depth_(depth) { ++depth_; }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  std::size_t& depth_;
};

// `(1, 2)` as in other languages; empty if it is something else.
std::string help_for_numbers(std::string_view expression) {
  const bool are_integers = expression.starts_with('(') && expression.ends_with(')') &&
                            expression.find_first_not_of("(), -0123456789") == std::string_view::npos;
  if (!are_integers) return "";
  return fmt::format("several numbers are a list: `[{}]`", expression.substr(1, expression.size() - 2));
}

}  // namespace

MaybeValue Elaborator::check_array(ExprId id, const Preference& want) {
  MaybeValue value = check_expr(id, want);
  if (!value.has_value()) return std::nullopt;
  if (value->is_array()) return value;
  if (value->is_record()) {
    report_record(*this, *value, ast()[id].span);
  } else {
    report_tuple(*this, id, *value);
  }
  return std::nullopt;
}

void report_tuple(Elaborator& elaborator, ExprId id, const Checked& tuple) {
  const Span span = elaborator.ast()[id].span;
  std::string help = help_for_numbers(elaborator.text(span));
  if (help.empty())
    help = elaborator.statements().help_for_names(id, tuple.count(), {}) +
           ", then use the one that is meant; within an expression in braces: `{ let (a, b) = ...; a }`";
  elaborator.report(base::make(Kind::tuple_here).at(span).suggest(std::move(help)));
}

std::string Statements::help_for_names(ExprId id, std::size_t values, const std::vector<std::string>& written) const {
  const std::string expression = elaborator_.text(elaborator_.ast()[id].span);
  const auto* gradient = std::get_if<frontend::Gradient>(&elaborator_.ast()[id].node);
  const Function* function =
      gradient == nullptr ? nullptr : elaborator_.environment().function(gradient->function.text, elaborator_.seen());
  if (function == nullptr)
    return fmt::format("{}: `{}`", values == 1 ? "it needs one name" : "name each of them",
                       let_of(names_for(values, written, {}), expression));
  const auto parameters = differentiated_by(*gradient, *function->ast, function->definition());
  return fmt::format("the function's value comes with {}: `{}`",
                     parameters.size() == 1 ? "its gradient" : "a gradient for each parameter",
                     let_of(names_for(values, written, parameters), expression));
}

MaybeValue Elaborator::check_array_as(ExprId id, const Ast& tree, TypeId type) {
  const std::size_t before = begun();
  MaybeValue value = check_array(id, types_.want_of(tree, type));
  wish(value, id, before, types_.wish_of(tree, type));
  return value;
}

MaybeValue Elaborator::check_expr(ExprId id, const Preference& want) {
  options_.stop.look();
  const Depth depth(depth_);
  const frontend::Expr& expr = ast()[id];
  if (depth_ > kDepthMax) {
    report(base::make(Kind::call_too_deep, kDepthMax).at(expr.span).suggest("bind parts of it with `let`"));
    return std::nullopt;
  }
  const bool is_computed =
      std::holds_alternative<frontend::Unary>(expr.node) || std::holds_alternative<frontend::Binary>(expr.node);
  const bool is_stored = is_computed && want.element.has_value() && synth::is_storage(*want.element) && is_literal(id);
  MaybeValue value = is_stored ? check_stored_literal(id, expr, want) : check_node(id, expr, want);
  if (!value.has_value()) return std::nullopt;
  value->span = expr.span;
  value->expr = id;
  return value;
}

MaybeValue Elaborator::check_node(ExprId id, const frontend::Expr& expr, const Preference& want) {
  struct Visitor {
    Elaborator& elaborator;
    ExprId id;
    Span span;
    const Preference& want;
    MaybeValue operator()(const frontend::IntLiteral& node) const {
      return elaborator.check_int_literal(span, node, want);
    }
    MaybeValue operator()(const frontend::FloatLiteral& node) const {
      return elaborator.check_float_literal(span, node, want);
    }
    MaybeValue operator()(const frontend::BoolLiteral& node) const {
      return elaborator.scalar(span, node.value, ElementType::boolean, elaborator.default_mesh());
    }
    MaybeValue operator()(const frontend::StringLiteral&) const {
      elaborator.report(base::make(Kind::string_here).at(span));
      return std::nullopt;
    }
    MaybeValue operator()(const frontend::ListLiteral& node) const { return elaborator.check_list(id, node, want); }
    MaybeValue operator()(const frontend::NameRef& node) const { return elaborator.check_name(id, node); }
    MaybeValue operator()(const frontend::Unary& node) const { return elaborator.check_unary(id, node, want); }
    MaybeValue operator()(const frontend::Binary& node) const { return elaborator.check_binary(id, node, want); }
    MaybeValue operator()(const frontend::Index& node) const { return elaborator.check_index(id, node); }
    MaybeValue operator()(const frontend::Call& node) const { return elaborator.calls().check_call(id, node, want); }
    MaybeValue operator()(const frontend::Gradient& node) const { return elaborator.check_gradient(id, node); }
    MaybeValue operator()(const frontend::Cast& node) const { return elaborator.check_cast(id, node); }
    MaybeValue operator()(const frontend::Tuple& node) const { return elaborator.check_tuple(id, node); }
    MaybeValue operator()(const frontend::Record& node) const { return check_record(elaborator, id, node); }
    MaybeValue operator()(const frontend::FieldOf& node) const { return check_field(elaborator, id, node); }
    MaybeValue operator()(const frontend::As& node) const { return elaborator.check_as(id, node); }
    MaybeValue operator()(const frontend::With& node) const { return elaborator.check_with(id, node, want); }
    MaybeValue operator()(const frontend::If& node) const { return elaborator.check_if(id, node, want); }
    MaybeValue operator()(const frontend::BlockExpr& node) const {
      return elaborator.check_block(node.block, want, true);
    }
    MaybeValue operator()(const frontend::Local& node) const { return elaborator.check_local(id, node, want); }
    MaybeValue operator()(const frontend::Again& node) const { return elaborator.check_again(id, node, want); }
    MaybeValue operator()(const frontend::Loop& node) const { return elaborator.check_loop(id, node, want); }
  };
  return std::visit(Visitor{*this, id, expr.span, want}, expr.node);
}

namespace {

bool takes_fractions(ElementType element) { return synth::is_rounded(synth::computed_as(element)); }

bool value_fits(const KnownScalar& value, ElementType element) {
  if (element == ElementType::boolean) return std::holds_alternative<bool>(value);
  if (std::holds_alternative<bool>(value)) return false;
  if (takes_fractions(element)) return true;
  if (std::holds_alternative<double>(value)) return false;
  const auto [least, greatest] = synth::range_of(element);
  const auto integer = std::get<std::int64_t>(value);
  return integer >= least && integer <= greatest;
}

// `a u8 is from 0 to 255`
std::string range_text(ElementType element) {
  const auto [least, greatest] = synth::range_of(element);
  const std::string_view text = synth::name(element);
  return fmt::format("{} {} is from {} to {}", text[0] == 'i' ? "an" : "a", text, least, greatest);
}

}  // namespace

// `-1.5` or `1.0 / 3.0` where a storage type is wanted: computed as f32, then stored.
MaybeValue Elaborator::check_stored_literal(ExprId id, const frontend::Expr& expr, const Preference& want) {
  Preference as_computed = want;
  as_computed.element = synth::computed_as(*want.element);
  const MaybeValue value = check_node(id, expr, as_computed);
  if (!value.has_value()) return std::nullopt;
  if (value->known.has_value() && !value_fits(*value->known, *want.element)) {
    report(base::make(Kind::literal_does_not_fit, print_known(*value->known), synth::name(*want.element))
               .at(expr.span)
               .suggest(range_text(*want.element)));
    return std::nullopt;
  }
  if (value->known.has_value()) return scalar(expr.span, *value->known, *want.element, type(*value).mesh_ref());
  return index_wise_.cast_to(expr.span, *value, *want.element);
}

// ---- Literals: they take the element type their context wants
// ------------------------------------------------------------

bool Elaborator::is_literal(ExprId id) const {
  const auto& node = ast()[id].node;
  if (std::holds_alternative<frontend::IntLiteral>(node) || std::holds_alternative<frontend::FloatLiteral>(node))
    return true;
  if (const auto* list = std::get_if<frontend::ListLiteral>(&node)) {
    return list->items.empty() || is_literal(list->items.front());
  }
  if (const auto* unary = std::get_if<frontend::Unary>(&node)) {
    return unary->op == frontend::UnaryOp::negate && is_literal(unary->operand);
  }
  if (const auto* binary = std::get_if<frontend::Binary>(&node)) {
    return is_arithmetic(binary->op) && is_literal(binary->left) && is_literal(binary->right);
  }
  return false;
}

MaybeValue Elaborator::check_int_literal(Span span, const frontend::IntLiteral& literal, const Preference& want) {
  const ElementType element = want.element.value_or(ElementType::i64);
  if (element == ElementType::i64) return scalar(span, literal.value, element, default_mesh());
  if (takes_fractions(element)) return scalar(span, static_cast<double>(literal.value), element, default_mesh());
  if (value_fits(KnownScalar(literal.value), element)) return scalar(span, literal.value, element, default_mesh());
  report(base::make(Kind::literal_does_not_fit, literal.value, synth::name(element))
             .at(span)
             .suggest(element == ElementType::boolean
                          ? (want.beside.valid() ? "write `true` or `false`, or cast the other side, as in i64(...)"
                                                 : "write `true` or `false`")
                          : range_text(element)));
  return std::nullopt;
}

namespace {

// `2.0j`, with parts of the float that is wanted beside it.
MaybeValue imaginary(Elaborator& elaborator, Span span, double value, ElementType wanted) {
  const ElementType element = synth::is_complex(wanted) ? wanted : synth::complex_of(wanted);
  synth::Literal literal{element, {}, {}};
  append_bytes(literal.bytes, 0.0, synth::part_of(element));
  append_bytes(literal.bytes, value, synth::part_of(element));
  return elaborator.constant(span, std::move(literal), elaborator.default_mesh());
}

}  // namespace

MaybeValue Elaborator::check_float_literal(Span span, const frontend::FloatLiteral& literal, const Preference& want) {
  const ElementType element = want.element.value_or(ElementType::f32);
  if (literal.is_imaginary) return imaginary(*this, span, literal.value, element);
  if (takes_fractions(element)) return scalar(span, literal.value, element, default_mesh());
  report(base::make(Kind::literal_does_not_fit, literal.text, synth::name(element))
             .at(span)
             .suggest(help_for_fraction(want.beside)));
  return std::nullopt;
}

namespace {

// Walks a nested list of literals into one dense array.
class ListReader {
 public:
  explicit ListReader(const Ast& ast) : ast_(ast) {}

  // False with `problem` set where the list is not an array of numbers.
  bool read(ExprId id, std::size_t depth) {
    if (const auto* list = std::get_if<frontend::ListLiteral>(&ast_[id].node)) return read_list(id, *list, depth);
    const auto value = literal_value(ast_, id);
    if (!value.has_value()) return fail(base::make(Kind::list_item).suggest(help_for_item(ast_, id)), id);
    if (depth != shape.size()) return fail(base::make(Kind::ragged_list, "none", shape[depth]), id);
    values.push_back(*value);
    return true;
  }

  Shape shape;
  std::vector<KnownScalar> values;
  std::optional<Diagnostic> problem;

 private:
  bool read_list(ExprId id, const frontend::ListLiteral& list, std::size_t depth) {
    const auto length = static_cast<std::int64_t>(list.items.size());
    if (depth == shape.size()) {
      if (!values.empty() || closed_) return fail(base::make(Kind::ragged_list, length, "none"), id);
      if (depth == synth::kRankMax) return fail(base::make(synth::Kind::rank_too_large, depth + 1), id);
      shape.push_back(length);
    } else if (shape[depth] != length) {
      return fail(base::make(Kind::ragged_list, length, shape[depth]), id);
    }
    for (const ExprId item : list.items) {
      if (!read(item, depth + 1)) return false;
    }
    closed_ = true;
    return true;
  }

  bool fail(Diagnostic diagnostic, ExprId id) {
    problem = std::move(diagnostic).at(ast_[id].span);
    return false;
  }

  const Ast& ast_;
  bool closed_ = false;
};

ElementType element_of_values(const std::vector<KnownScalar>& values) {
  bool all_bool = !values.empty();
  bool any_float = false;
  for (const KnownScalar& value : values) {
    all_bool = all_bool && std::holds_alternative<bool>(value);
    any_float = any_float || std::holds_alternative<double>(value);
  }
  if (all_bool) return ElementType::boolean;
  return any_float ? ElementType::f32 : ElementType::i64;
}

}  // namespace

MaybeValue Elaborator::check_list(ExprId id, const frontend::ListLiteral&, const Preference& want) {
  ListReader reader(ast());
  if (!reader.read(id, 0)) {
    report(std::move(*reader.problem));
    return std::nullopt;
  }
  const ElementType element = want.element.value_or(element_of_values(reader.values));
  synth::Literal literal{element, reader.shape, {}};
  for (const KnownScalar& value : reader.values) {
    if (!value_fits(value, element)) {
      report(base::make(Kind::literal_does_not_fit, print_known(value), synth::name(element)).at(ast()[id].span));
      return std::nullopt;
    }
    append_bytes(literal.bytes, value, element);
  }
  return constant(ast()[id].span, std::move(literal), default_mesh());
}

// ---- Names
// ---------------------------------------------------------------------------------------------------------------

MaybeValue Elaborator::check_name(ExprId id, const frontend::NameRef& name) {
  return names_.named_value(name.name, ast()[id].span, id);
}

// ---- Operators
// -----------------------------------------------------------------------------------------------------------

// -9223372036854775808, whose digits alone do not fit.
MaybeValue Elaborator::check_least_integer(Span span, const Preference& want) {
  const ElementType element = want.element.value_or(ElementType::i64);
  if (element == ElementType::i64)
    return names_.with_affine(scalar(span, frontend::kLeastInteger, element, default_mesh()));
  if (takes_fractions(element))
    return scalar(span, static_cast<double>(frontend::kLeastInteger), element, default_mesh());
  report(base::make(Kind::literal_does_not_fit, frontend::kLeastInteger, synth::name(element)).at(span));
  return std::nullopt;
}

MaybeValue Elaborator::check_unary(ExprId id, const frontend::Unary& unary, const Preference& want) {
  const Span span = ast()[id].span;
  const bool negate = unary.op == frontend::UnaryOp::negate;
  constexpr std::int64_t kLeastI32 = std::numeric_limits<std::int32_t>::min();
  const auto* digits = std::get_if<frontend::IntLiteral>(&ast()[unary.operand].node);
  const bool least = negate && want.element == ElementType::i32 && digits != nullptr && digits->value == -kLeastI32;
  if (least) return scalar(span, kLeastI32, ElementType::i32, default_mesh());  // its digits alone do not fit
  if (negate && digits != nullptr && digits->value == frontend::kLeastInteger) return check_least_integer(span, want);
  MaybeValue operand =
      check_array(unary.operand, Preference{negate ? want.element : std::nullopt, negate ? want.beside : ExprId{}});
  if (!operand.has_value()) return std::nullopt;
  const ElementType element = this->element(*operand);
  const bool works = negate ? element != ElementType::boolean : element == ElementType::boolean;
  if (!works) {
    report(base::make(Kind::element_unsupported, negate ? "unary `-`" : "`!`", synth::name(element))
               .at(span)
               .suggest(negate ? "cast it first, as in i64(...)" : "compare it, as in `a == 0`"));
    return std::nullopt;
  }
  const auto known = operand->known;
  Affine negative = operand->affine.value_or(Affine{});
  const bool affine = operand->affine.has_value();
  MaybeValue result = index_wise_.map(span, negate ? synth::MapOp::negate : synth::MapOp::logical_not, {*operand},
                                      element, negate ? "unary `-`" : "`!`");
  if (!result.has_value()) return std::nullopt;
  if (known.has_value()) result->known = fold_unary(negate, *known, element);
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
  const Preference own_want = result_element_wanted ? want : Preference{};
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
