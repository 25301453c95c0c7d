// Indexing and slicing: `a[0:8, :, i]`.
//
// A slice, without the dimensions of the integers. Where a range has a step, first what the ranges span is taken, then
// every so many elements of it.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"

namespace tessera::typeck {

namespace {

constexpr const char* kSliceWithStep = "a slice with a step";

// How many steps begin within so many elements.
std::int64_t steps_over(std::int64_t elements, std::int64_t step) { return elements / step + (elements % step != 0); }

std::int64_t clamped(std::int64_t position, std::int64_t extent) {
  if (position < 0) position += extent;
  return std::clamp<std::int64_t>(position, 0, extent);
}

}  // namespace

// Resolves subscripts against one array.
class Subscripts {
 public:
  Subscripts(Elaborator& elaborator, const open::Type& array) : elaborator_(elaborator), array_(array) {}

  std::optional<std::vector<Selection>> read(const std::vector<frontend::Subscript>& subscripts) {
    std::vector<Selection> all;
    bool good = true;
    for (std::size_t d = 0; d < array_.rank(); ++d) {
      auto taken =
          d < subscripts.size() ? read_one(subscripts[d], array_.shape()[d]) : std::optional(whole(array_.shape()[d]));
      good = good && taken.has_value();
      if (taken.has_value()) all.push_back(std::move(*taken));
    }
    if (!good) return std::nullopt;
    return all;
  }

 private:
  static Selection whole(std::int64_t extent) { return Selection{0, {}, extent, false}; }

  std::optional<Selection> read_one(const frontend::Subscript& subscript, std::int64_t extent) {
    if (subscript.kind == frontend::Subscript::Kind::single) return read_single(subscript, extent);
    auto taken = read_range(subscript, extent);
    if (!taken.has_value() || !subscript.step.valid()) return taken;
    const auto step = elaborator_.types().constant_integer(subscript.step, "a step");
    if (!step.has_value()) return std::nullopt;
    if (*step < 1) {
      auto diagnostic = base::make(Kind::slice_step, *step).at(elaborator_.ast()[subscript.step].span);
      elaborator_.report(
          std::move(diagnostic)
              .suggest(fmt::format("`take` has the rows of dimension 0 in any order: from the last to the "
                                   "first they are `take(a, {} - iota(i64[{}]))`",
                                   array_.shape()[0] - 1, array_.shape()[0])));
      return std::nullopt;
    }
    if (*step < taken->length)
      taken->step = *step;
    else
      taken->length = std::min<std::int64_t>(taken->length, 1);
    return taken;
  }

  MaybeValue position(ExprId expr) {
    MaybeValue value = elaborator_.check_array(expr, Preference{ElementType::i64});
    if (!value.has_value()) return std::nullopt;
    return elaborator_.scalar_of(*value, ElementType::i64, "a position");
  }

  std::optional<Selection> read_single(const frontend::Subscript& subscript, std::int64_t extent) {
    MaybeValue at = position(subscript.start);
    if (!at.has_value()) return std::nullopt;
    const auto known = elaborator_.known_integer(*at);
    if (!known.has_value()) return Selection{0, std::move(at), 1, true};
    if (*known < -extent || *known >= extent) return out_of_range(*known, extent, subscript.span);
    return Selection{*known < 0 ? *known + extent : *known, {}, 1, true};
  }

  std::optional<Selection> read_range(const frontend::Subscript& subscript, std::int64_t extent) {
    MaybeValue start;
    MaybeValue stop;
    if (subscript.start.valid()) {
      start = position(subscript.start);
      if (!start.has_value()) return std::nullopt;
    }
    if (subscript.stop.valid()) {
      stop = position(subscript.stop);
      if (!stop.has_value()) return std::nullopt;
    }
    const auto known_start = start.has_value() ? elaborator_.known_integer(*start) : 0;
    const auto known_stop = stop.has_value() ? elaborator_.known_integer(*stop) : extent;
    if (known_start.has_value() && known_stop.has_value()) {
      const std::int64_t from = clamped(*known_start, extent);
      return Selection{from, {}, std::max<std::int64_t>(0, clamped(*known_stop, extent) - from), false};
    }
    const auto length = start.has_value() && stop.has_value() && start->affine.has_value() && stop->affine.has_value()
                            ? difference(*stop->affine, *start->affine)
                            : std::nullopt;
    if (!length.has_value()) {
      elaborator_.report(
          base::make(Kind::slice_length)
              .at(subscript.span)
              .suggest("give both ends, with one run-time scalar and a constant length, as in `a[i:i+8]`"));
      return std::nullopt;
    }
    if (*length < 0 || *length > extent) return out_of_range(*length, extent, subscript.span);
    return Selection{0, std::move(start), *length, false};
  }

  std::optional<Selection> out_of_range(std::int64_t at, std::int64_t extent, Span span) {
    elaborator_.report(base::make(Kind::index_range, at, extent).at(span));
    return std::nullopt;
  }

  Elaborator& elaborator_;
  const open::Type& array_;
};

// What the subscripts select of every dimension.
std::optional<std::vector<Selection>> Elaborator::selected(const Checked& base,
                                                           const std::vector<frontend::Subscript>& subscripts,
                                                           Span span) {
  const open::Type from = type(base);
  if (subscripts.size() <= from.rank()) return Subscripts(*this, from).read(subscripts);
  const std::string most = fmt::format("{} subscript{}", from.rank(), from.rank() == 1 ? "" : "s");
  const std::string written = text(span);
  const bool adds = written.find("None") != std::string::npos || written.find("newaxis") != std::string::npos;
  report(base::make(Kind::index_count, from.rank(), most, subscripts.size())
             .at(span)
             .also(base.span, text(base))
             .suggest(adds ? "`reshape(a, [1, n])` adds a dimension" : ""));
  return std::nullopt;
}

MaybeValue Elaborator::check_index(ExprId id, const frontend::Index& index) {
  const Span span = ast()[id].span;
  const MaybeValue base_value = check_array(index.base);
  if (!base_value.has_value()) return std::nullopt;
  const auto taken = selected(*base_value, index.subscripts, span);
  if (!taken.has_value()) return std::nullopt;
  const bool steps = std::any_of(taken->begin(), taken->end(), [](const Selection& one) { return one.step > 1; });
  return steps ? take_steps(span, *base_value, *taken) : take_part(span, *base_value, *taken);
}

// First what the ranges span, in whole steps where the array reaches so far: a few more elements after the last that is
// wanted, or before the first.
MaybeValue Elaborator::take_steps(Span span, const Checked& value, std::vector<Selection> taken) {
  struct Stepped {
    std::size_t dimension;  // of what is left when the integers have taken theirs
    std::int64_t step;
    std::int64_t first;
  };
  std::vector<Stepped> stepped;
  std::size_t left = 0;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    Selection& one = taken[d];
    if (one.step > 1) {
      const std::int64_t extent = type(value).shape()[d];
      const std::int64_t missing = steps_over(one.length, one.step) * one.step - one.length;
      const std::int64_t after = std::min(missing, extent - one.start - one.length);
      const std::int64_t before = missing - after;
      const bool reaches = !one.dynamic.has_value() && one.length > 0 && before <= one.start;
      if (reaches) one.start -= before;
      if (reaches) one.length += missing;
      stepped.push_back({left, one.step, reaches ? before : 0});
    }
    left += one.single ? 0 : 1;
  }
  MaybeValue result = take_part(span, value, taken, kSliceWithStep);
  for (const Stepped& one : stepped) {
    if (!result.has_value()) return std::nullopt;
    const open::Type from = type(*result);
    Shape shape = from.shape();
    shape[one.dimension] = steps_over(shape[one.dimension] - one.first, one.step);
    result = compute(span, {from.element(), shape, from.mesh_ref()}, open::Every{one.dimension, one.step, one.first},
                     {*result}, kSliceWithStep);
  }
  return result;
}

MaybeValue Elaborator::take_part(Span span, const Checked& value, const std::vector<Selection>& taken,
                                 const char* who) {
  const open::Type from = type(value);
  Shape shape;
  std::vector<std::size_t> singles;
  std::vector<Checked> operands = {value};
  open::Slice slice;
  bool all_whole = true;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    const bool whole = !taken[d].dynamic.has_value() && taken[d].length == from.shape()[d];
    all_whole = all_whole && whole;
    shape.push_back(taken[d].length);
    if (taken[d].single) singles.push_back(d);
    open::Selected selected{taken[d].start, taken[d].length, -1, taken[d].single};
    if (taken[d].dynamic.has_value()) {
      selected.scalar = static_cast<std::int32_t>(operands.size());
      operands.push_back(again_on(*taken[d].dynamic, from.mesh_ref()).value_or(*taken[d].dynamic));
    }
    slice.dimensions.push_back(selected);
  }
  if (all_whole) return index_wise_.drop_dimensions(value, std::move(singles), "an index", span);
  const Checked part = compute(span, {from.element(), shape, from.mesh_ref()}, std::move(slice), operands, who);
  return index_wise_.drop_dimensions(part, std::move(singles), "an index", span);
}

}  // namespace tessera::typeck
