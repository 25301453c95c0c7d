// Operations on shapes: transpose, reshape, broadcast, concat, pad, update, size.
#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "typeck/checker/fold.hpp"
#include "typeck/kinds.hpp"
#include "typeck/operations/table.hpp"

namespace tessera::typeck {

MaybeValue run_transpose(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const ArrayType from = call.checker.type(*a);
  std::vector<std::uint8_t> permutation;
  for (std::size_t d = from.rank(); d-- > 0;) permutation.push_back(static_cast<std::uint8_t>(d));
  if (call.has(1)) {
    const auto listed = call.integers(1);
    if (!listed.has_value()) return std::nullopt;
    std::vector<std::int64_t> wanted = *listed;
    for (std::int64_t& d : wanted) d += d < 0 ? static_cast<std::int64_t>(from.rank()) : 0;
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    bool good = sorted.size() == from.rank();
    for (std::size_t d = 0; good && d < sorted.size(); ++d) good = sorted[d] == static_cast<std::int64_t>(d);
    if (!good) {
      call.checker.report(base::make(Kind::bad_permutation, from.rank() - 1)
                              .at(call.span_of(1))
                              .also(a->span, call.checker.text(from)));
      return std::nullopt;
    }
    permutation.assign(wanted.begin(), wanted.end());
  }
  Shape shape;
  std::vector<AxisList> splits;
  for (const std::uint8_t d : permutation) {
    shape.push_back(from.shape()[d]);
    splits.push_back(from.layout().split(d));
  }
  const auto result = call.checker.make_type(call.span, from.element(), shape, from.mesh_ref(), std::move(splits),
                                             from.layout().pending(), from.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  return call.checker.compute(call.span, *result, synth::Transpose{std::move(permutation)}, {a->node()});
}

namespace {

// The wanted shape, with NumPy's -1 filled in.
std::optional<Shape> reshape_target(OperationCall& call, const ArrayType& from) {
  const auto listed = call.integers(1);
  if (!listed.has_value()) return std::nullopt;
  const std::int64_t all = synth::elements(from.shape());
  const auto wrong = [&]() -> std::optional<Shape> {
    call.checker.report(base::make(Kind::bad_reshape, all, fmt::format("[{}]", fmt::join(*listed, ", ")))
                            .at(call.span_of(1))
                            .also(call.span_of(0), call.checker.text(from)));
    return std::nullopt;
  };
  if (listed->size() > synth::kRankMax) return wrong();
  std::int64_t product = 1;
  Shape shape;
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < listed->size(); ++d) {
    const std::int64_t extent = (*listed)[d];
    shape.push_back(extent);
    if (extent == -1 && !open.has_value()) {
      open = d;
    } else if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) {
      return wrong();
    }
  }
  if (open.has_value()) {
    if (product == 0 || all % product != 0) return wrong();
    shape[*open] = all / product;
    product *= shape[*open];
  }
  return product == all ? std::optional(shape) : wrong();
}

}  // namespace

MaybeValue run_reshape(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const auto shape = reshape_target(call, call.checker.type(*a));
  if (!shape.has_value()) return std::nullopt;
  return call.checker.reshaped(call.span, call.quoted(), *a, *shape);
}

MaybeValue run_broadcast(OperationCall& call) {
  Checker& checker = call.checker;
  const MaybeValue a = call.array(0);
  const auto listed = call.integers(1);
  if (!a.has_value() || !listed.has_value()) return std::nullopt;
  const ArrayType from = checker.type(*a);
  bool good = listed->size() >= from.rank() && listed->size() <= synth::kRankMax;
  for (std::size_t d = 0; good && d < from.rank(); ++d) {
    const std::int64_t own = from.shape()[d];
    const std::int64_t extent = (*listed)[listed->size() - from.rank() + d];
    good = own == extent || own == 1;
  }
  for (const std::int64_t extent : *listed) good = good && extent >= 0;
  if (!good) {
    checker.report(base::make(Kind::shape_mismatch, "`broadcast`", print_shape(from.shape()),
                              fmt::format("[{}]", fmt::join(*listed, ", ")))
                       .at(call.span));
    return std::nullopt;
  }
  Signature signature;
  signature.who = call.quoted();
  signature.span = call.span;
  signature.element = from.element();
  signature.shape = Shape(listed->begin(), listed->end());
  signature.index_wise = true;
  std::vector<int> own;
  const std::size_t added = listed->size() - from.rank();
  for (std::size_t d = 0; d < listed->size(); ++d) signature.result.push_back(static_cast<int>(d));
  for (std::size_t d = 0; d < from.rank(); ++d)
    own.push_back(from.shape()[d] == (*listed)[added + d] ? static_cast<int>(added + d) : kWhole);
  signature.operands = {std::move(own)};
  auto solved = checker.solve(signature, {*a}, call.want);
  if (!solved.has_value()) return std::nullopt;
  return checker.compute(call.span, solved->result, synth::Map{synth::MapOp::copy}, {solved->operands[0].node()});
}

namespace {

bool joinable(OperationCall& call, const std::vector<Checked>& all, std::size_t dimension) {
  Checker& checker = call.checker;
  const ArrayType& first = checker.type(all.front());
  for (const Checked& value : all) {
    const ArrayType& own = checker.type(value);
    bool fits = own.rank() == first.rank();
    for (std::size_t d = 0; fits && d < own.rank(); ++d) fits = d == dimension || own.shape()[d] == first.shape()[d];
    if (own.element() != first.element()) {
      checker.report(
          base::make(Kind::element_mismatch, call.quoted(), synth::name(first.element()), synth::name(own.element()))
              .at(value.span)
              .also(all.front().span, checker.text(first))
              .suggest(
                  cast_help(first.element(), checker.text(all.front().span), own.element(), checker.text(value.span))));
      return false;
    }
    if (fits) continue;
    checker.report(base::make(Kind::shape_mismatch, call.quoted(), print_shape(first.shape()), print_shape(own.shape()))
                       .at(value.span)
                       .also(all.front().span, checker.text(first)));
    return false;
  }
  return true;
}

}  // namespace

// The joined dimension is made whole; the others are brought together by their indices.
MaybeValue run_concat(OperationCall& call) {
  Checker& checker = call.checker;
  auto all = call.arrays(0);
  if (!all.has_value()) return std::nullopt;
  const ArrayType first = checker.type(all->front());
  const auto dimension = call.dim(1, first.rank());
  if (!dimension.has_value() || !joinable(call, *all, *dimension)) return std::nullopt;
  Signature signature;
  signature.who = call.quoted();
  signature.span = call.span;
  signature.element = first.element();
  signature.shape = first.shape();
  signature.pending = PendingRule::equal_any;
  std::int64_t total = 0;
  std::vector<int> own;
  for (std::size_t d = 0; d < first.rank(); ++d) own.push_back(d == *dimension ? kWhole : static_cast<int>(d));
  signature.result = own;
  for (const Checked& value : *all) {
    signature.operands.push_back(own);
    if (__builtin_add_overflow(total, checker.type(value).shape()[*dimension], &total)) {
      checker.report(base::make(synth::Kind::size_too_large, "the result of concat").at(call.span));
      return std::nullopt;
    }
  }
  signature.shape[*dimension] = total;
  auto solved = checker.solve(signature, std::move(*all), call.want);
  if (!solved.has_value()) return std::nullopt;
  synth::Assemble assemble;
  std::vector<NodeId> nodes;
  std::int64_t at = 0;
  for (std::size_t k = 0; k < solved->operands.size(); ++k) {
    synth::Part part{static_cast<std::uint32_t>(k), std::vector<synth::Placement>(first.rank())};
    part.placements[*dimension].add = at;
    assemble.parts.push_back(std::move(part));
    at += checker.type(solved->operands[k]).shape()[*dimension];
    nodes.push_back(solved->operands[k].node());
  }
  return checker.compute(call.span, solved->result, std::move(assemble), std::move(nodes));
}

namespace {

// [[before, after], ...] per dimension, or one [before, after] for an array of rank 1.
std::optional<Widths> pad_widths(OperationCall& call, const ArrayType& from) {
  const auto wrong = [&]() -> std::optional<Widths> {
    call.checker.report(base::make(Kind::wrong_arguments, "pad",
                                   fmt::format("the widths are {} pairs [before, after] of integers >= 0", from.rank()))
                            .at(call.span_of(1))
                            .suggest("write them as [[1, 1], [0, 2]]"));
    return std::nullopt;
  };
  const auto* list = std::get_if<frontend::ListLiteral>(&call.checker.ast()[call.expr(1)].node);
  if (list == nullptr) return wrong();
  std::vector<std::vector<ExprId>> pairs;
  for (const ExprId item : list->items) {
    const auto* pair = std::get_if<frontend::ListLiteral>(&call.checker.ast()[item].node);
    if (pair != nullptr) pairs.push_back(pair->items);
  }
  if (pairs.empty() && from.rank() == 1) pairs.push_back(list->items);
  if (pairs.size() != from.rank() || (!pairs.empty() && pairs.size() != list->items.size() && from.rank() != 1))
    return wrong();
  Widths widths;
  for (const auto& pair : pairs) {
    if (pair.size() != 2) return wrong();
    const auto before = call.checker.constant_integer(pair[0], "a width");
    const auto after = call.checker.constant_integer(pair[1], "a width");
    if (!before.has_value() || !after.has_value()) return std::nullopt;
    constexpr std::int64_t kWidthMax = std::int64_t{1} << 60U;
    if (*before < 0 || *after < 0 || *before > kWidthMax || *after > kWidthMax) return wrong();
    widths.emplace_back(*before, *after);
  }
  return widths;
}

}  // namespace

MaybeValue run_pad(OperationCall& call) {
  Checker& checker = call.checker;
  MaybeValue a = call.array(0);
  if (a.has_value()) a = checker.resolve_pending(*a, call.quoted(), call.span);
  if (!a.has_value()) return std::nullopt;
  const ArrayType from = checker.type(*a);
  const auto widths = pad_widths(call, from);
  if (!widths.has_value()) return std::nullopt;
  MaybeValue value = call.has(2) ? call.array(2, from.element())
                                 : checker.scalar(call.span, std::int64_t{0}, from.element(), from.mesh_ref());
  if (value.has_value()) value = checker.scalar_of(*value, from.element(), "the value of `pad`");
  if (!value.has_value() || !call.on_mesh(*value, from.mesh_ref())) return std::nullopt;
  return checker.padded(call.span, call.quoted(), *a, *widths, *value);
}

// Rows from i of a are replaced by v, wherever v's rows lie.
MaybeValue run_update(OperationCall& call) {
  Checker& checker = call.checker;
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  MaybeValue at = call.array(1, ElementType::i64);
  MaybeValue v = call.array(2, checker.type(*a).element());
  if (at.has_value()) at = checker.scalar_of(*at, ElementType::i64, "the position");
  if (!at.has_value() || !v.has_value()) return std::nullopt;
  const ArrayType own = checker.type(*a);
  const ArrayType rows = checker.type(*v);
  bool fits = own.rank() > 0 && rows.rank() == own.rank() && rows.element() == own.element() &&
              rows.shape()[0] <= own.shape()[0];
  for (std::size_t d = 1; fits && d < own.rank(); ++d) fits = rows.shape()[d] == own.shape()[d];
  if (!fits) {
    checker.report(base::make(Kind::shape_mismatch, call.quoted(), checker.text(own), checker.text(rows))
                       .at(call.span)
                       .also(v->span, "the new rows")
                       .suggest("`v` has the rank, the element type and the row shape of `a`"));
    return std::nullopt;
  }
  a = checker.resolve_pending(*a, call.quoted(), call.span);
  v = checker.resolve_pending(*v, call.quoted(), call.span);
  if (!a.has_value() || !v.has_value()) return std::nullopt;
  std::vector<Checked> both = {*a, *v};
  if (!checker.unify_meshes(both, call.span) || !call.on_mesh(*at, own.mesh_ref())) return std::nullopt;
  return assemble_update(call, both[0], *at, both[1]);
}

MaybeValue assemble_update(OperationCall& call, const Checked& a, const Checked& at, const Checked& v) {
  Checker& checker = call.checker;
  const ArrayType own = checker.type(a);
  const ArrayType rows = checker.type(v);
  const auto known = checker.known_integer(at);
  synth::Part part{1, std::vector<synth::Placement>(own.rank())};
  std::int64_t bytes = 0;
  std::vector<NodeId> nodes = {a.node(), v.node()};
  if (known.has_value()) {
    const std::int64_t extent = own.shape()[0];
    const std::int64_t start = *known < 0 ? *known + extent : *known;
    if (start < 0 || start > extent - rows.shape()[0]) {
      checker.report(base::make(Kind::index_range, *known, extent).at(at.span));
      return std::nullopt;
    }
    part.placements[0].add = start;
    synth::Offset offset(own.rank(), 0);
    offset[0] = -start;
    bytes = moved_bytes(rows, own, offset);
  } else {
    part.placements[0] = synth::Placement{0, 2, false, true, own.shape()[0]};
    nodes.push_back(at.node());
    const bool local = rows.layout().is_replicated();
    bytes = local ? 0 : synth::array_bytes(rows);
  }
  const Reason why{Reason::Asker::operation, call.quoted(), call.span, v.span, {}};
  if (!checker.allow_received(bytes, why, call.span)) return std::nullopt;
  return checker.compute(call.span, own, synth::Assemble{true, {std::move(part)}}, std::move(nodes), bytes,
                         call.quoted());
}

MaybeValue run_size(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const ArrayType own = call.checker.type(*a);
  const auto dimension = call.dim(1, own.rank());
  if (!dimension.has_value()) return std::nullopt;
  return call.checker.scalar(call.span, own.shape()[*dimension], ElementType::i64, own.mesh_ref());
}

}  // namespace tessera::typeck
