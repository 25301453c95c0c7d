// Indexing and slicing: `a[0:8, :, i]`.
//
// A `:` keeps the split; a proper sub-range keeps the axes on the shorter dimension, so its boxes move between devices;
// an integer removes the dimension and its axes. All of it is one assemble step, and a reshape that drops the integers'
// dimensions. Where a range has a step, rows of one step each are made of what it spans, of which one column is taken.
#include <fmt/format.h>

#include <algorithm>

#include "synth/collective/moves.hpp"
#include "typeck/checker/checker.hpp"
#include "typeck/checker/fold.hpp"

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
  Subscripts(Checker& checker, const ArrayType& array) : checker_(checker), array_(array) {}

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
    const auto step = checker_.constant_integer(subscript.step, "a step");
    if (!step.has_value()) return std::nullopt;
    if (*step < 1) {
      auto diagnostic = base::make(Kind::slice_step, *step).at(checker_.ast()[subscript.step].span);
      checker_.report(std::move(diagnostic)
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
    MaybeValue value = checker_.check_array(expr, Preference{ElementType::i64, {}, {}, {}});
    if (!value.has_value()) return std::nullopt;
    return checker_.scalar_of(*value, ElementType::i64, "a position");
  }

  std::optional<Selection> read_single(const frontend::Subscript& subscript, std::int64_t extent) {
    MaybeValue at = position(subscript.start);
    if (!at.has_value()) return std::nullopt;
    const auto known = checker_.known_integer(*at);
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
    const auto known_start = start.has_value() ? checker_.known_integer(*start) : 0;
    const auto known_stop = stop.has_value() ? checker_.known_integer(*stop) : extent;
    if (known_start.has_value() && known_stop.has_value()) {
      const std::int64_t from = clamped(*known_start, extent);
      return Selection{from, {}, std::max<std::int64_t>(0, clamped(*known_stop, extent) - from), false};
    }
    const auto length = start.has_value() && stop.has_value() && start->affine.has_value() && stop->affine.has_value()
                            ? difference(*stop->affine, *start->affine)
                            : std::nullopt;
    if (!length.has_value()) {
      checker_.report(base::make(Kind::slice_length)
                          .at(subscript.span)
                          .suggest("give both ends, with one run-time scalar and a constant length, as in `a[i:i+8]`"));
      return std::nullopt;
    }
    if (*length < 0 || *length > extent) return out_of_range(*length, extent, subscript.span);
    return Selection{0, std::move(start), *length, false};
  }

  std::optional<Selection> out_of_range(std::int64_t at, std::int64_t extent, Span span) {
    checker_.report(base::make(Kind::index_range, at, extent).at(span));
    return std::nullopt;
  }

  Checker& checker_;
  const ArrayType& array_;
};

namespace {

// Counts the bytes that a slice of known starts moves between devices; for run-time starts, the most that it could.
std::int64_t received_bytes(const ArrayType& from, const ArrayType& to, const std::vector<Selection>& taken) {
  bool moves = false;
  bool dynamic = false;
  synth::Offset offset;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    const bool proper = taken[d].dynamic.has_value() || taken[d].length != from.shape()[d];
    moves = moves || (proper && !from.layout().split(d).empty());
    dynamic = dynamic || taken[d].dynamic.has_value();
    offset.push_back(taken[d].start);
  }
  if (!moves) return 0;
  if (dynamic) {
    std::int64_t bytes = 0;
    for (std::int64_t device = 0; device < to.devices(); ++device) bytes += synth::tile_bytes(to, device);
    return bytes;
  }
  return moved_bytes(from, to, offset);
}

}  // namespace

MaybeValue Checker::check_index(ExprId id, const frontend::Index& index) {
  const Span span = ast()[id].span;
  const MaybeValue base_value = check_array(index.base);
  if (!base_value.has_value()) return std::nullopt;
  const ArrayType from = type(*base_value);
  if (index.subscripts.size() > from.rank()) {
    const std::string most = fmt::format("{} subscript{}", from.rank(), from.rank() == 1 ? "" : "s");
    const std::string written = text(span);
    const bool adds = written.find("None") != std::string::npos || written.find("newaxis") != std::string::npos;
    report(base::make(Kind::index_count, from.rank(), most, index.subscripts.size())
               .at(span)
               .also(base_value->span, text(from))
               .suggest(adds ? "`reshape(a, [1, n])` adds a dimension" : ""));
    return std::nullopt;
  }
  const auto taken = Subscripts(*this, from).read(index.subscripts);
  if (!taken.has_value()) return std::nullopt;
  const bool steps = std::any_of(taken->begin(), taken->end(), [](const Selection& one) { return one.step > 1; });
  return steps ? take_steps(span, *base_value, *taken) : take_part(span, *base_value, *taken);
}

// First what the ranges span, in whole steps where the array reaches so far: a few more elements after the last that is
// wanted, or before the first.
MaybeValue Checker::take_steps(Span span, const Checked& value, std::vector<Selection> taken) {
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
    if (result.has_value()) result = every(span, *result, one.dimension, one.step, one.first);
  }
  return result;
}

// Elements first, first + step, ... of a dimension. It is made longer where only so its tiles are of whole steps.
MaybeValue Checker::every(Span span, const Checked& value, std::size_t dimension, std::int64_t step,
                          std::int64_t first) {
  const ArrayType from = type(value);
  const std::int64_t extent = from.shape()[dimension];
  const std::int64_t wanted = steps_over(extent - first, step);
  const std::int64_t parts = synth::shard_count(from.layout().split(dimension));
  const std::int64_t rows = wanted == 0 ? 0 : steps_over(wanted, parts) * parts;
  MaybeValue ready = value;
  if (rows * step != extent) {
    ready = resolve_pending(value, kSliceWithStep, span);
    const MaybeValue zero = scalar(span, std::int64_t{0}, from.element(), from.mesh_ref());
    if (!ready.has_value() || !zero.has_value()) return std::nullopt;
    Widths widths(from.rank());
    widths[dimension].second = rows * step - extent;
    ready = padded(span, kSliceWithStep, *ready, widths, *zero);
  }
  Shape shape;
  std::vector<Selection> column;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    shape.push_back(d == dimension ? rows : from.shape()[d]);
    column.push_back(Selection{0, {}, d == dimension ? wanted : from.shape()[d]});
    if (d != dimension) continue;
    shape.push_back(step);
    column.push_back(Selection{first, {}, 1, true});
  }
  if (ready.has_value()) ready = reshaped(span, kSliceWithStep, *ready, shape);
  return ready.has_value() ? take_part(span, *ready, column, kSliceWithStep) : std::nullopt;
}

MaybeValue Checker::take_part(Span span, const Checked& value, const std::vector<Selection>& taken, const char* who) {
  const ArrayType from = type(value);
  Shape shape;
  std::vector<AxisList> splits;
  std::vector<std::size_t> singles;
  std::vector<Checked> operands = {value};
  synth::Part part{0, {}};
  bool all_whole = true;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    const bool whole = !taken[d].dynamic.has_value() && taken[d].length == from.shape()[d];
    all_whole = all_whole && whole;
    shape.push_back(taken[d].length);
    splits.push_back(taken[d].single ? AxisList{} : from.layout().split(d));
    if (taken[d].single) singles.push_back(d);
    synth::Placement placement{-taken[d].start, -1, false, false, 0};
    if (taken[d].dynamic.has_value()) {
      placement = {0, static_cast<std::int32_t>(operands.size()), true, taken[d].single, from.shape()[d]};
      operands.push_back(again_on(*taken[d].dynamic, from.mesh_ref()).value_or(*taken[d].dynamic));
    }
    part.placements.push_back(placement);
  }
  if (all_whole) return drop_dimensions(value, singles, "an index", span);
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), std::move(splits),
                                from.layout().pending(), from.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  const std::int64_t bytes = received_bytes(from, *result, taken);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Checked& operand : operands) nodes.push_back(operand.node());
  const Checked assembled =
      compute(span, *result, synth::Assemble{false, {std::move(part)}}, std::move(nodes), bytes, who);
  return drop_dimensions(assembled, singles, "an index", span);
}

}  // namespace tessera::typeck
