// Triangles, identities, and numbers along a dimension: every device makes what its own tile holds.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/constructors.hpp"
#include "typeck/elaborate/derived.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

using synth::MapOp;

namespace {

// 0, 1, 2, ... as a vector, split over these axes.
Checked numbers(OperationCall& call, ElementType element, std::int64_t count, const AxisList& split,
                const MeshRef& mesh) {
  const open::WrittenLayout layout{{split}, {}, synth::ReduceOp::sum};
  return call.elaborator.compute(call.span, {element, Shape{count}, mesh}, open::Make{synth::Iota{}, layout, call.span},
                                 {}, call.quoted());
}

// The value in the layout of a written type.
MaybeValue as_written(OperationCall& call, const MaybeValue& value, const WrittenType& wanted) {
  if (!value.has_value()) return std::nullopt;
  return call.elaborator.annotated(*value, wanted, call.quoted(), call.span);
}

}  // namespace

// The positions along one dimension of the array.
MaybeValue run_iota_along(OperationCall& call, const WantedArray& all_wanted, std::size_t dim_parameter) {
  Elaborator& elaborator = call.elaborator;
  const WrittenType& wanted = all_wanted.type;
  const auto dimension = call.dim(dim_parameter, wanted.shape.size());
  if (!dimension.has_value()) return std::nullopt;
  const std::size_t d = *dimension;
  const ElementType element = synth::computed_as(*wanted.element);
  const Formula f(call);
  MaybeValue along = numbers(call, element, wanted.shape[d], wanted.layout.splits[d], wanted.mesh);
  for (std::size_t k = 0; k < wanted.shape.size(); ++k) {
    if (k != d) along = f.with_dimension(along, k);
  }
  const auto result = elaborator.made(call.span, element, wanted.shape, wanted.mesh);
  if (!along.has_value() || !result.has_value()) return std::nullopt;
  MaybeValue all = elaborator.compute_as_wished(call.span, *result, open::Broadcast{}, {*along}, call.quoted());
  open::Wish wish{open::WrittenLayout{wanted.layout.splits, {}, synth::ReduceOp::sum}, wanted.mesh, wanted.span, {}};
  if (all_wanted.like.has_value()) wish = {{}, {}, {}, {}, all_wanted.like->node()};
  elaborator.program().nodes[all->node()].wish = std::move(wish);
  if (all_wanted.like.has_value())
    all = elaborator.compute(call.span, *result, open::FinishAs{}, {*all, *all_wanted.like}, call.quoted());
  all = elaborator.index_wise().cast_to(call.span, *all, *wanted.element);
  return all_wanted.like.has_value() ? all : as_written(call, all, wanted);
}

namespace {

std::optional<std::int64_t> offset(OperationCall& call, std::size_t parameter) {
  return call.has(parameter) ? call.integer(parameter) : std::optional<std::int64_t>(0);
}

}  // namespace

// The parameters are T and k.
MaybeValue run_eye(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  const auto k = wanted.has_value() ? offset(call, 1) : std::nullopt;
  if (!k.has_value()) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  if (wanted->shape.size() != 2) {
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "the type of a matrix",
                                 fmt::format("rank {}", wanted->shape.size()))
                          .at(wanted->span)
                          .suggest("write it as in `eye(f32[4, 4])`"));
    return std::nullopt;
  }
  const Formula f(call);
  const MaybeValue columns = numbers(call, ElementType::i64, wanted->shape[1], wanted->layout.splits[1], wanted->mesh);
  MaybeValue rows = numbers(call, ElementType::i64, wanted->shape[0], wanted->layout.splits[0], wanted->mesh);
  rows = f.with_dimension(f.add(rows, f.number(static_cast<double>(*k), rows)), 1);
  const MaybeValue equal = f.compare(MapOp::equal, columns, rows);
  if (!equal.has_value()) return std::nullopt;
  return as_written(call, elaborator.index_wise().cast_to(call.span, *equal, *wanted->element), *wanted);
}

// The parameters are a and k: zeros above (below) the k-th diagonal of the last two dimensions.
MaybeValue run_triangle(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue a = call.array(0);
  const auto k = a.has_value() ? offset(call, 1) : std::nullopt;
  if (!k.has_value()) return std::nullopt;
  const open::Type own = elaborator.type(*a);
  if (own.rank() < 2) {
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "an array of two dimensions or more",
                                 fmt::format("rank {}", own.rank()))
                          .at(a->span, elaborator.text(*a)));
    return std::nullopt;
  }
  const Formula f(call);
  const MaybeValue columns = numbers(call, ElementType::i64, own.shape().back(), {}, own.mesh_ref());
  MaybeValue rows = numbers(call, ElementType::i64, own.shape()[own.rank() - 2], {}, own.mesh_ref());
  rows = f.with_dimension(f.add(rows, f.number(static_cast<double>(*k), rows)), 1);
  if (!columns.has_value() || !rows.has_value()) return std::nullopt;
  // Rows and columns are cut as the array is, so that no device looks at more than its tile.
  const auto together =
      elaborator.index_wise().brought_together(call.span, {*a, *rows, *columns}, elaborator.element(*a), call.quoted());
  if (!together.has_value()) return std::nullopt;
  const MaybeValue array = elaborator.index_wise().widened((*together)[0]);
  const bool lower = std::get<Triangle>(call.info.detail) == Triangle::lower;
  const MaybeValue stays = f.compare(lower ? MapOp::less_equal : MapOp::greater_equal, (*together)[2], (*together)[1]);
  const bool is_bool = elaborator.element(*array) == ElementType::boolean;
  if (is_bool) return f.map(MapOp::logical_and, {array, stays});
  return f.select(stays, array, f.number(0, array));
}

namespace {

// The square matrix that has the vector on its diagonal, its rows split as the vector is.
MaybeValue matrix_of_diagonal(OperationCall& call, const Checked& a) {
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(a);
  const Formula f(call);
  const MaybeValue column = f.with_dimension(f.finished(a), 1);
  const MaybeValue rows = f.with_dimension(numbers(call, ElementType::i64, own.shape()[0], {}, own.mesh_ref()), 1);
  const Checked columns = numbers(call, ElementType::i64, own.shape()[0], {}, own.mesh_ref());
  if (!column.has_value() || !rows.has_value()) return std::nullopt;
  const auto together =
      elaborator.index_wise().brought_together(call.span, {*column, *rows, columns}, own.element(), call.quoted());
  if (!together.has_value()) return std::nullopt;
  const MaybeValue elements = elaborator.index_wise().widened((*together)[0]);
  const MaybeValue is_there = f.compare(MapOp::equal, (*together)[2], (*together)[1]);
  if (own.element() == ElementType::boolean) return f.map(MapOp::logical_and, {elements, is_there});
  return f.select(is_there, elements, f.number(0, elements));
}

}  // namespace

// A matrix' diagonal is as long as its shorter side.
MaybeValue run_diag(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const open::Type own = elaborator.type(*a);
  if (own.rank() == 1) return matrix_of_diagonal(call, *a);
  if (own.rank() != 2) {
    elaborator.report(
        base::make(Kind::rank_mismatch, call.quoted(), "a vector or a matrix", fmt::format("rank {}", own.rank()))
            .at(a->span, elaborator.text(*a)));
    return std::nullopt;
  }
  const bool is_number = own.element() != ElementType::boolean;
  if (!call.wants_element(*a, is_number, "cast it first, as in i64(...)")) return std::nullopt;
  const std::int64_t count = std::min(own.shape()[0], own.shape()[1]);
  const std::vector<Selection> square(2, Selection{0, {}, count, false});
  const MaybeValue part = elaborator.take_part(call.span, *a, square);
  if (!part.has_value()) return std::nullopt;
  return elaborator.index_wise().contract(call.span, {*part}, {{0, 0}}, {0}, call.quoted(), {"i"});
}

// The parameters are T, first and last: n values with equal distances, both ends among them.
MaybeValue run_linspace(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  const bool is_vector = wanted->shape.size() == 1;
  if (!is_vector || !synth::is_float(synth::computed_as(*wanted->element))) {
    const std::string has = is_vector ? fmt::format("elements of {}", synth::name(*wanted->element))
                                      : fmt::format("rank {}", wanted->shape.size());
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "the type of a vector of floats", has)
                          .at(wanted->span)
                          .suggest("write it as in `linspace(f32[11], 0.0, 1.0)`"));
    return std::nullopt;
  }
  const ElementType element = synth::computed_as(*wanted->element);
  std::vector<MaybeValue> ends;
  for (const std::size_t parameter : {1U, 2U}) {
    MaybeValue end = call.array(parameter, element);
    if (end.has_value()) end = elaborator.scalar_of(*end, element, "an end of `linspace`");
    if (!end.has_value() || !call.on_mesh(*end, wanted->mesh)) return std::nullopt;
    ends.push_back(std::move(end));
  }
  const Formula f(call);
  const auto last = static_cast<double>(wanted->shape[0] - 1);
  const MaybeValue i = numbers(call, element, wanted->shape[0], wanted->layout.splits[0], wanted->mesh);
  const MaybeValue step = f.divide(f.subtract(ends[1], ends[0]), f.number(std::max(last, 1.0), i));
  MaybeValue all = f.add(f.multiply(i, step), ends[0]);
  if (last > 0) all = f.select(f.compare(MapOp::equal, i, f.number(last, i)), ends[1], all);
  if (!all.has_value()) return std::nullopt;
  return as_written(call, elaborator.index_wise().cast_to(call.span, *all, *wanted->element), *wanted);
}

}  // namespace tessera::typeck
