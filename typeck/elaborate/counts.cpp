// searchsorted, bincount, histogram.
#include <fmt/format.h>

#include <algorithm>

#include "synth/program/refused_id.hpp"
#include "typeck/elaborate/derived.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

using synth::MapOp;

namespace {

// The arrays of the parameters, of one element type; the one of `edges` is a vector.
std::optional<std::vector<Checked>> with_edges(OperationCall& call, std::size_t edges) {
  Elaborator& elaborator = call.elaborator;
  auto both = alike(call, {0, 1});
  if (!both.has_value()) return std::nullopt;
  const Checked& vector = (*both)[edges];
  const open::Type own = elaborator.type(vector);
  if (!call.wants_element(vector, own.element() != ElementType::boolean, "cast it first, as in i64(...)") ||
      !call.wants_real(vector))
    return std::nullopt;
  if (own.rank() != 1) {
    elaborator.report(
        base::make(Kind::rank_mismatch, call.quoted(), "a vector of edges", fmt::format("rank {}", own.rank()))
            .at(vector.span, elaborator.text(vector)));
    return std::nullopt;
  }
  if (!elaborator.unify_meshes(*both, call.span)) return std::nullopt;
  return both;
}

MaybeValue searched(OperationCall& call, const Checked& edges, const Checked& values, bool right) {
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(values);
  const auto result = elaborator.made(call.span, ElementType::i64, own.shape(), own.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute_as_wished(call.span, *result, synth::Operation(synth::Search{right}), {edges, values},
                                      call.quoted());
}

// A 1 for each id, lying as they do.
Checked ones_like(OperationCall& call, const Checked& ids) {
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(ids);
  const Checked one = elaborator.scalar(call.span, std::int64_t{1}, ElementType::i64, own.mesh_ref());
  if (own.rank() == 0) return one;
  const open::Type type(ElementType::i64, own.shape(), own.mesh_ref());
  const Checked ones = elaborator.compute(call.span, type, open::Broadcast{}, {one}, call.quoted());
  elaborator.program().nodes[ones.node()].wish = open::Wish{{}, {}, {}, {}, ids.node()};
  return ones;
}

// `weights=`, in the type that it is added up in, or ones; where rows are added, each weight may be one.
MaybeValue weights_of(OperationCall& call, const Checked& ids, bool may_be_rows) {
  Elaborator& elaborator = call.elaborator;
  const auto parameter = call.given("weights");
  if (!parameter.has_value()) return ones_like(call, ids);
  const MaybeValue weights = call.array(*parameter);
  if (!weights.has_value() || !call.wants_real(*weights)) return std::nullopt;
  const open::Type own = elaborator.type(*weights);
  const Shape& places = elaborator.type(ids).shape();
  const bool begins_alike =
      own.rank() >= places.size() && std::equal(places.begin(), places.end(), own.shape().begin());
  if (!begins_alike || (own.rank() > places.size() && !may_be_rows)) {
    elaborator.report(base::make(Kind::shape_mismatch, "`weights=`", print_shape(places), print_shape(own.shape()))
                          .at(weights->span, elaborator.text(*weights))
                          .also(ids.span, elaborator.text(ids))
                          .suggest(may_be_rows ? "a weight, or a row of weights, for each of the ids" : ""));
    return std::nullopt;
  }
  const bool is_bool = own.element() == ElementType::boolean;
  return elaborator.index_wise().cast_to(call.span, *weights,
                                         is_bool ? ElementType::i64 : synth::computed_as(own.element()));
}

// The weights added up where the ids say: of n ids.
MaybeValue counted(OperationCall& call, const MaybeValue& ids, const MaybeValue& weights, std::int64_t n) {
  if (!ids.has_value() || !weights.has_value()) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  std::vector<Checked> operands = {*weights, *ids};
  if (!elaborator.unify_meshes(operands, call.span)) return std::nullopt;
  const open::Type rows = elaborator.type(operands.front());
  Shape shape{n};
  for (std::size_t d = elaborator.type(operands.back()).rank(); d < rows.rank(); ++d) shape.push_back(rows.shape()[d]);
  const auto result = elaborator.made(call.span, rows.element(), shape, rows.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute_as_wished(call.span, *result, synth::Operation(synth::ScatterAdd{}), operands,
                                      call.quoted());
}

// Ids below 0 lie outside of every table (synth/program/refused_id.hpp).
MaybeValue not_below_zero(OperationCall& call, const Checked& ids) {
  Elaborator& elaborator = call.elaborator;
  const Formula f(call);
  const MaybeValue all = elaborator.index_wise().cast_to(call.span, ids, ElementType::i64);
  if (!all.has_value()) return std::nullopt;
  const MeshRef& mesh = elaborator.type(*all).mesh_ref();
  const MaybeValue far = elaborator.scalar(call.span, -synth::kRefusedIdDistance, ElementType::i64, mesh);
  MaybeValue moved = f.select(f.compare(MapOp::less, all, f.number(0, all)), f.add(all, far), all);
  // A printed program says behind the ids how these are brought to the weights.
  if (moved.has_value() && elaborator.type(ids).element() == ElementType::i64) moved->expr = ids.expr;
  return moved;
}

}  // namespace

// The parameters are edges and a.
MaybeValue run_searchsorted(OperationCall& call) {
  const auto both = with_edges(call, 0);
  const auto right = call.flag(2);
  if (!both.has_value() || !right.has_value()) return std::nullopt;
  return searched(call, (*both)[0], (*both)[1], *right);
}

MaybeValue run_bincount(OperationCall& call) {
  const MaybeValue ids = call.array(0);
  const auto count = call.integer(1);
  if (!ids.has_value() || !count.has_value()) return std::nullopt;
  const bool are_integers = synth::is_integer(call.elaborator.type(*ids).element());
  if (!call.wants_element(*ids, are_integers, "ids are integers: i64(...)")) return std::nullopt;
  const Checked finished = call.elaborator.finished(*ids, call.quoted(), call.span);
  return counted(call, not_below_zero(call, finished), weights_of(call, finished, true), *count);
}

// The parameters are a and edges. With m edges there is a place in front of the first, and one behind the last: what is
// counted there is left out. An element at the last edge belongs to the last bin, so its number is at most m - 1.
MaybeValue run_histogram(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto both = with_edges(call, 1);
  if (!both.has_value()) return std::nullopt;
  const std::int64_t edges = elaborator.type((*both)[1]).shape()[0];
  if (edges < 2) {
    elaborator.report(base::make(Kind::wrong_arguments, call.who(), "a bin lies between two edges")
                          .at(call.span_of(1))
                          .suggest("n bins have n + 1 edges: `histogram(a, [0.0, 0.5, 1.0])` has two"));
    return std::nullopt;
  }
  const Formula f(call);
  const Checked values = elaborator.finished((*both)[0], call.quoted(), call.span);
  const MaybeValue not_greater = f.finished(searched(call, (*both)[1], values, true));
  const MaybeValue less = f.finished(searched(call, (*both)[1], values, false));
  const MaybeValue last = f.number(static_cast<double>(edges - 1), less);
  const MaybeValue bins = f.map(MapOp::minimum, {not_greater, f.map(MapOp::maximum, {less, last})});
  const MaybeValue all =
      bins.has_value() ? counted(call, bins, weights_of(call, values, false), edges + 1) : std::nullopt;
  if (!all.has_value()) return std::nullopt;
  return elaborator.take_part(call.span, *all, {Selection{1, {}, edges - 1}});
}

}  // namespace tessera::typeck
