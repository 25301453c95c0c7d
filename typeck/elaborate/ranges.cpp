#include "typeck/elaborate/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/ranged_formula.hpp"
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

// Each index of a contraction that a range goes along has the same one wherever it stands.
bool ranges_agree(Elaborator& elaborator, const std::vector<RangedPart>& parts,
                  const std::vector<std::vector<int>>& indices, const std::string& example) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const RunTimeRange& range : parts[k].ranges) {
      const int index = indices[k][range.dimension];
      for (std::size_t other = 0; other < parts.size(); ++other) {
        for (std::size_t d = 0; d < indices[other].size(); ++d) {
          if (indices[other][d] != index) continue;
          const RunTimeRange* const own = range_along(parts[other].ranges, d);
          if (own != nullptr && same_range(range, *own)) continue;
          elaborator.report(base::make(Kind::slice_length)
                                .at(range.span)
                                .also(own != nullptr ? own->span : parts[other].value.span, "the other operand")
                                .suggest("write the same range in both operands, as in " + example));
          return false;
        }
      }
    }
  }
  return true;
}

MaybeValue with_zeros(Elaborator& elaborator, Span span, const std::string& who, const RangedPart& part) {
  if (part.ranges.empty()) return part.value;
  const MaybeValue inside = in_ranges(elaborator, span, who, part);
  if (!inside.has_value()) return std::nullopt;
  const ElementType element = elaborator.element(part.value);
  const MeshRef mesh = elaborator.type(part.value).mesh_ref();
  const Checked zero = synth::is_float(element) ? elaborator.scalar(span, 0.0, element, mesh)
                                                : elaborator.scalar(span, std::int64_t{0}, element, mesh);
  return elaborator.index_wise().map(span, MapOp::select, {*inside, part.value, zero}, element, who, false);
}

}  // namespace

bool same_range(const RunTimeRange& a, const RunTimeRange& b) {
  return same_end(a.start, b.start) && same_end(a.stop, b.stop);
}

const RunTimeRange* range_along(const std::vector<RunTimeRange>& ranges, std::size_t dimension) {
  const auto at = std::ranges::find(ranges, dimension, &RunTimeRange::dimension);
  return at == ranges.end() ? nullptr : &*at;
}

bool may_have_ranges(const Ast& ast, ExprId id) { return RangedFormula(ast, id).has_parts(); }

std::optional<RangedPart> check_ranged(Elaborator& elaborator, ExprId id, const Preference& want) {
  RangedFormula formula(elaborator.ast(), id);
  MaybeValue value =
      elaborator.in_formula(formula.has_parts() ? &formula : nullptr, [&] { return elaborator.check_array(id, want); });
  if (!value.has_value()) return std::nullopt;
  return formula.whole(elaborator, std::move(*value));
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

void number_anew(std::vector<RunTimeRange>& ranges, const std::vector<Selection>& taken,
                 const std::vector<std::size_t>& added) {
  for (RunTimeRange& range : ranges) {
    const auto before = taken.begin() + static_cast<std::ptrdiff_t>(range.dimension);
    range.dimension -=
        static_cast<std::size_t>(std::count_if(taken.begin(), before, [](const auto& one) { return one.single; }));
    for (const std::size_t d : added) range.dimension += d <= range.dimension ? 1 : 0;
  }
}

std::optional<std::vector<Checked>> contracted_ranges(Elaborator& elaborator, Span span, const std::string& who,
                                                      const std::vector<RangedPart>& parts,
                                                      const std::vector<std::vector<int>>& indices,
                                                      const std::vector<int>& result) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::vector<std::size_t> summed;
    for (std::size_t d = 0; d < indices[k].size(); ++d) {
      if (std::ranges::find(result, indices[k][d]) == result.end()) summed.push_back(d);
    }
    if (!ranges_go_along(elaborator, parts[k], summed)) return std::nullopt;
  }
  const std::string example = who == "`@`"     ? "`a[i, :j] @ x[:j]`"
                              : who == "`dot`" ? "`dot(a[:j], b[:j])`"
                                               : "`einsum(\"i,i->\", a[:j], b[:j])`";
  if (!ranges_agree(elaborator, parts, indices, example)) return std::nullopt;
  std::vector<Checked> operands;
  for (const RangedPart& part : parts) {
    const MaybeValue own = with_zeros(elaborator, span, who, part);
    if (!own.has_value()) return std::nullopt;
    operands.push_back(*own);
  }
  return operands;
}

MaybeValue replaced_in_ranges(Elaborator& elaborator, Span span, const RangedPart& part, const RangedPart& v) {
  const std::size_t missing = elaborator.type(part.value).rank() - elaborator.type(v.value).rank();
  const auto refuse = [&](const RunTimeRange& range) {
    elaborator.report(base::make(Kind::slice_length)
                          .at(range.span)
                          .also(v.value.span, "what replaces it")
                          .suggest("write the same range on both sides, as in `a with [:j] = b[:j]`, or a value that "
                                   "repeats along it, as 0.0"));
    return std::nullopt;
  };
  for (const RunTimeRange& range : part.ranges) {
    const bool repeats = range.dimension < missing || elaborator.type(v.value).shape()[range.dimension - missing] == 1;
    const RunTimeRange* const own = repeats ? nullptr : range_along(v.ranges, range.dimension - missing);
    if (!repeats && (own == nullptr || !same_range(range, *own))) return refuse(range);
  }
  for (const RunTimeRange& range : v.ranges) {
    const RunTimeRange* const own = range_along(part.ranges, range.dimension + missing);
    if (own == nullptr || !same_range(range, *own)) return refuse(range);
  }
  const MaybeValue inside = in_ranges(elaborator, span, "`with`", part);
  if (!inside.has_value()) return std::nullopt;
  IndexWise& index_wise = elaborator.index_wise();
  // A range is written alone: where v is brought to the part's layout, no `as` stands around it.
  Checked inner = v.value;
  if (!v.ranges.empty()) inner.expr = {};
  const ElementType stored = elaborator.type(part.value).element();
  const ElementType element = elaborator.element(part.value);
  const MaybeValue chosen = index_wise.map(span, MapOp::select, {*inside, inner, part.value}, element, "`with`", false);
  return chosen.has_value() && stored != element ? index_wise.cast_to(span, *chosen, stored) : chosen;
}

// Indices of a matrix product: the last dimension of the left operand is summed with the last but one of the right.
static std::vector<std::vector<int>> product_indices(std::size_t rows, std::size_t columns, std::vector<int>& result) {
  std::vector<std::vector<int>> indices(2);
  for (std::size_t d = 0; d < rows; ++d) indices[0].push_back(d + 1 == rows ? 0 : static_cast<int>(d) + 1);
  for (std::size_t d = 0; d < columns; ++d)
    indices[1].push_back(d + (columns == 1 ? 1 : 2) == columns ? 0 : -static_cast<int>(d) - 1);
  for (const auto& own : indices)
    std::ranges::copy_if(own, std::back_inserter(result), [](int index) { return index != 0; });
  return indices;
}

std::optional<std::pair<Checked, Checked>> product_of_ranges(Elaborator& elaborator, ExprId id,
                                                             const frontend::Binary& product, const Preference& want) {
  const auto left = check_ranged(elaborator, product.left, want);
  const auto right = check_ranged(elaborator, product.right, want);
  if (!left.has_value() || !right.has_value()) return std::nullopt;
  if (left->ranges.empty() && right->ranges.empty()) return std::pair(left->value, right->value);
  std::vector<int> result;
  const auto indices =
      product_indices(elaborator.type(left->value).rank(), elaborator.type(right->value).rank(), result);
  const auto operands =
      contracted_ranges(elaborator, elaborator.ast()[id].span, "`@`", {*left, *right}, indices, result);
  if (!operands.has_value()) return std::nullopt;
  return std::pair(operands->front(), operands->back());
}

}  // namespace tessera::typeck
