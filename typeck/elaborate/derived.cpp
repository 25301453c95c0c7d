// Operations that are made of others: their layouts, gradients and prices are those of what they are made of.
#include "typeck/elaborate/derived.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "typeck/elaborate/fold.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

using synth::MapOp;

MaybeValue Formula::map(MapOp op, const std::vector<MaybeValue>& operands, std::optional<ElementType> element) const {
  std::vector<Checked> values;
  for (const MaybeValue& operand : operands) {
    if (!operand.has_value()) return std::nullopt;
    values.push_back(*operand);
  }
  const ElementType own = element.value_or(call_.elaborator.element(values.back()));
  return call_.elaborator.index_wise().map(call_.span, op, std::move(values), own, call_.quoted(), false);
}

MaybeValue Formula::flat(const MaybeValue& a) const { return call_.elaborator.flat(a); }

MaybeValue Formula::number(double value, const MaybeValue& like) const {
  if (!like.has_value()) return std::nullopt;
  const ElementType element = call_.elaborator.element(*like);
  const MeshRef mesh = call_.elaborator.type(*like).mesh_ref();
  if (synth::is_rounded(element)) return call_.elaborator.scalar(call_.span, value, element, mesh);
  return call_.elaborator.scalar(call_.span, static_cast<std::int64_t>(value), element, mesh);
}

MaybeValue Formula::with_dimension(const MaybeValue& a, std::size_t dimension) const {
  if (!a.has_value()) return std::nullopt;
  const open::Type own = call_.elaborator.type(*a);
  Shape shape = own.shape();
  shape.insert(dimension, 1);
  return call_.elaborator.compute(call_.span, {own.element(), shape, own.mesh_ref()}, open::Unsqueeze{{dimension}},
                                  {*a}, call_.quoted());
}

MaybeValue Formula::with_dimensions(MaybeValue a, const std::vector<std::size_t>& ascending) const {
  for (const std::size_t d : ascending) a = with_dimension(a, d);
  return a;
}

MaybeValue Formula::sum(const MaybeValue& a, const std::vector<std::size_t>& dimensions) const {
  return a.has_value() ? reduce(call_, *a, synth::ReduceKind::sum, dimensions, false) : std::nullopt;
}

MaybeValue Formula::finished(const MaybeValue& a) const {
  return a.has_value() ? MaybeValue(call_.elaborator.finished(*a, call_.quoted(), call_.span)) : std::nullopt;
}

namespace {

// The operand, finished; of floats, or of integers where they are allowed, too.
enum class Operands : std::uint8_t { floats, numbers };
MaybeValue operand(OperationCall& call, Operands which) {
  const bool literal = call.elaborator.is_literal(call.expr(0));
  auto element = literal ? call.want.element : std::nullopt;
  if (literal && which == Operands::floats) element = element.value_or(ElementType::f32);
  const MaybeValue a = call.array(0, element.has_value() ? std::optional(synth::computed_as(*element)) : std::nullopt);
  if (!a.has_value()) return std::nullopt;
  const ElementType own = call.elaborator.element(*a);
  const bool fits = synth::is_float(own) || (which == Operands::numbers && synth::is_integer(own));
  if (!call.wants_element(*a, fits, "cast it first, as in f32(...)")) return std::nullopt;
  return call.elaborator.finished(*a, call.quoted(), call.span);
}

// The operand, finished, as floats or complex numbers: integers and bool are counted with in f64, as in `mean`.
MaybeValue numeric_operand(OperationCall& call) {
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  if (!synth::is_rounded(call.elaborator.element(*a)))
    a = call.elaborator.index_wise().cast_to(call.span, *a, ElementType::f64);
  return Formula(call).finished(a);
}

// The same, of real numbers only.
MaybeValue float_operand(OperationCall& call) {
  const MaybeValue a = numeric_operand(call);
  if (!a.has_value()) return std::nullopt;
  const auto* const spread = std::get_if<Spread>(&call.info.detail);
  const char* const help = spread == nullptr              ? "take a part of it: `re(a)`, `im(a)` or `abs(a)`"
                           : *spread == Spread::deviation ? "it is `sqrt(var(re(a)) + var(im(a)))`"
                                                          : "it is `var(re(a)) + var(im(a))`";
  return call.wants_element(*a, !synth::is_complex(call.elaborator.element(*a)), help) ? a : std::nullopt;
}

MaybeValue ceil_of(const Formula& f, const MaybeValue& a) { return f.negate(f.map(MapOp::floor, {f.negate(a)})); }

// To the nearest, of two to the even one; the sign of a zero is that of a. A whole number is its own floor: a itself
// would let a cotangent pass.
MaybeValue round_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue size = f.map(MapOp::abs, {a});
  const MaybeValue below = f.map(MapOp::floor, {size});
  const MaybeValue above = f.add(below, f.number(1, a));
  const MaybeValue rest = f.subtract(size, below);
  const MaybeValue half = f.number(0.5, a);
  const MaybeValue of_two = f.map(MapOp::floor, {f.multiply(below, half)});
  const MaybeValue is_even = f.compare(MapOp::equal, f.add(of_two, of_two), below);
  const MaybeValue goes_up =
      f.map(MapOp::logical_or,
            {f.compare(MapOp::greater, rest, half),
             f.map(MapOp::logical_and, {f.compare(MapOp::equal, rest, half), f.map(MapOp::logical_not, {is_even})})});
  const MaybeValue rounded = f.select(goes_up, above, below);
  const MaybeValue is_less = f.compare(MapOp::less, a, f.number(0, a));
  const MaybeValue is_whole = f.compare(MapOp::equal, rest, f.number(0, a));
  return f.select(is_whole, f.map(MapOp::floor, {a}), f.select(is_less, f.negate(rounded), rounded));
}

}  // namespace

MaybeValue run_rounding(OperationCall& call) {
  const MaybeValue a = operand(call, Operands::numbers);
  if (!a.has_value() || synth::is_integer(call.elaborator.element(*a))) return a;
  const Formula f(call);
  switch (std::get<Rounds>(call.info.detail)) {
    case Rounds::up: return ceil_of(f, a);
    case Rounds::toward_zero:
      return f.select(f.compare(MapOp::less, a, f.number(0, a)), ceil_of(f, a), f.map(MapOp::floor, {a}));
    case Rounds::to_nearest: return round_of(f, a);
  }
  return std::nullopt;
}

MaybeValue run_is_nan(OperationCall& call) {
  const MaybeValue a = operand(call, Operands::floats);
  return Formula(call).compare(MapOp::not_equal, a, a);
}

MaybeValue run_is_finite(OperationCall& call) {
  const MaybeValue a = operand(call, Operands::floats);
  const Formula f(call);
  return f.compare(MapOp::equal, f.subtract(a, a), f.number(0, a));
}

MaybeValue float_array(OperationCall& call) { return operand(call, Operands::floats); }

namespace {

// What changes no other element in such a reduction.
Checked identity(OperationCall& call, synth::ReduceKind kind, const Checked& a) {
  Elaborator& elaborator = call.elaborator;
  const ElementType element = elaborator.element(a);
  const MeshRef mesh = elaborator.type(a).mesh_ref();
  const bool is_max = kind == synth::ReduceKind::max;
  if (kind == synth::ReduceKind::sum || kind == synth::ReduceKind::product) {
    const std::int64_t number = kind == synth::ReduceKind::sum ? 0 : 1;
    return synth::is_float(element) ? elaborator.scalar(call.span, static_cast<double>(number), element, mesh)
                                    : elaborator.scalar(call.span, number, element, mesh);
  }
  constexpr double kMost = std::numeric_limits<double>::infinity();
  if (synth::is_float(element)) return elaborator.scalar(call.span, is_max ? -kMost : kMost, element, mesh);
  const auto ends = [&]<class Integer>(Integer) -> std::int64_t {
    return is_max ? std::numeric_limits<Integer>::min() : std::numeric_limits<Integer>::max();
  };
  const std::int64_t end = element == ElementType::i32 ? ends(std::int32_t{}) : ends(std::int64_t{});
  return elaborator.scalar(call.span, end, element, mesh);
}

}  // namespace

namespace {

// `where=`, in the shape of a.
std::optional<Checked> written_mask(OperationCall& call, const Checked& a) {
  const MaybeValue c = call.array(*call.given("where"));
  if (!c.has_value()) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(*c);
  if (own.element() != ElementType::boolean) {
    elaborator.report(base::make(Kind::element_unsupported, "`where=`", synth::name(own.element()))
                          .at(c->span)
                          .suggest("a mask is a comparison, such as a > 0"));
    return std::nullopt;
  }
  if (own.shape() == elaborator.type(a).shape()) return *c;
  const auto repeats = [&] {
    const Shape& shape = elaborator.type(a).shape();
    bool fits = own.rank() <= shape.size();
    for (std::size_t d = 0; fits && d < own.rank(); ++d) {
      const std::int64_t extent = own.shape()[d];
      fits = extent == 1 || extent == shape[shape.size() - own.rank() + d];
    }
    return fits;
  };
  if (!repeats()) {
    elaborator.report(
        base::make(Kind::shape_mismatch, "`where=`", print_shape(elaborator.type(a).shape()), print_shape(own.shape()))
            .at(c->span, elaborator.text(*c))
            .also(a.span, elaborator.text(a))
            .suggest("a mask has the array's shape, or repeats to it"));
    return std::nullopt;
  }
  return elaborator.compute(call.span, {ElementType::boolean, elaborator.type(a).shape(), own.mesh_ref()},
                            open::Broadcast{}, {*c}, call.quoted());
}

}  // namespace

std::optional<Checked> mask(OperationCall& call, const Checked& a) {
  const bool is_written = call.given("where").has_value();
  const auto written = is_written ? written_mask(call, a) : std::nullopt;
  if (!call.ranges().has_value() || (is_written && !written.has_value())) return written;
  const auto inside = in_ranges(call.elaborator, call.span, call.quoted(), *call.ranges());
  if (!inside.has_value() || !is_written) return inside;
  return Formula(call).map(MapOp::logical_and, {*written, *inside}, ElementType::boolean);
}

MaybeValue masked(OperationCall& call, const Checked& a, synth::ReduceKind kind) {
  if (!call.is_masked()) return a;
  const auto c = mask(call, a);
  return Formula(call).select(c, a, identity(call, kind, a));
}

namespace {

double extents_of(const open::Type& type, const std::vector<std::size_t>& dimensions) {
  double count = 1;
  for (const std::size_t d : dimensions) count *= static_cast<double>(type.shape()[d]);
  return count;
}

// a less its mean over dimensions.
MaybeValue deviations(OperationCall& call, const MaybeValue& a, const std::vector<std::size_t>& dimensions) {
  if (!a.has_value()) return std::nullopt;
  const Formula f(call);
  const MaybeValue count = f.number(extents_of(call.elaborator.type(*a), dimensions), a);
  const MaybeValue mean = f.finished(f.divide(f.sum(a, dimensions), count));
  return f.subtract(a, f.with_dimensions(mean, dimensions));
}

// Where a mask holds, by how many elements it chooses. Elements that it leaves out may be anything, NaN included.
MaybeValue variance_where(OperationCall& call, const Checked& a, const std::vector<std::size_t>& dimensions,
                          double less) {
  const Formula f(call);
  IndexWise& index_wise = call.elaborator.index_wise();
  const auto c = mask(call, a);
  if (!c.has_value()) return std::nullopt;
  const ElementType element = call.elaborator.element(a);
  // All sums are of elements that lie alike, so that the quotients move nothing.
  const auto together = index_wise.brought_together(call.span, {a, *c}, element, call.quoted());
  if (!together.has_value()) return std::nullopt;
  const MaybeValue all = (*together)[0];
  const MaybeValue holds = (*together)[1];
  const MaybeValue ones = index_wise.cast_to(call.span, *holds, ElementType::i64);
  const MaybeValue whole = f.finished(f.sum(ones, dimensions));
  if (!whole.has_value()) return std::nullopt;
  const MaybeValue count = index_wise.cast_to(call.span, *whole, element);
  const MaybeValue zero = f.number(0, all);
  const MaybeValue mean = f.divide(f.finished(f.sum(f.select(holds, all, zero), dimensions)), count);
  const MaybeValue off = f.select(holds, f.subtract(all, f.with_dimensions(mean, dimensions)), zero);
  const MaybeValue squares = f.finished(f.sum(f.multiply(off, off), dimensions));
  return f.divide(squares, f.map(MapOp::maximum, {f.subtract(count, f.number(less, count)), zero}));
}

}  // namespace

// The parameters are a, dim and ddof.
MaybeValue run_variance(OperationCall& call) {
  const MaybeValue a = float_operand(call);
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, call.elaborator.type(*a).rank());
  const auto less = call.has(2) ? call.integer(2) : std::optional<std::int64_t>(0);
  if (!dimensions.has_value() || !less.has_value()) return std::nullopt;
  const Formula f(call);
  MaybeValue result;
  if (call.given("where").has_value()) {
    result = variance_where(call, *a, *dimensions, static_cast<double>(*less));
  } else {
    const MaybeValue off = deviations(call, a, *dimensions);
    const double count = extents_of(call.elaborator.type(*a), *dimensions) - static_cast<double>(*less);
    result = f.divide(f.sum(f.multiply(off, off), *dimensions), f.number(std::max(count, 0.0), a));
  }
  return std::get<Spread>(call.info.detail) == Spread::deviation ? f.map(MapOp::sqrt, {f.finished(result)}) : result;
}

// Between the rows of a matrix, over its columns. Each row meets all others: on one side of the product they are whole.
MaybeValue run_covariance(OperationCall& call) {
  const MaybeValue a = float_operand(call);
  if (!a.has_value()) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(*a);
  if (own.rank() != 2) {
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "a matrix, with a row for each variable",
                                 fmt::format("rank {}", own.rank()))
                          .at(a->span, elaborator.text(*a))
                          .suggest("of one variable it is `var(a, ddof=1)`"));
    return std::nullopt;
  }
  const Formula f(call);
  const MaybeValue off = deviations(call, a, {1});
  if (!off.has_value()) return std::nullopt;
  const open::Type type = elaborator.type(*off);
  const Checked whole = elaborator.compute(call.span, type, open::Whole{{0}, call.span}, {*off}, call.quoted());
  const Checked turned =
      elaborator.compute(call.span, {type.element(), Shape{type.shape()[1], type.shape()[0]}, type.mesh_ref()},
                         synth::Operation(synth::Transpose{{1, 0}}), {whole}, call.quoted());
  const MaybeValue product = elaborator.index_wise().matmul(call.span, *off, turned);
  return f.divide(product, f.number(std::max(static_cast<double>(type.shape()[1]) - 1, 0.0), a));
}

MaybeValue run_norm(OperationCall& call) {
  const MaybeValue a = numeric_operand(call);
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, call.elaborator.type(*a).rank());
  if (!dimensions.has_value()) return std::nullopt;
  const Formula f(call);
  const MaybeValue squares =
      synth::is_complex(call.elaborator.element(*a)) ? square_of_complex(call, *a) : f.multiply(a, a);
  return f.map(MapOp::sqrt, {f.finished(f.sum(squares, *dimensions))});
}

// The logarithm of the sum of exponentials: m + log(sum(exp(a - m))) with the greatest element m, which is a constant
// for gradients. An infinite m is held at the outermost number, so that it does not meet itself in a difference.
MaybeValue run_logsumexp(OperationCall& call) {
  const MaybeValue given = float_operand(call);
  if (!given.has_value()) return std::nullopt;
  const MaybeValue a = call.elaborator.index_wise().widened(*given);
  const auto dimensions = call.dims(1, call.elaborator.type(*a).rank());
  if (!dimensions.has_value()) return std::nullopt;
  const Formula f(call);
  const MaybeValue greatest = f.finished(reduce(call, *a, synth::ReduceKind::max, *dimensions, false));
  const bool is_double = call.elaborator.element(*a) == ElementType::f64;
  const double most = is_double ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  const MaybeValue m =
      f.flat(f.map(MapOp::minimum, {f.map(MapOp::maximum, {greatest, f.number(-most, a)}), f.number(most, a)}));
  const MaybeValue raised = f.map(MapOp::exp, {f.subtract(a, f.with_dimensions(m, *dimensions))});
  return f.add(m, f.map(MapOp::log, {f.finished(f.sum(raised, *dimensions))}));
}

namespace {

// Are these vectors of numbers of one type, for an inner product as long as each other? Reports if not.
bool are_vectors(OperationCall& call, const Checked& a, const Checked& b, bool alike) {
  Elaborator& elaborator = call.elaborator;
  for (const Checked* one : {&a, &b}) {
    if (elaborator.type(*one).rank() == 1) continue;
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "two vectors",
                                 fmt::format("rank {}", elaborator.type(*one).rank()))
                          .at(one->span, elaborator.text(*one))
                          .suggest("matrices are multiplied by `a @ b`, anything else by `einsum`"));
    return false;
  }
  const ElementType first = elaborator.element(a);
  const ElementType second = elaborator.element(b);
  if (!call.wants_element(a, first != ElementType::boolean, "cast it first, as in i64(...)")) return false;
  Diagnostic mismatch = base::make(Kind::element_mismatch, call.quoted(), synth::name(first), synth::name(second));
  if (first != second) {
    mismatch = std::move(mismatch).suggest(cast_help(first, elaborator.text(a.span), second, elaborator.text(b.span)));
  } else if (alike && elaborator.type(a).shape() != elaborator.type(b).shape()) {
    mismatch =
        base::make(Kind::shape_mismatch, call.quoted(), elaborator.type(a).shape()[0], elaborator.type(b).shape()[0])
            .suggest("both vectors of an inner product are as long as each other");
  } else {
    return true;
  }
  elaborator.report(std::move(mismatch).at(b.span, elaborator.text(b)).also(a.span, elaborator.text(a)));
  return false;
}

}  // namespace

// Of two vectors: their product, or every element of one times every element of the other.
MaybeValue run_vectors(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const bool first_is_literal = elaborator.is_literal(call.expr(0));
  const bool is_inner = std::get<Vectors>(call.info.detail) == Vectors::inner;
  using Part = std::optional<RangedPart>;
  const auto read = [&](std::size_t parameter, const Part& beside) -> Part {
    const auto element = beside.has_value() ? std::optional(elaborator.element(beside->value)) : std::nullopt;
    if (is_inner) return check_ranged(elaborator, call.expr(parameter), Preference{element});
    const MaybeValue value = call.array(parameter, element);
    return value.has_value() ? Part(RangedPart{*value, {}}) : std::nullopt;
  };
  Part second = first_is_literal ? read(1, {}) : std::nullopt;
  const Part first = read(0, second);
  if (!first_is_literal && first.has_value()) second = read(1, first);
  if (!first.has_value() || !second.has_value()) return std::nullopt;
  if (!are_vectors(call, first->value, second->value, is_inner)) return std::nullopt;
  if (is_inner) {
    const auto operands = contracted_ranges(elaborator, call.span, call.quoted(), {*first, *second}, {{0}, {0}}, {});
    if (!operands.has_value()) return std::nullopt;
    return elaborator.index_wise().matmul(call.span, operands->front(), operands->back());
  }
  return elaborator.index_wise().contract(call.span, {first->value, second->value}, {{0}, {1}}, {0, 1}, call.quoted(),
                                          {"i", "j"});
}

}  // namespace tessera::typeck
