#include "typeck/elaborate/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

using synth::MapOp;

namespace {

// An end of a range on the mesh of the array, counted from the front.
MaybeValue end_of_range(Elaborator& elaborator, Span span, const std::string& who, const Checked& end,
                        std::int64_t extent, const MeshRef& mesh) {
  const Checked own = elaborator.again_on(end, mesh).value_or(end);
  const auto known = elaborator.known_integer(own);
  if (known.has_value() && *known >= 0) return own;
  const Checked zero = elaborator.scalar(span, std::int64_t{0}, ElementType::i64, mesh);
  const Checked whole = elaborator.scalar(span, extent, ElementType::i64, mesh);
  IndexWise& index_wise = elaborator.index_wise();
  const MaybeValue is_less = index_wise.map(span, MapOp::less, {own, zero}, ElementType::boolean, who, false);
  const MaybeValue counted = index_wise.map(span, MapOp::add, {own, whole}, ElementType::i64, who, false);
  if (!is_less.has_value() || !counted.has_value()) return std::nullopt;
  return index_wise.map(span, MapOp::select, {*is_less, *counted, own}, ElementType::i64, who, false);
}

// Where one range holds: a column of bool, which repeats to the part.
MaybeValue holds(Elaborator& elaborator, Span span, const std::string& who, const open::Type& part,
                 const RunTimeRange& range) {
  const std::int64_t extent = part.shape()[range.dimension];
  const MeshRef mesh = part.mesh_ref();
  const open::WrittenLayout whole{{AxisList{}}, {}, synth::ReduceOp::sum};
  const Checked positions = elaborator.compute(span, {ElementType::i64, Shape{extent}, mesh},
                                               open::Make{synth::Iota{}, whole, span}, {}, who);
  MaybeValue all;
  const auto limit = [&](const MaybeValue& end, MapOp op) {
    if (!end.has_value()) return true;
    const MaybeValue at = end_of_range(elaborator, span, who, *end, extent, mesh);
    if (!at.has_value()) return false;
    MaybeValue own = elaborator.index_wise().map(span, op, {positions, *at}, ElementType::boolean, who, false);
    if (own.has_value() && all.has_value())
      own = elaborator.index_wise().map(span, MapOp::logical_and, {*all, *own}, ElementType::boolean, who, false);
    all = own;
    return all.has_value();
  };
  if (!limit(range.start, MapOp::greater_equal) || !limit(range.stop, MapOp::less)) return std::nullopt;
  Shape shape{extent};
  std::vector<std::size_t> added;
  for (std::size_t d = range.dimension + 1; d < part.rank(); ++d) {
    added.push_back(added.size() + 1);
    shape.push_back(1);
  }
  if (added.empty()) return all;
  return elaborator.compute(span, {ElementType::boolean, shape, mesh}, open::Unsqueeze{added}, {*all}, who);
}

bool same_end(const MaybeValue& a, const MaybeValue& b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() == b.has_value();
  return a->affine.has_value() && b->affine.has_value() && difference(*a->affine, *b->affine) == 0;
}

bool same_ranges(const RangedPart& a, const RangedPart& b) {
  return a.ranges.size() == 1 && b.ranges.size() == 1 && same_end(a.ranges[0].start, b.ranges[0].start) &&
         same_end(a.ranges[0].stop, b.ranges[0].stop);
}

MaybeValue with_zeros(Elaborator& elaborator, Span span, const RangedPart& part) {
  const MaybeValue inside = in_ranges(elaborator, span, "`@`", part);
  if (!inside.has_value()) return std::nullopt;
  const ElementType element = elaborator.element(part.value);
  const MeshRef mesh = elaborator.type(part.value).mesh_ref();
  const Checked zero = synth::is_float(element) ? elaborator.scalar(span, 0.0, element, mesh)
                                                : elaborator.scalar(span, std::int64_t{0}, element, mesh);
  return elaborator.index_wise().map(span, MapOp::select, {*inside, part.value, zero}, element, "`@`", false);
}

}  // namespace

bool may_have_ranges(const Ast& ast, ExprId id) {
  const auto* index = std::get_if<frontend::Index>(&ast[id].node);
  return index != nullptr && std::ranges::any_of(index->subscripts, [](const frontend::Subscript& one) {
           return one.kind != frontend::Subscript::Kind::single;
         });
}

std::optional<RangedPart> check_ranged(Elaborator& elaborator, ExprId id, const Preference& want) {
  RangedPart part;
  if (!may_have_ranges(elaborator.ast(), id)) {
    MaybeValue value = elaborator.check_array(id, want);
    if (!value.has_value()) return std::nullopt;
    part.value = std::move(*value);
    return part;
  }
  const frontend::Expr& expr = elaborator.ast()[id];
  MaybeValue value = elaborator.check_index(id, std::get<frontend::Index>(expr.node), &part.ranges);
  if (!value.has_value()) return std::nullopt;
  value->span = expr.span;
  value->expr = id;
  part.value = std::move(*value);
  return part;
}

MaybeValue in_ranges(Elaborator& elaborator, Span span, const std::string& who, const RangedPart& part) {
  const open::Type own = elaborator.type(part.value);
  MaybeValue all;
  for (const RunTimeRange& range : part.ranges) {
    MaybeValue one = holds(elaborator, span, who, own, range);
    if (!one.has_value()) return std::nullopt;
    if (all.has_value())
      one = elaborator.index_wise().map(span, MapOp::logical_and, {*all, *one}, ElementType::boolean, who, false);
    all = std::move(one);
    if (!all.has_value()) return std::nullopt;
  }
  if (elaborator.type(*all).shape() == own.shape()) return all;
  return elaborator.compute(span, {ElementType::boolean, own.shape(), own.mesh_ref()}, open::Broadcast{}, {*all}, who);
}

bool ranges_go_along(Elaborator& elaborator, const RangedPart& part, const std::vector<std::size_t>& dimensions) {
  for (const RunTimeRange& range : part.ranges) {
    if (std::ranges::find(dimensions, range.dimension) != dimensions.end()) continue;
    elaborator.report(base::make(Kind::slice_length)
                          .at(range.span)
                          .suggest("a length that is known only at run time is allowed along a dimension that is "
                                   "summed here; along others it would be an extent of the result"));
    return false;
  }
  return true;
}

std::optional<std::pair<Checked, Checked>> product_of_ranges(Elaborator& elaborator, ExprId id,
                                                             const frontend::Binary& product, const Preference& want) {
  const Span span = elaborator.ast()[id].span;
  const auto first = check_ranged(elaborator, product.left, want);
  const auto second = check_ranged(elaborator, product.right, want);
  if (!first.has_value() || !second.has_value()) return std::nullopt;
  const RangedPart& left = *first;
  const RangedPart& right = *second;
  if (left.ranges.empty() && right.ranges.empty()) return std::pair(left.value, right.value);
  const std::size_t rows = elaborator.type(left.value).rank();
  const std::size_t columns = elaborator.type(right.value).rank();
  if (rows > 0 && !ranges_go_along(elaborator, left, {rows - 1})) return std::nullopt;
  if (columns > 0 && !ranges_go_along(elaborator, right, {columns == 1 ? 0 : columns - 2})) return std::nullopt;
  if (!same_ranges(left, right)) {
    const RangedPart& written = left.ranges.empty() ? right : left;
    elaborator.report(base::make(Kind::slice_length)
                          .at(written.ranges.front().span)
                          .also(left.ranges.empty() ? left.value.span : right.value.span, "the other operand")
                          .suggest("write the same range in both operands, as in `a[i, :j] @ x[:j]`"));
    return std::nullopt;
  }
  const MaybeValue a = with_zeros(elaborator, span, left);
  const MaybeValue b = with_zeros(elaborator, span, right);
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return std::pair(*a, *b);
}

}  // namespace tessera::typeck
