// Operations on shapes: transpose, reshape, broadcast, concat, pad, update, size.
#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/table.hpp"
#include "typeck/elaborate/with.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

MaybeValue run_transpose(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const open::Type from = call.elaborator.type(*a);
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
      call.elaborator.report(base::make(Kind::bad_permutation, from.rank() - 1)
                                 .at(call.span_of(1))
                                 .also(a->span, call.elaborator.text(*a)));
      return std::nullopt;
    }
    permutation.assign(wanted.begin(), wanted.end());
  }
  Shape shape;
  for (const std::uint8_t d : permutation) shape.push_back(from.shape()[d]);
  return call.elaborator.compute(call.span, {from.element(), shape, from.mesh_ref()},
                                 synth::Operation(synth::Transpose{std::move(permutation)}), {*a}, call.quoted());
}

namespace {

// The wanted shape, with NumPy's -1 filled in.
std::optional<Shape> reshape_target(OperationCall& call, const Checked& a) {
  const open::Type from = call.elaborator.type(a);
  const auto listed = call.integers(1);
  if (!listed.has_value()) return std::nullopt;
  const std::int64_t all = synth::elements(from.shape());
  const auto wrong = [&]() -> std::optional<Shape> {
    call.elaborator.report(base::make(Kind::bad_reshape, all, fmt::format("[{}]", fmt::join(*listed, ", ")))
                               .at(call.span_of(1))
                               .also(call.span_of(0), call.elaborator.text(a)));
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
  const auto shape = reshape_target(call, *a);
  if (!shape.has_value()) return std::nullopt;
  const open::Type from = call.elaborator.type(*a);
  const auto result = call.elaborator.made(call.span, from.element(), *shape, from.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return call.elaborator.compute_as_wished(call.span, *result, synth::Operation(synth::Reshape{}), {*a}, call.quoted());
}

MaybeValue run_broadcast(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue a = call.array(0);
  const auto listed = call.integers(1);
  if (!a.has_value() || !listed.has_value()) return std::nullopt;
  const open::Type from = elaborator.type(*a);
  bool good = listed->size() >= from.rank() && listed->size() <= synth::kRankMax;
  for (std::size_t d = 0; good && d < from.rank(); ++d) {
    const std::int64_t own = from.shape()[d];
    const std::int64_t extent = (*listed)[listed->size() - from.rank() + d];
    good = own == extent || own == 1;
  }
  for (const std::int64_t extent : *listed) good = good && extent >= 0;
  if (!good) {
    elaborator.report(base::make(Kind::shape_mismatch, "`broadcast`", print_shape(from.shape()),
                                 fmt::format("[{}]", fmt::join(*listed, ", ")))
                          .at(call.span));
    return std::nullopt;
  }
  const auto result =
      elaborator.made(call.span, from.element(), Shape(listed->begin(), listed->end()), from.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute_as_wished(call.span, *result, open::Broadcast{}, {*a}, call.quoted());
}

namespace {

bool joinable(OperationCall& call, const std::vector<Checked>& all, std::size_t dimension) {
  Elaborator& elaborator = call.elaborator;
  const open::Type first = elaborator.type(all.front());
  for (const Checked& value : all) {
    const open::Type own = elaborator.type(value);
    bool fits = own.rank() == first.rank();
    for (std::size_t d = 0; fits && d < own.rank(); ++d) fits = d == dimension || own.shape()[d] == first.shape()[d];
    if (own.element() != first.element()) {
      elaborator.report(
          base::make(Kind::element_mismatch, call.quoted(), synth::name(first.element()), synth::name(own.element()))
              .at(value.span)
              .also(all.front().span, elaborator.text(all.front()))
              .suggest(cast_help(first.element(), elaborator.text(all.front().span), own.element(),
                                 elaborator.text(value.span))));
      return false;
    }
    if (fits) continue;
    elaborator.report(
        base::make(Kind::shape_mismatch, call.quoted(), print_shape(first.shape()), print_shape(own.shape()))
            .at(value.span)
            .also(all.front().span, elaborator.text(all.front())));
    return false;
  }
  return true;
}

}  // namespace

MaybeValue run_concat(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  auto all = call.arrays(0);
  if (!all.has_value()) return std::nullopt;
  const open::Type first = elaborator.type(all->front());
  const auto dimension = call.dim(1, first.rank());
  if (!dimension.has_value() || !joinable(call, *all, *dimension)) return std::nullopt;
  Shape shape = first.shape();
  shape[*dimension] = 0;
  for (const Checked& value : *all) {
    const std::int64_t own = elaborator.type(value).shape()[*dimension];
    if (__builtin_add_overflow(shape[*dimension], own, &shape[*dimension])) {
      elaborator.report(base::make(synth::Kind::size_too_large, "the result of concat").at(call.span));
      return std::nullopt;
    }
  }
  if (!elaborator.unify_meshes(*all, call.span)) return std::nullopt;
  const auto result = elaborator.made(call.span, first.element(), shape, elaborator.type(all->front()).mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute_as_wished(call.span, *result, open::Concat{*dimension}, *all, call.quoted());
}

namespace {

// How many elements come before and after, for each dimension.
using Widths = std::vector<std::pair<std::int64_t, std::int64_t>>;

// [[before, after], ...] per dimension, or one [before, after] for an array of rank 1.
std::optional<Widths> pad_widths(OperationCall& call, const open::Type& from) {
  const auto wrong = [&]() -> std::optional<Widths> {
    call.elaborator.report(
        base::make(Kind::wrong_arguments, "pad",
                   fmt::format("the widths are one pair [before, after] of integers >= 0 for each dimension, here {}",
                               from.rank()))
            .at(call.span_of(1))
            .suggest("write them as [[1, 1], [0, 2]]"));
    return std::nullopt;
  };
  const auto* list = std::get_if<frontend::ListLiteral>(&call.elaborator.ast()[call.expr(1)].node);
  if (list == nullptr) return wrong();
  std::vector<std::vector<ExprId>> pairs;
  for (const ExprId item : list->items) {
    const auto* pair = std::get_if<frontend::ListLiteral>(&call.elaborator.ast()[item].node);
    if (pair != nullptr) pairs.push_back(pair->items);
  }
  if (pairs.empty() && from.rank() == 1) pairs.push_back(list->items);
  if (pairs.size() != from.rank() || (!pairs.empty() && pairs.size() != list->items.size() && from.rank() != 1))
    return wrong();
  Widths widths;
  for (const auto& pair : pairs) {
    if (pair.size() != 2) return wrong();
    const auto before = call.elaborator.types().constant_integer(pair[0], "a width");
    const auto after = call.elaborator.types().constant_integer(pair[1], "a width");
    if (!before.has_value() || !after.has_value()) return std::nullopt;
    constexpr std::int64_t kWidthMax = std::int64_t{1} << 60U;
    if (*before < 0 || *after < 0 || *before > kWidthMax || *after > kWidthMax) return wrong();
    widths.emplace_back(*before, *after);
  }
  return widths;
}

}  // namespace

// The array, finished, with so many more elements around it.
MaybeValue run_pad(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const Checked whole = elaborator.finished(*a, call.quoted(), call.span);
  const open::Type from = elaborator.type(whole);
  auto widths = pad_widths(call, from);
  if (!widths.has_value()) return std::nullopt;
  MaybeValue value = call.has(2) ? call.array(2, from.element())
                                 : elaborator.scalar(call.span, std::int64_t{0}, from.element(), from.mesh_ref());
  if (value.has_value()) value = elaborator.scalar_of(*value, from.element(), "the value of `pad`");
  if (!value.has_value() || !call.on_mesh(*value, from.mesh_ref())) return std::nullopt;
  Shape shape = from.shape();
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const auto [before, after] = (*widths)[d];
    if (__builtin_add_overflow(shape[d], before + after, &shape[d])) shape[d] = -1;
  }
  const auto result = elaborator.made(call.span, from.element(), shape, from.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute(call.span, *result, open::Pad{std::move(*widths)}, {whole, *value}, call.quoted());
}

namespace {

// The positions of an update: one for dimension 0, or a list of them for the first dimensions.
std::optional<std::vector<Checked>> update_positions(OperationCall& call, std::size_t rank) {
  Elaborator& elaborator = call.elaborator;
  const auto* list = std::get_if<frontend::ListLiteral>(&elaborator.ast()[call.expr(1)].node);
  std::vector<ExprId> written = {call.expr(1)};
  if (list != nullptr) written = list->items;
  if (list != nullptr && (written.empty() || written.size() > rank)) {
    elaborator.report(base::make(Kind::wrong_arguments, call.who(),
                                 fmt::format("{} positions are given for {} dimensions", written.size(), rank))
                          .at(call.span_of(1))
                          .suggest("one position is for dimension 0; a list [i, j] is for dimensions 0 and 1"));
    return std::nullopt;
  }
  std::vector<Checked> positions;
  for (const ExprId item : written) {
    MaybeValue at =
        list == nullptr ? call.array(1, ElementType::i64) : elaborator.check_array(item, Preference{ElementType::i64});
    if (at.has_value()) at = elaborator.scalar_of(*at, ElementType::i64, "the position");
    if (!at.has_value()) return std::nullopt;
    positions.push_back(std::move(*at));
  }
  return positions;
}

// Has v the rank and the elements of a, and no more of them where a position says where they begin, as many elsewhere?
bool fits_into(const open::Type& part, const open::Type& whole, std::size_t positions) {
  bool fits = whole.rank() > 0 && part.rank() == whole.rank() && part.element() == whole.element();
  for (std::size_t d = 0; fits && d < whole.rank(); ++d)
    fits = d < positions ? part.shape()[d] <= whole.shape()[d] : part.shape()[d] == whole.shape()[d];
  return fits;
}

}  // namespace

// The elements of a from these positions on are replaced by v, wherever v's lie.
MaybeValue run_update(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  auto positions = update_positions(call, elaborator.type(*a).rank());
  const MaybeValue v = call.array(2, elaborator.type(*a).element());
  if (!positions.has_value() || !v.has_value()) return std::nullopt;
  const open::Type own = elaborator.type(*a);
  const open::Type part = elaborator.type(*v);
  if (!fits_into(part, own, positions->size())) {
    elaborator.report(base::make(Kind::shape_mismatch, call.quoted(), elaborator.text(*a), elaborator.text(*v))
                          .at(call.span)
                          .also(v->span, "the new elements")
                          .suggest("`v` has the rank and the element type of `a`, and its extents in the dimensions "
                                   "without a position"));
    return std::nullopt;
  }
  std::vector<Selection> box;
  for (std::size_t d = 0; d < own.rank(); ++d) box.push_back({0, {}, part.shape()[d], false});
  for (std::size_t d = 0; d < positions->size(); ++d) {
    Checked& at = (*positions)[d];
    if (!call.on_mesh(at, own.mesh_ref())) return std::nullopt;
    const auto known = elaborator.known_integer(at);
    box[d].single = true;
    if (!known.has_value()) box[d].dynamic = at;
    if (!known.has_value()) continue;
    const std::int64_t extent = own.shape()[d];
    box[d].start = *known < 0 ? *known + extent : *known;
    if (box[d].start >= 0 && box[d].start <= extent - part.shape()[d]) continue;
    elaborator.report(base::make(Kind::index_range, *known, extent).at(at.span));
    return std::nullopt;
  }
  return laid_over(elaborator, call.span, call.quoted(), *a, *v, box);
}

// Elements go on by s positions along a dimension; those that leave it at its end come in at its beginning.
MaybeValue run_roll(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  MaybeValue by = call.array(1, ElementType::i64);
  if (by.has_value()) by = elaborator.scalar_of(*by, ElementType::i64, "the shift");
  const open::Type own = elaborator.type(*a);
  const auto dimension = call.dim(2, own.rank());
  if (!by.has_value() || !dimension.has_value() || !call.on_mesh(*by, own.mesh_ref())) return std::nullopt;
  const std::int64_t extent = own.shape()[*dimension];
  if (extent == 0) return a;
  if (const auto known = elaborator.known_integer(*by)) {
    const std::int64_t rest = (*known % extent + extent) % extent;
    return elaborator.compute(call.span, own, open::Roll{*dimension, rest}, {*a}, call.quoted());
  }
  const Checked length = elaborator.scalar(call.span, extent, ElementType::i64, own.mesh_ref());
  const MaybeValue rest = elaborator.index_wise().map(call.span, synth::MapOp::remainder, {*by, length},
                                                      ElementType::i64, call.quoted(), false);
  if (!rest.has_value()) return std::nullopt;
  const Checked whole = elaborator.finished(*a, call.quoted(), call.span);
  return elaborator.compute(call.span, own, open::Roll{*dimension, {}}, {whole, *rest}, call.quoted());
}

// The elements along a dimension from the last to the first.
MaybeValue run_reverse(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const open::Type own = call.elaborator.type(*a);
  const auto dimension = call.dim(1, own.rank());
  if (!dimension.has_value()) return std::nullopt;
  open::Slice slice;
  for (const std::int64_t extent : own.shape()) slice.dimensions.push_back({0, extent});
  const std::int64_t extent = own.shape()[*dimension];
  if (extent <= 1) return a;
  slice.dimensions[*dimension] = {extent - 1, extent, -1, false, -1};
  return call.elaborator.compute(call.span, own, std::move(slice), {*a}, call.quoted());
}

MaybeValue run_size(OperationCall& call) {
  const MaybeValue a = call.array(0);
  if (!a.has_value()) return std::nullopt;
  const open::Type own = call.elaborator.type(*a);
  const auto dimension = call.dim(1, own.rank());
  if (!dimension.has_value()) return std::nullopt;
  return call.elaborator.scalar(call.span, own.shape()[*dimension], ElementType::i64, own.mesh_ref());
}

}  // namespace tessera::typeck
