// Copies in which parts are replaced: `a with [1:-1, 0] = v` and `update(a, i, v)`.
#include "typeck/elaborate/with.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/ranges.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

constexpr const char* kWith = "`with`";

// The shape of a part as the subscripts select it: integers take their dimensions away.
Shape shape_of(const std::vector<Selection>& part) {
  Shape shape;
  for (const Selection& one : part) {
    if (!one.single) shape.push_back(one.length);
  }
  return shape;
}

bool repeats_to(const Shape& own, const Shape& shape) {
  bool fits = own.size() <= shape.size();
  for (std::size_t d = 0; fits && d < own.size(); ++d) {
    const std::int64_t extent = shape[shape.size() - own.size() + d];
    fits = own[d] == extent || own[d] == 1;
  }
  return fits;
}

// Gives v a dimension of extent 1 for each that the part has and v lacks, so that it has the array's rank.
Checked in_rank_of(Elaborator& elaborator, Checked v, const std::vector<Selection>& part, Span span) {
  std::size_t missing = shape_of(part).size() - elaborator.type(v).rank();
  for (std::size_t d = 0; d < part.size(); ++d) {
    if (!part[d].single && missing == 0) continue;
    if (!part[d].single) --missing;
    const open::Type from = elaborator.type(v);
    Shape shape = from.shape();
    shape.insert(d, 1);
    v = elaborator.compute(span, {from.element(), shape, from.mesh_ref()}, open::Unsqueeze{{d}}, {v}, kWith);
  }
  return v;
}

// A range that goes backwards takes the same elements forwards, in which v lies turned round.
MaybeValue turned_forwards(Elaborator& elaborator, const Checked& v, std::vector<Selection>& part, Span span) {
  std::vector<Selection> turned;
  for (std::size_t d = 0; d < part.size(); ++d) {
    Selection& one = part[d];
    const std::int64_t extent = elaborator.type(v).shape()[d];
    const bool is_turned = one.step < 0 && extent > 1;
    turned.push_back({is_turned ? extent - 1 : 0, {}, extent, false, is_turned ? -1 : 1});
    if (one.step > 0) continue;
    one.start += (one.length - 1) * one.step;
    one.step = -one.step;
  }
  return elaborator.take_part(span, v, turned);
}

// Puts step - 1 elements between those of a dimension, where the array keeps its own.
//
// Example: [1 2 3] by steps of 2 is [1 0 2 0 3]: a column of zeros beside it, read as one row, without the last.
MaybeValue spread(Elaborator& elaborator, const Checked& v, std::size_t dimension, std::int64_t step, Span span) {
  const open::Type from = elaborator.type(v);
  const std::int64_t count = from.shape()[dimension];
  Shape shape = from.shape();
  const auto made = [&](const Checked& value, open::Operation operation, std::vector<Checked> more = {}) -> MaybeValue {
    const auto type = elaborator.made(span, from.element(), shape, from.mesh_ref());
    if (!type.has_value()) return std::nullopt;
    more.insert(more.begin(), value);
    return elaborator.compute(span, *type, std::move(operation), more, kWith);
  };
  shape.insert(dimension + 1, 1);
  MaybeValue result = made(v, open::Unsqueeze{{dimension + 1}});
  open::Pad pad;
  pad.widths.resize(shape.size());
  pad.widths[dimension + 1].second = step - 1;
  shape[dimension + 1] = step;
  const Checked zero = elaborator.scalar(span, std::int64_t{0}, from.element(), from.mesh_ref());
  if (result.has_value()) result = made(*result, pad, {zero});
  shape = from.shape();
  shape[dimension] = count * step;
  if (result.has_value()) result = made(*result, synth::Operation(synth::Reshape{}));
  shape[dimension] = (count - 1) * step + 1;
  open::Slice slice;
  for (const std::int64_t extent : shape) slice.dimensions.push_back({0, extent, -1, false});
  return result.has_value() ? made(*result, std::move(slice)) : std::nullopt;
}

}  // namespace

MaybeValue laid_over(Elaborator& elaborator, Span span, const std::string& who, const Checked& a, const Checked& v,
                     const std::vector<Selection>& part) {
  std::vector<Checked> operands = {elaborator.finished(a, who, span), elaborator.finished(v, who, span)};
  if (!elaborator.unify_meshes(operands, span)) return std::nullopt;
  const open::Type own = elaborator.type(operands[0]);
  open::Update update;
  for (const Selection& one : part) {
    open::Laid laid{one.start, one.length == 0 ? 0 : (one.length - 1) * one.step + 1, one.step, false};
    if (one.dynamic.has_value()) {
      const MaybeValue here = elaborator.again_on(*one.dynamic, own.mesh_ref());
      operands.push_back(here.value_or(*one.dynamic));
      laid.start.reset();
      laid.wraps = one.single;
    }
    update.dimensions.push_back(laid);
  }
  return elaborator.compute(span, own, std::move(update), operands, who);
}

MaybeValue Elaborator::replaced(const Checked& base, const frontend::Replacement& written, ExprId base_id, Span span) {
  std::vector<RunTimeRange> ranges;
  auto part = selected(base, written.subscripts, written.subscripts_span, &ranges);
  const Preference wish{type(base).element(), base_id};
  std::optional<RangedPart> given;
  if (ranges.empty() || !may_have_ranges(ast(), written.value)) {
    if (MaybeValue value = check_array(written.value, wish)) given = RangedPart{std::move(*value), {}};
  } else {
    given = check_ranged(*this, written.value, wish);
  }
  if (!part.has_value() || !given.has_value()) return std::nullopt;
  MaybeValue v = given->value;
  const ElementType wanted = type(base).element();
  const ElementType own = type(*v).element();
  if (own != wanted) {
    report(base::make(Kind::element_mismatch, kWith, synth::name(wanted), synth::name(own))
               .at(v->span)
               .also(base.span, text(base))
               .suggest(fmt::format("cast it: {}({})", synth::name(wanted), text(v->span))));
    return std::nullopt;
  }
  const Shape shape = shape_of(*part);
  if (!repeats_to(type(*v).shape(), shape)) {
    report(base::make(Kind::shape_mismatch, kWith, print_shape(shape), print_shape(type(*v).shape()))
               .at(v->span, text(*v))
               .also(written.subscripts_span, fmt::format("this part of {} is {}", text(base), print_shape(shape)))
               .suggest("what replaces a part has its shape, or repeats to it: shapes are aligned at their last "
                        "dimension, and extents are equal or 1"));
    return std::nullopt;
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return base;
  if (!ranges.empty()) {
    number_anew(ranges, *part, {});
    const MaybeValue here = take_steps(span, base, *part);
    if (here.has_value()) v = replaced_in_ranges(*this, span, {*here, ranges}, *given);
    if (!here.has_value() || !v.has_value()) return std::nullopt;
  }
  v = in_rank_of(*this, *v, *part, span);
  if (v.has_value()) v = turned_forwards(*this, *v, *part, span);
  for (std::size_t d = 0; v.has_value() && d < part->size(); ++d) {
    // Zeros between the elements change nothing in a sum alone: other pending values are finished before.
    if ((*part)[d].step > 1 && type(*v).shape()[d] > 1)
      v = spread(*this, finished(*v, kWith, span), d, (*part)[d].step, span);
  }
  return v.has_value() ? laid_over(*this, span, kWith, base, *v, *part) : std::nullopt;
}

// The parts are replaced from left to right: a later one lies over an earlier one.
MaybeValue Elaborator::check_with(ExprId id, const frontend::With& with, const Preference& want) {
  const Span span = ast()[id].span;
  const MaybeValue base = check_array(with.base, want);
  MaybeValue result = base;
  if (result.has_value()) result = finished(*result, kWith, span);
  for (const frontend::Replacement& one : with.replacements) {
    if (result.has_value()) result = replaced(*result, one, with.base, span);
  }
  return result;
}

}  // namespace tessera::typeck
