// Reductions over dimensions, and what goes along one: running sums, sorting.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "typeck/elaborate/derived.hpp"

namespace tessera::typeck {

namespace {

bool named(const std::vector<std::size_t>& dimensions, std::size_t d) {
  return std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end();
}

std::vector<std::uint8_t> narrow(const std::vector<std::size_t>& dimensions) {
  return {dimensions.begin(), dimensions.end()};
}

bool has_elements(OperationCall& call, const Checked& a, const std::vector<std::size_t>& dimensions) {
  const open::Type& from = call.elaborator.type(a);
  const bool none =
      std::any_of(dimensions.begin(), dimensions.end(), [&](std::size_t d) { return from.shape()[d] == 0; });
  if (none)
    call.elaborator.report(base::make(Kind::empty_reduction, call.info.name).at(a.span, call.elaborator.text(a)));
  return !none;
}

// The array with the named dimensions whole and no pending reduction, in the type that is computed with: what
// order-dependent reductions need.
Checked made_whole(OperationCall& call, const Checked& a, const std::vector<std::size_t>& dimensions,
                   std::optional<synth::Sort> sorted = {}) {
  const open::Type own = call.elaborator.type(a);
  Checked whole = a;
  whole.nodes = call.elaborator
                    .compute(a.span, {synth::computed_as(own.element()), own.shape(), own.mesh_ref()},
                             open::Whole{dimensions, call.span, sorted}, {a}, call.quoted())
                    .nodes;
  return whole;
}

}  // namespace

std::vector<std::size_t> all_dimensions(std::size_t rank) {
  std::vector<std::size_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

MaybeValue reduce(OperationCall& call, const Checked& a, synth::ReduceKind kind,
                  const std::vector<std::size_t>& dimensions, bool takes_wish) {
  return call.elaborator.index_wise().reduce(call.span, call.quoted(), a, kind, dimensions, takes_wish);
}

MaybeValue run_reduction(OperationCall& call) {
  const auto kind = std::get<synth::ReduceKind>(call.info.detail);
  MaybeValue a = call.array_in_ranges();
  if (!a.has_value()) return std::nullopt;
  const std::size_t dim = kind == synth::ReduceKind::sum ? 1 : 2;
  const auto dimensions = call.dims(dim, call.elaborator.type(*a).rank());
  if (!dimensions.has_value() || !call.reduces_ranges(*dimensions)) return std::nullopt;
  if (call.elaborator.type(*a).element() == ElementType::boolean) {
    const char* const help = kind == synth::ReduceKind::max ? "of bool it is `any`" : "of bool it is `all`";
    if (!call.wants_element(*a, kind == synth::ReduceKind::sum, help)) return std::nullopt;
    a = call.elaborator.index_wise().cast_to(call.span, *a, ElementType::i64);
    if (!a.has_value()) return std::nullopt;
  }
  if (kind != synth::ReduceKind::sum && (!call.wants_real(*a) || !has_elements(call, *a, *dimensions)))
    return std::nullopt;
  a = masked(call, *a, kind);
  return a.has_value() ? reduce(call, *a, kind, *dimensions) : std::nullopt;
}

// The least and the greatest of bool; of nothing they are what changes no other.
MaybeValue run_all_any(OperationCall& call) {
  MaybeValue a = call.array_in_ranges();
  if (!a.has_value()) return std::nullopt;
  const open::Type from = call.elaborator.type(*a);
  const auto dimensions = call.dims(1, from.rank());
  const bool fits = from.element() == ElementType::boolean;
  if (!dimensions.has_value() || !call.reduces_ranges(*dimensions) ||
      !call.wants_element(*a, fits, "compare first, as in a != 0"))
    return std::nullopt;
  const auto kind = std::get<synth::ReduceKind>(call.info.detail);
  if (call.is_masked()) {
    const Formula f(call);
    const MaybeValue c = mask(call, *a);
    a = kind == synth::ReduceKind::max ? f.map(synth::MapOp::logical_and, {a, c})
                                       : f.map(synth::MapOp::logical_or, {a, f.map(synth::MapOp::logical_not, {c})});
  }
  return a.has_value() ? reduce(call, *a, kind, *dimensions) : std::nullopt;
}

MaybeValue run_product(OperationCall& call) {
  MaybeValue a = call.array_in_ranges();
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, call.elaborator.type(*a).rank());
  if (!dimensions.has_value() || !call.reduces_ranges(*dimensions)) return std::nullopt;
  const bool is_real = !synth::is_complex(call.elaborator.element(*a));
  if (!call.wants_element(*a, is_real, "carry it: `loop p = c64(1.0) for i < 8 { p * a[i] }`")) return std::nullopt;
  if (call.elaborator.type(*a).element() == ElementType::boolean)
    a = call.elaborator.index_wise().cast_to(call.span, *a, ElementType::i64);
  if (a.has_value()) a = masked(call, *a, synth::ReduceKind::product);
  return a.has_value() ? reduce(call, *a, synth::ReduceKind::product, *dimensions) : std::nullopt;
}

namespace {

// The sum of the elements where the mask holds, over how many there are, which are counted exactly.
MaybeValue mean_where(OperationCall& call, const Checked& a, const std::vector<std::size_t>& dimensions) {
  const Formula f(call);
  IndexWise& index_wise = call.elaborator.index_wise();
  const auto c = mask(call, a);
  if (!c.has_value()) return std::nullopt;
  // Both sums are of elements that lie alike, so that the quotient moves nothing.
  const auto together = index_wise.brought_together(call.span, {a, *c}, call.elaborator.element(a), call.quoted());
  if (!together.has_value()) return std::nullopt;
  const MaybeValue elements = (*together)[0];
  const Checked& holds = (*together)[1];
  const MaybeValue ones = index_wise.cast_to(call.span, holds, ElementType::i64);
  const MaybeValue count = f.finished(f.sum(ones, dimensions));
  if (!count.has_value()) return std::nullopt;
  const MaybeValue total = f.finished(f.sum(f.select(holds, elements, f.number(0, elements)), dimensions));
  return f.divide(total, index_wise.cast_to(call.span, *count, call.elaborator.element(a)));
}

}  // namespace

// The global extent divides: of floats in their own type, of integers and bool in f64.
MaybeValue run_mean(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  MaybeValue a = call.array_in_ranges();
  if (!a.has_value()) return std::nullopt;
  const auto dimensions = call.dims(1, elaborator.type(*a).rank());
  if (!dimensions.has_value() || !call.reduces_ranges(*dimensions)) return std::nullopt;
  const ElementType own = elaborator.element(*a);
  const ElementType element = synth::is_rounded(own) ? own : ElementType::f64;
  std::int64_t count = 1;
  for (const std::size_t d : *dimensions) count *= elaborator.type(*a).shape()[d];
  a = elaborator.index_wise().cast_to(call.span, *a, element);
  if (a.has_value() && call.is_masked()) return mean_where(call, *a, *dimensions);
  if (a.has_value()) a = reduce(call, *a, synth::ReduceKind::sum, *dimensions);
  if (!a.has_value()) return std::nullopt;
  const Checked divisor =
      elaborator.scalar(call.span, static_cast<double>(count), element, elaborator.type(*a).mesh_ref());
  const MaybeValue mean =
      elaborator.index_wise().map(call.span, synth::MapOp::divide, {*a, divisor}, element, call.quoted());
  if (mean.has_value()) elaborator.share_wish(*mean, *a);
  return mean;
}

MaybeValue run_arg_reduction(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const open::Type own = call.elaborator.type(*a);
  const auto dimensions = call.dims(1, own.rank());
  if (!dimensions.has_value() || !call.wants_real(*a) || !has_elements(call, *a, *dimensions)) return std::nullopt;
  Shape shape;
  for (std::size_t d = 0; d < own.rank(); ++d) {
    if (!named(*dimensions, d)) shape.push_back(own.shape()[d]);
  }
  const auto result = call.elaborator.made(call.span, ElementType::i64, shape, own.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  const bool max = std::get<synth::ReduceKind>(call.info.detail) == synth::ReduceKind::max;
  return call.elaborator.compute(call.span, *result, synth::ArgReduce{max, narrow(*dimensions)}, {*a}, call.quoted());
}

MaybeValue run_scan(OperationCall& call) {
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimension = call.dim(1, call.elaborator.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  const auto op = std::get<synth::ReduceOp>(call.info.detail);
  const bool is_complex = synth::is_complex(call.elaborator.element(*a));
  const char* const help = op == synth::ReduceOp::product
                               ? "carry it: `let (last, all) = scan p = c64(1.0) for i < 8 { (p * a[i], p * a[i]) }`"
                               : "complex numbers have no order: take `abs(a)`, `re(a)` or `im(a)`";
  if (!call.wants_element(*a, !is_complex || op == synth::ReduceOp::sum, help)) return std::nullopt;
  if (call.elaborator.type(*a).element() == ElementType::boolean) {
    const bool counts = op == synth::ReduceOp::sum || op == synth::ReduceOp::product;
    if (!call.wants_element(*a, counts, "cast it first, as in i32(...)")) return std::nullopt;
    a = call.elaborator.index_wise().cast_to(call.span, *a, ElementType::i64);
  }
  if (!a.has_value()) return std::nullopt;
  const Checked finished = made_whole(call, *a, {});
  const synth::Scan scan{static_cast<std::uint8_t>(*dimension), false, op};
  const auto run_along = [&](const Checked& of) {
    const Checked values = call.elaborator.compute(call.span, call.elaborator.type(of), scan, {of}, call.quoted());
    call.elaborator.share_wish(values, of);
    return values;
  };
  return is_complex ? of_both_parts(call, finished, run_along) : MaybeValue(run_along(finished));
}

// Operands are brought together as those of arithmetic.
MaybeValue run_recur(OperationCall& call) {
  const auto both = alike(call, {0, 1});
  if (!both.has_value()) return std::nullopt;
  const Elaborator& elaborator = call.elaborator;
  const auto dimension = call.dim(2, std::max(elaborator.type((*both)[0]).rank(), elaborator.type((*both)[1]).rank()));
  const ElementType element = elaborator.element(both->front());
  if (!dimension.has_value() ||
      !call.wants_element(both->front(), element != ElementType::boolean, "cast it first, as in i64(...)"))
    return std::nullopt;
  const synth::Recur recur{static_cast<std::uint8_t>(*dimension), false};
  return call.elaborator.index_wise().aligned(call.span, recur, *both, element, call.quoted(), true);
}

namespace {

// a with the two dimensions exchanged: local.
Checked exchanged(OperationCall& call, const Checked& a, std::size_t one, std::size_t other) {
  if (one == other) return a;
  const open::Type own = call.elaborator.type(a);
  std::vector<std::uint8_t> permutation = narrow(all_dimensions(own.rank()));
  std::swap(permutation[one], permutation[other]);
  Shape shape = own.shape();
  std::swap(shape[one], shape[other]);
  return call.elaborator.compute(call.span, {own.element(), shape, own.mesh_ref()},
                                 synth::Transpose{std::move(permutation)}, {a}, call.quoted());
}

// Puts elements in order along a dimension, which becomes so long. It works along the last one: another one is brought
// there and back.
MaybeValue ordered(OperationCall& call, const Checked& a, std::size_t dimension, std::int64_t length,
                   synth::Operation operation) {
  const std::size_t last = call.elaborator.type(a).rank() - 1;
  const Checked ready = exchanged(call, a, dimension, last);
  const open::Type given = call.elaborator.type(ready);
  const open::Type own(synth::computed_as(given.element()), given.shape(), given.mesh_ref());
  Shape shape = own.shape();
  shape.back() = length;
  const bool gives_positions = std::get<Gives>(call.info.detail) == Gives::positions;
  const auto result =
      call.elaborator.made(call.span, gives_positions ? ElementType::i64 : own.element(), shape, own.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return exchanged(call, call.elaborator.compute(call.span, *result, std::move(operation), {ready}, call.quoted()),
                   dimension, last);
}

}  // namespace

MaybeValue run_sort(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto dimension = call.dim(1, call.elaborator.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  const std::int64_t extent = call.elaborator.type(*a).shape()[*dimension];
  if (!call.wants_real(*a)) return std::nullopt;
  const synth::Sort sort{std::get<Gives>(call.info.detail) == Gives::positions};
  const Checked whole = made_whole(call, *a, {*dimension}, sort);
  const MaybeValue sorted = ordered(call, whole, *dimension, extent, sort);
  if (sorted.has_value()) call.elaborator.share_wish(*sorted, whole);
  return sorted;
}

MaybeValue run_topk(OperationCall& call) {
  const MaybeValue a = call.array(0);
  const auto count = call.integer(1);
  if (!a.has_value() || !count.has_value()) return std::nullopt;
  const auto dimension = call.dim(2, call.elaborator.type(*a).rank());
  if (!dimension.has_value()) return std::nullopt;
  const std::int64_t extent = call.elaborator.type(*a).shape()[*dimension];
  if (!call.wants_real(*a)) return std::nullopt;
  if (*count < 0 || *count > extent) {
    call.elaborator.report(base::make(Kind::wrong_arguments, call.who(),
                                      fmt::format("k is {}, and dimension {} has {}", *count, *dimension, extent))
                               .at(call.span_of(1))
                               .suggest(fmt::format("k may be 0 to {}", extent)));
    return std::nullopt;
  }
  return ordered(call, *a, *dimension, *count,
                 synth::Greatest{*count, std::get<Gives>(call.info.detail) == Gives::positions});
}

namespace {

// The reduction of a over one dimension, finished, with the dimension kept at extent 1.
MaybeValue kept(OperationCall& call, const Checked& a, synth::ReduceKind kind, std::size_t dimension) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue small = reduce(call, a, kind, {dimension}, false);
  if (!small.has_value()) return std::nullopt;
  const Checked whole = elaborator.finished(*small, call.quoted(), call.span);
  const open::Type own = elaborator.type(whole);
  Shape shape = own.shape();
  shape.insert(dimension, 1);
  return elaborator.compute(call.span, {own.element(), shape, own.mesh_ref()}, open::Unsqueeze{{dimension}}, {whole},
                            call.quoted());
}

}  // namespace

namespace {

// What `softmax` and its logarithm are made of, along one dimension: how far elements are from the greatest, which is a
// constant for gradients, their exponentials, and the sum of those. Along a split dimension the maximum and the sum are
// two small all_reduces.
struct Raised {
  Checked finished;  // the operand
  Checked off;
  Checked raised;
  Checked total;
};

// The operand itself where the dimension is empty.
std::variant<std::monostate, Checked, Raised> raised_along(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return {};
  const ElementType element = elaborator.element(*a);
  if (!call.wants_element(*a, synth::is_float(element), "cast it first, as in f32(...)")) return {};
  const auto dimension = call.dim(1, elaborator.type(*a).rank());
  if (!dimension.has_value()) return {};
  const Checked finished = elaborator.finished(*a, call.quoted(), call.span);
  const Checked whole = elaborator.index_wise().widened(finished);
  if (elaborator.type(whole).shape()[*dimension] == 0) return whole;
  const auto greatest = elaborator.flat(kept(call, whole, synth::ReduceKind::max, *dimension));
  if (!greatest.has_value()) return {};
  const auto off =
      elaborator.index_wise().map(call.span, synth::MapOp::subtract, {whole, *greatest}, element, call.quoted(), false);
  if (!off.has_value()) return {};
  const auto raised = elaborator.index_wise().map(call.span, synth::MapOp::exp, {*off}, element, call.quoted(), false);
  if (!raised.has_value()) return {};
  const auto total = kept(call, *raised, synth::ReduceKind::sum, *dimension);
  if (!total.has_value()) return {};
  return Raised{finished, *off, *raised, *total};
}

}  // namespace

// exp(a - max) / sum of that, or the logarithm of it, a - max - log(sum), which is never that of a zero.
MaybeValue run_softmax(OperationCall& call) {
  const auto made = raised_along(call);
  if (const auto* const empty = std::get_if<Checked>(&made)) return *empty;
  const auto* const along = std::get_if<Raised>(&made);
  if (along == nullptr) return std::nullopt;
  const Formula f(call);
  const MaybeValue result = std::get<Shares>(call.info.detail) == Shares::logarithms
                                ? f.subtract(along->off, f.map(synth::MapOp::log, {along->total}))
                                : f.divide(along->raised, along->total);
  if (result.has_value()) call.elaborator.share_wish(*result, along->finished);
  return result;
}

}  // namespace tessera::typeck
