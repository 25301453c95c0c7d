// Elementwise operations by name, and allclose, which is made of them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "typeck/elaborate/derived.hpp"
#include "typeck/elaborate/fold.hpp"

namespace tessera::typeck {

namespace {

// The element type of literals among themselves: one float makes all of them floats.
std::optional<ElementType> literal_element(const OperationCall& call, const std::vector<std::size_t>& parameters) {
  const auto* const op = std::get_if<synth::MapOp>(&call.info.detail);
  const bool is_join = op != nullptr && *op == synth::MapOp::complex;
  if (is_join) return synth::part_of(call.want.element.value_or(ElementType::f32));
  if (call.want.element.has_value()) return synth::computed_as(*call.want.element);
  const auto is_float = [&](std::size_t k) { return has_float_literal(call.elaborator.ast(), call.expr(k)); };
  if (std::any_of(parameters.begin(), parameters.end(), is_float)) return ElementType::f32;
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Checked>> alike(OperationCall& call, const std::vector<std::size_t>& parameters) {
  std::vector<std::optional<Checked>> values(parameters.size());
  std::optional<ElementType> element;
  ExprId beside;
  for (const bool literals : {false, true}) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (call.elaborator.is_literal(call.expr(parameters[k])) != literals) continue;
      if (literals && !element.has_value()) element = literal_element(call, parameters);
      const Preference want{literals ? element : std::nullopt, beside};
      values[k] = call.elaborator.check_array(call.expr(parameters[k]), want);
      if (!values[k].has_value()) return std::nullopt;
      if (!element.has_value()) element = call.elaborator.element(*values[k]);
      if (!literals) beside = call.expr(parameters[k]);
    }
  }
  std::vector<Checked> all;
  for (auto& value : values) all.push_back(std::move(*value));
  for (Checked& value : all) {
    for (Checked& other : all) call.elaborator.index_wise().make_complex(value, other);
  }
  for (const Checked& value : all) {
    const ElementType own = call.elaborator.element(value);
    const ElementType first = call.elaborator.element(all.front());
    if (own == first) continue;
    call.elaborator.report(
        base::make(Kind::element_mismatch, call.quoted(), synth::name(first), synth::name(own))
            .at(call.span)
            .also(all.front().span, std::string(synth::name(first)))
            .also(value.span, std::string(synth::name(own)))
            .suggest(cast_help(first, call.elaborator.text(all.front().span), own, call.elaborator.text(value.span))));
    return std::nullopt;
  }
  return all;
}

MaybeValue run_map(OperationCall& call) {
  const auto op = std::get<synth::MapOp>(call.info.detail);
  const synth::ElementRule rule = synth::element_rule(op);
  const bool numbers = rule == synth::ElementRule::numbers || rule == synth::ElementRule::field;
  const bool literal = call.elaborator.is_literal(call.expr(0));
  const auto element =
      literal && !numbers ? std::optional(call.want.element.value_or(ElementType::f32)) : call.want.element;
  MaybeValue a =
      call.array(0, literal && element.has_value() ? std::optional(synth::computed_as(*element)) : std::nullopt);
  if (!a.has_value()) return std::nullopt;
  const ElementType own = call.elaborator.element(*a);
  if (synth::is_complex(own) && (op == synth::MapOp::abs || op == synth::MapOp::exp))
    return op == synth::MapOp::abs ? absolute_of_complex(call, *a) : exponential_of_complex(call, *a);
  if (synth::is_complex(own) && rule != synth::ElementRule::field) {
    call.wants_element(*a, false, "of complex numbers there are `abs`, `exp`, `re`, `im`, `conj` and `angle`");
    return std::nullopt;
  }
  if (!call.wants_element(*a, synth::takes(rule, own),
                          numbers ? "cast it first, as in i64(...)" : "cast it first, as in f32(...)"))
    return std::nullopt;
  return call.elaborator.index_wise().map(call.span, op, {*a}, own, call.quoted());
}

MaybeValue run_where(OperationCall& call) {
  const MaybeValue condition = call.array(0);
  const auto branches = alike(call, {1, 2});
  if (!condition.has_value() || !branches.has_value()) return std::nullopt;
  const bool fits = call.elaborator.type(*condition).element() == ElementType::boolean;
  if (!call.wants_element(*condition, fits, "the condition is a comparison, such as a > 0")) return std::nullopt;
  const ElementType element = call.elaborator.element((*branches)[0]);
  return call.elaborator.index_wise().map(call.span, synth::MapOp::select, {*condition, (*branches)[0], (*branches)[1]},
                                          element, call.quoted());
}

MaybeValue run_clip(OperationCall& call) {
  const auto all = alike(call, {0, 1, 2});
  if (!all.has_value()) return std::nullopt;
  const ElementType element = call.elaborator.element(all->front());
  if (!call.wants_element(all->front(), element != ElementType::boolean, "") || !call.wants_real(all->front()))
    return std::nullopt;
  return call.elaborator.index_wise().map(call.span, synth::MapOp::clip, *all, element, call.quoted());
}

namespace {

// `max(a, 1)`: who comes from NumPy may mean the dimension.
void note_a_dimension(OperationCall& call, const Checked& a) {
  Elaborator& elaborator = call.elaborator;
  const auto* node = &elaborator.ast()[call.expr(1)].node;
  const auto* minus = std::get_if<frontend::Unary>(node);
  if (minus != nullptr && minus->op == frontend::UnaryOp::negate) node = &elaborator.ast()[minus->operand].node;
  const auto* literal = std::get_if<frontend::IntLiteral>(node);
  const auto rank = static_cast<std::int64_t>(elaborator.type(a).rank());
  if (literal == nullptr || literal->value >= rank + (minus != nullptr ? 1 : 0)) return;
  const std::string number = elaborator.text(call.span_of(1));
  const std::string own = elaborator.text(call.span_of(0));
  elaborator.report(base::make(Kind::number_or_dimension, call.info.name, number, number)
                        .at(call.span_of(1))
                        .suggest(fmt::format("along a dimension it is `{0}({1}, dim={2})`; to compare with the number, "
                                             "write it first: `{0}({2}, {1})`",
                                             call.info.name, own.size() > 24 ? "a" : own, number)));
}

}  // namespace

MaybeValue run_min_max(OperationCall& call) {
  if (!call.has(1)) return run_reduction(call);
  for (const std::string_view of_one : {"dim", "where", "keep"}) {
    if (!call.given(of_one).has_value()) continue;
    const std::string what = fmt::format("two arrays are compared element by element; `{}=` goes with one", of_one);
    call.elaborator.report(base::make(Kind::wrong_arguments, call.info.name, what).at(call.span));
    return std::nullopt;
  }
  const auto both = alike(call, {0, 1});
  if (!both.has_value()) return std::nullopt;
  const ElementType element = call.elaborator.element(both->front());
  if (!call.wants_element(both->front(), element != ElementType::boolean, "use `&&` and `||` on bool") ||
      !call.wants_real(both->front()))
    return std::nullopt;
  note_a_dimension(call, both->front());
  const bool max = std::get<synth::ReduceKind>(call.info.detail) == synth::ReduceKind::max;
  return call.elaborator.index_wise().map(call.span, max ? synth::MapOp::maximum : synth::MapOp::minimum, *both,
                                          element, call.quoted());
}

// abs(a - b) <= atol + rtol * abs(b) everywhere, or the same infinity. Of complex numbers these are sizes.
MaybeValue run_allclose(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto both = alike(call, {0, 1});
  if (!both.has_value()) return std::nullopt;
  const ElementType element = elaborator.element(both->front());
  if (!call.wants_element(both->front(), synth::is_rounded(element), "compare integers with ==")) return std::nullopt;
  const ElementType part = synth::part_of(element);
  const MeshRef mesh = elaborator.type(both->front()).mesh_ref();
  MaybeValue rtol = call.has(2) ? call.array(2, part) : elaborator.scalar(call.span, 1e-5, part, mesh);
  MaybeValue atol = call.has(3) ? call.array(3, part) : elaborator.scalar(call.span, 1e-8, part, mesh);
  if (!rtol.has_value() || !atol.has_value()) return std::nullopt;
  const std::string who = call.quoted();
  const auto step = [&](synth::MapOp op, const std::vector<MaybeValue>& operands, ElementType result) -> MaybeValue {
    std::vector<Checked> values;
    for (const MaybeValue& operand : operands) {
      if (!operand.has_value()) return std::nullopt;
      values.push_back(*operand);
    }
    return elaborator.index_wise().map(call.span, op, std::move(values), result, who, false);
  };
  // The arrays are finished and brought together once; every step below then finds them alike.
  const auto together = elaborator.index_wise().brought_together(call.span, *both, element, who);
  if (!together.has_value()) return std::nullopt;
  const MaybeValue a = (*together)[0];
  const MaybeValue b = (*together)[1];
  const auto size = [&](const MaybeValue& of) -> MaybeValue {
    if (!of.has_value() || !synth::is_complex(element)) return step(synth::MapOp::abs, {of}, element);
    return absolute_of_complex(call, *of);
  };
  const MaybeValue distance = size(step(synth::MapOp::subtract, {a, b}, element));
  const MaybeValue relative = step(synth::MapOp::multiply, {rtol, size(b)}, part);
  // An infinity is near to itself only: no distance within a finite limit is infinite.
  const double most = part == ElementType::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const MaybeValue limit =
      step(synth::MapOp::minimum,
           {step(synth::MapOp::add, {atol, relative}, part), elaborator.scalar(call.span, most, part, mesh)}, part);
  const MaybeValue near = step(synth::MapOp::less_equal, {distance, limit}, ElementType::boolean);
  const MaybeValue same = step(synth::MapOp::equal, {a, b}, ElementType::boolean);
  const MaybeValue good = step(synth::MapOp::logical_or, {near, same}, ElementType::boolean);
  if (!good.has_value()) return std::nullopt;
  const MaybeValue all = reduce(call, *good, synth::ReduceKind::min, all_dimensions(elaborator.type(*good).rank()));
  return all.has_value() ? MaybeValue(elaborator.finished(*all, who, call.span)) : std::nullopt;
}

}  // namespace tessera::typeck
