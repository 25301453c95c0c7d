// Reductions over dimensions: what is split is left pending (sum, max, min) or gathered first (prod, argmax, cumsum).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "typeck/operations/table.hpp"

namespace tessera::typeck {

namespace {

bool named(const std::vector<std::size_t>& dimensions, std::size_t d) {
  return std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end();
}

std::vector<std::uint8_t> narrow(const std::vector<std::size_t>& dimensions) {
  return {dimensions.begin(), dimensions.end()};
}

Signature reduction_signature(const ArrayType& from, const std::vector<std::size_t>& dimensions) {
  Signature signature;
  signature.element = synth::computed_as(from.element());
  signature.computes = true;
  std::vector<int> indices;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    indices.push_back(static_cast<int>(d));
    if (named(dimensions, d)) continue;
    signature.result.push_back(static_cast<int>(d));
    signature.shape.push_back(from.shape()[d]);
  }
  signature.operands = {std::move(indices)};
  return signature;
}

bool has_elements(OperationCall& call, const Checked& a, const std::vector<std::size_t>& dimensions) {
  const ArrayType& from = call.checker.type(a);
  const bool none =
      std::any_of(dimensions.begin(), dimensions.end(), [&](std::size_t d) { return from.shape()[d] == 0; });
  if (none) call.checker.report(base::make(Kind::empty_reduction, call.info.name).at(a.span, call.checker.text(from)));
  return !none;
}

synth::ReduceOp pending_of(synth::ReduceKind kind) {
  switch (kind) {
    case synth::ReduceKind::max: return synth::ReduceOp::max;
    case synth::ReduceKind::min: return synth::ReduceOp::min;
    case synth::ReduceKind::sum:
    case synth::ReduceKind::product: return synth::ReduceOp::sum;
  }
  return synth::ReduceOp::sum;
}

// The array with the named dimensions whole and no pending reduction, in the type that is computed with: what
// order-dependent reductions need.
MaybeValue gathered(OperationCall& call, const Checked& a, const std::vector<std::size_t>& dimensions) {
  const MaybeValue finished = call.checker.resolve_pending(a, call.quoted(), call.span);
  if (!finished.has_value()) return std::nullopt;
  const auto whole = call.checker.with_whole_dimensions(*finished, dimensions, call.quoted(), call.span);
  return whole.has_value() ? MaybeValue(call.checker.widened(*whole)) : std::nullopt;
}

std::optional<ArrayType> reduced_type(OperationCall& call, const ArrayType& from,
                                      const std::vector<std::size_t>& dimensions, ElementType element) {
  Shape shape;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (named(dimensions, d)) continue;
    shape.push_back(from.shape()[d]);
    splits.push_back(from.layout().split(d));
  }
  return call.checker.make_type(call.span, element, shape, from.mesh_ref(), std::move(splits));
}

}  // namespace

std::vector<std::size_t> all_dimensions(const ArrayType& type) {
  std::vector<std::size_t> all(type.rank());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

MaybeValue reduce(OperationCall& call, const Checked& a, synth::ReduceKind kind,
                  const std::vector<std::size_t>& dimensions) {
  return reduce(call.checker, call.span, call.quoted(), a, kind, dimensions, call.want);
}

MaybeValue reduce(Checker& checker, Span span, const std::string& who, const Checked& a, synth::ReduceKind kind,
                  const std::vector<std::size_t>& dimensions, const Preference& want) {
  if (dimensions.empty()) return checker.widened(a);
  Signature signature = reduction_signature(checker.type(a), dimensions);
  signature.who = who;
  signature.span = span;
  signature.contraction = pending_of(kind);
  if (kind == synth::ReduceKind::sum) signature.pending = PendingRule::linear;
  auto solved = checker.solve(signature, {a}, want);
  if (!solved.has_value()) return std::nullopt;
  return checker.compute(span, solved->result, synth::Reduce{kind, narrow(dimensions)}, {solved->operands[0].node()});
}

MaybeValue run_reduction(OperationCall& call) {
  const auto kind = static_cast<synth::ReduceKind>(call.info.detail);
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(call.info.parameters.size() - 1, call.checker.type(*a).rank());
  if (!dimensions.has_value()) return std::nullopt;
  if (call.checker.type(*a).element() == ElementType::boolean) {
    const char* const help = kind == synth::ReduceKind::max ? "of bool it is `any`" : "of bool it is `all`";
    if (!call.wants_element(*a, kind == synth::ReduceKind::sum, help)) return std::nullopt;
    a = call.checker.cast_to(call.span, *a, ElementType::i64);
    if (!a.has_value()) return std::nullopt;
  }
  if (kind != synth::ReduceKind::sum && !has_elements(call, *a, *dimensions)) return std::nullopt;
  return reduce(call, *a, kind, *dimensions);
}

// The least and the greatest of bool; of nothing they are what changes no other.
MaybeValue run_all_any(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const ArrayType& from = call.checker.type(*a);
  const auto dimensions = call.dims(1, from.rank());
  const bool fits = from.element() == ElementType::boolean;
  if (!dimensions.has_value() || !call.wants_element(*a, fits, "compare first, as in a != 0")) return std::nullopt;
  return reduce(call, *a, static_cast<synth::ReduceKind>(call.info.detail), *dimensions);
}

MaybeValue run_product(OperationCall& call) {
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, call.checker.type(*a).rank());
  if (!dimensions.has_value()) return std::nullopt;
  if (call.checker.type(*a).element() == ElementType::boolean)
    a = call.checker.cast_to(call.span, *a, ElementType::i64);
  if (a.has_value()) a = gathered(call, *a, *dimensions);
  if (!a.has_value()) return std::nullopt;
  return reduce(call, *a, synth::ReduceKind::product, *dimensions);
}

// The global extent divides: of floats in their own type, of integers and bool in f64.
MaybeValue run_mean(OperationCall& call) {
  Checker& checker = call.checker;
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, checker.type(*a).rank());
  if (!dimensions.has_value()) return std::nullopt;
  const ElementType own = checker.element(*a);
  const ElementType element = synth::is_float(own) ? own : ElementType::f64;
  std::int64_t count = 1;
  for (const std::size_t d : *dimensions) count *= checker.type(*a).shape()[d];
  a = checker.cast_to(call.span, *a, element);
  if (a.has_value()) a = reduce(call, *a, synth::ReduceKind::sum, *dimensions);
  if (!a.has_value()) return std::nullopt;
  const Checked divisor = checker.scalar(call.span, static_cast<double>(count), element, checker.type(*a).mesh_ref());
  return checker.map(call.span, synth::MapOp::divide, {*a, divisor}, element, call.quoted(), call.want);
}

MaybeValue run_arg_reduction(OperationCall& call) {
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, call.checker.type(*a).rank());
  if (!dimensions.has_value() || !has_elements(call, *a, *dimensions)) return std::nullopt;
  a = gathered(call, *a, *dimensions);
  if (!a.has_value()) return std::nullopt;
  const auto result = reduced_type(call, call.checker.type(*a), *dimensions, ElementType::i64);
  if (!result.has_value()) return std::nullopt;
  return call.checker.compute(call.span, *result, synth::ArgReduce{call.info.detail == 1, narrow(*dimensions)},
                              {a->node()});
}

MaybeValue run_cumsum(OperationCall& call) {
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimension = call.dim(1, call.checker.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  if (call.checker.type(*a).element() == ElementType::boolean)
    a = call.checker.cast_to(call.span, *a, ElementType::i64);
  if (a.has_value()) a = gathered(call, *a, {*dimension});
  if (!a.has_value()) return std::nullopt;
  const ArrayType own = call.checker.type(*a);
  return call.checker.compute(call.span, own, synth::Cumsum{static_cast<std::uint8_t>(*dimension)}, {a->node()});
}

namespace {

// a with the two dimensions exchanged: local.
MaybeValue exchanged(OperationCall& call, const Checked& a, std::size_t one, std::size_t other) {
  if (one == other) return a;
  const ArrayType& own = call.checker.type(a);
  std::vector<std::uint8_t> permutation = narrow(all_dimensions(own));
  std::swap(permutation[one], permutation[other]);
  Shape shape = own.shape();
  std::swap(shape[one], shape[other]);
  std::vector<AxisList> splits = own.layout().splits();
  std::swap(splits[one], splits[other]);
  const auto result = call.checker.make_type(call.span, own.element(), shape, own.mesh_ref(), std::move(splits));
  if (!result.has_value()) return std::nullopt;
  return call.checker.compute(call.span, *result, synth::Transpose{std::move(permutation)}, {a.node()});
}

// Puts elements in order along a dimension, which is made whole and becomes so long. It works along the last one:
// another one is brought there and back. Positions are what the call asks for if its detail is 1.
MaybeValue ordered(OperationCall& call, MaybeValue a, std::size_t dimension, std::int64_t length,
                   synth::Operation operation) {
  a = gathered(call, *a, {dimension});
  if (!a.has_value()) return std::nullopt;
  const std::size_t last = call.checker.type(*a).rank() - 1;
  a = exchanged(call, *a, dimension, last);
  if (!a.has_value()) return std::nullopt;
  const ArrayType& own = call.checker.type(*a);
  Shape shape = own.shape();
  shape.back() = length;
  const ElementType element = call.info.detail == 1 ? ElementType::i64 : own.element();
  const auto result = call.checker.make_type(call.span, element, shape, own.mesh_ref(), own.layout().splits());
  if (!result.has_value()) return std::nullopt;
  const Checked done = call.checker.compute(call.span, *result, std::move(operation), {a->node()});
  return exchanged(call, done, dimension, last);
}

}  // namespace

MaybeValue run_sort(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimension = call.dim(1, call.checker.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  const std::int64_t extent = call.checker.type(*a).shape()[*dimension];
  return ordered(call, a, *dimension, extent, synth::Sort{call.info.detail == 1});
}

MaybeValue run_topk(OperationCall& call) {
  const MaybeValue a = call.array(0);
  const auto count = call.integer(1);
  if (!a.has_value() || !count.has_value()) return std::nullopt;
  const auto dimension = call.dim(2, call.checker.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  const std::int64_t extent = call.checker.type(*a).shape()[*dimension];
  if (*count < 0 || *count > extent) {
    call.checker.report(base::make(Kind::wrong_arguments, call.who(),
                                   fmt::format("k is {}, and dimension {} has {}", *count, *dimension, extent))
                            .at(call.span_of(1))
                            .suggest(fmt::format("k may be 0 to {}", extent)));
    return std::nullopt;
  }
  return ordered(call, a, *dimension, *count, synth::Greatest{*count, call.info.detail == 1});
}

namespace {

// The reduction of a over one dimension, finished, with the dimension kept at extent 1.
MaybeValue kept(OperationCall& call, const Checked& a, synth::ReduceKind kind, std::size_t dimension) {
  Checker& checker = call.checker;
  const Preference nothing;
  OperationCall inner(checker, call.info, call.span, nothing);
  MaybeValue small = reduce(inner, a, kind, {dimension});
  if (small.has_value()) small = checker.resolve_pending(*small, call.quoted(), call.span);
  if (!small.has_value()) return std::nullopt;
  const ArrayType own = checker.type(*small);
  Shape shape = own.shape();
  shape.insert(dimension, 1);
  std::vector<AxisList> splits = own.layout().splits();
  splits.insert(splits.begin() + static_cast<std::ptrdiff_t>(dimension), AxisList{});
  const auto result = checker.make_type(call.span, own.element(), shape, own.mesh_ref(), std::move(splits));
  if (!result.has_value()) return std::nullopt;
  return checker.compute(call.span, *result, synth::Reshape{}, {small->node()});
}

}  // namespace

// exp(a - max) / sum of that. Along a split dimension the maximum and the sum are two small all_reduces.
MaybeValue run_softmax(OperationCall& call) {
  Checker& checker = call.checker;
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const ElementType element = checker.element(*a);
  if (!call.wants_element(*a, synth::is_float(element), "cast it first, as in f32(...)")) return std::nullopt;
  const auto dimension = call.dim(1, checker.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  a = checker.resolve_pending(*a, call.quoted(), call.span, &call.want);
  if (a.has_value()) a = checker.widened(*a);
  const bool nothing_to_do = a.has_value() && checker.type(*a).shape()[*dimension] == 0;
  if (!a.has_value() || nothing_to_do) return a;
  const auto greatest = checker.flat(kept(call, *a, synth::ReduceKind::max, *dimension));
  if (!greatest.has_value()) return std::nullopt;
  const auto shifted = checker.map(call.span, synth::MapOp::subtract, {*a, *greatest}, element, call.quoted(), {});
  if (!shifted.has_value()) return std::nullopt;
  const auto raised = checker.map(call.span, synth::MapOp::exp, {*shifted}, element, call.quoted(), {});
  if (!raised.has_value()) return std::nullopt;
  const auto total = kept(call, *raised, synth::ReduceKind::sum, *dimension);
  if (!total.has_value()) return std::nullopt;
  return checker.map(call.span, synth::MapOp::divide, {*raised, *total}, element, call.quoted(), {});
}

}  // namespace tessera::typeck
