// Expressions: literals, names, lists.
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
#include "typeck/elaborate/ranged_formula.hpp"
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
  return formula_ == nullptr ? value : formula_->seen(*this, ast(), id, std::move(*value));
}

MaybeValue Elaborator::check_node(ExprId id, const frontend::Expr& expr, const Preference& want) {
  struct Visitor {
    Elaborator& elaborator;
    ExprId id;
    Span span;
    const Preference& want;
    std::vector<RunTimeRange>* ranges() const {
      return elaborator.formula_ == nullptr ? nullptr : elaborator.formula_->ranges_of(elaborator.ast(), id);
    }
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
    MaybeValue operator()(const frontend::Index& node) const { return elaborator.check_index(id, node, ranges()); }
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
    return unary->op != frontend::UnaryOp::logical_not && is_literal(unary->operand);
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

}  // namespace tessera::typeck
