// Indexing and slicing: `a[0:8, :, i]`.
//
// A slice, without the dimensions of the integers.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "synth/kinds.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/ranges.hpp"

namespace tessera::typeck {

namespace {

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
  Subscripts(Elaborator& elaborator, const open::Type& array, std::vector<RunTimeRange>* ranges)
      : elaborator_(elaborator), array_(array), ranges_(ranges) {}

  std::optional<std::vector<Selection>> read(const std::vector<frontend::Subscript>& subscripts) {
    std::vector<Selection> all;
    bool good = true;
    for (std::size_t d = 0; d < array_.rank(); ++d) {
      dimension_ = d;
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
    const auto step = subscript.step.valid() ? elaborator_.types().constant_integer(subscript.step, "a step")
                                             : std::optional<std::int64_t>(1);
    if (!step.has_value()) return std::nullopt;
    auto taken = *step < 0 ? read_backwards(subscript, extent) : read_range(subscript, extent);
    if (!taken.has_value()) return std::nullopt;
    if (*step == 0) {
      elaborator_.report(base::make(Kind::slice_step).at(elaborator_.ast()[subscript.step].span));
      return std::nullopt;
    }
    const std::int64_t stride = *step > 0 ? *step : -std::max(*step, -std::numeric_limits<std::int64_t>::max());
    taken->spanned = taken->length;
    taken->length = steps_over(taken->length, stride);
    if (taken->length > 1) taken->step = *step;
    return taken;
  }

  // Of a range that goes backwards both ends are constants, and one that is not written is the array's. As NumPy's,
  // ends beyond the array are moved to its ends, of which the last one taken is after the stop.
  std::optional<Selection> read_backwards(const frontend::Subscript& subscript, std::int64_t extent) {
    const auto end = [&](ExprId expr, std::int64_t otherwise) -> std::optional<std::int64_t> {
      if (!expr.valid()) return otherwise;
      const MaybeValue at = position(expr);
      if (!at.has_value()) return std::nullopt;
      const auto known = elaborator_.known_integer(*at);
      if (known.has_value()) return std::clamp<std::int64_t>(*known < 0 ? *known + extent : *known, -1, extent - 1);
      elaborator_.report(base::make(Kind::slice_length)
                             .at(subscript.span)
                             .suggest("a range that goes backwards has constant ends; turn round what was taken, as in "
                                      "`a[i:i+8][::-1]`"));
      return std::nullopt;
    };
    const auto from = end(subscript.start, extent - 1);
    const auto stop = end(subscript.stop, -1);
    if (!from.has_value() || !stop.has_value()) return std::nullopt;
    return Selection{std::max<std::int64_t>(0, *from), {}, std::max<std::int64_t>(0, *from - *stop), false};
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
    if (*known < -extent || *known >= extent) return no_position(*known, extent, subscript.span);
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
    if (!length.has_value() && ranges_ != nullptr && !subscript.step.valid()) {
      ranges_->push_back({dimension_, std::move(start), std::move(stop), subscript.span});
      return whole(extent);
    }
    if (!length.has_value()) {
      const bool starts_late = start.has_value() && !known_start.has_value();
      elaborator_.report(base::make(Kind::slice_length)
                             .at(subscript.span)
                             .suggest(help_for_length(starts_late, stop.has_value(), extent)));
      return std::nullopt;
    }
    if (*length < 0 || *length > extent) return out_of_range(*length, extent, subscript.span);
    return Selection{0, std::move(start), *length, false};
  }

  // Does the range start at a scalar of run time, and is its stop written?
  static std::string help_for_length(bool starts_late, bool has_stop, std::int64_t extent) {
    const std::string mask = fmt::format("`where(iota(i64[{}]) < j, a, 0.0)`", extent);
    if (!starts_late)
      return fmt::format(
          "only what adds elements up along it takes such a range, as `sum(a[:j])`; else it is a mask: {}", mask);
    if (!has_stop) return "give both ends, with one run-time scalar and a constant length, as in `a[i:i+8]`";
    return fmt::format("both ends go with one name, as in `let p = ...` and `a[p:p+8]`; another length is a mask: {}",
                       mask);
  }

  std::optional<Selection> no_position(std::int64_t at, std::int64_t extent, Span span) {
    auto wrong = base::make(Kind::index_range, at, extent).at(span);
    if (extent > 0) {
      wrong =
          std::move(wrong).suggest(fmt::format("positions are 0 to {}, or -{} to -1 from the end", extent - 1, extent));
    }
    elaborator_.report(std::move(wrong));
    return std::nullopt;
  }

  std::optional<Selection> out_of_range(std::int64_t at, std::int64_t extent, Span span) {
    elaborator_.report(base::make(Kind::index_range, at, extent).at(span));
    return std::nullopt;
  }

  Elaborator& elaborator_;
  const open::Type& array_;
  std::vector<RunTimeRange>* ranges_;  // null: lengths are known
  std::size_t dimension_ = 0;          // that is read
};

// What the subscripts select of every dimension.
std::optional<std::vector<Selection>> Elaborator::selected(const Checked& base,
                                                           const std::vector<frontend::Subscript>& subscripts,
                                                           Span span, std::vector<RunTimeRange>* ranges) {
  const open::Type from = type(base);
  if (subscripts.size() <= from.rank()) return Subscripts(*this, from, ranges).read(subscripts);
  const std::string most = fmt::format("{} subscript{}", from.rank(), from.rank() == 1 ? "" : "s");
  const std::string written = text(span);
  const bool adds = written.find("None") != std::string::npos || written.find("newaxis") != std::string::npos;
  report(base::make(Kind::index_count, from.rank(), most, subscripts.size())
             .at(span)
             .also(base.span, text(base))
             .suggest(adds ? "`new` adds a dimension, as in `a[:, new]`" : ""));
  return std::nullopt;
}

namespace {

// `new` in a subscript is a dimension of extent 1, unless the program has a value of that name.
bool is_new(const Ast& ast, const frontend::Subscript& subscript) {
  if (subscript.kind != frontend::Subscript::Kind::single) return false;
  const auto* name = std::get_if<frontend::NameRef>(&ast[subscript.start].node);
  return name != nullptr && name->name == "new";
}

}  // namespace

MaybeValue Elaborator::check_index(ExprId id, const frontend::Index& index, std::vector<RunTimeRange>* ranges) {
  const Span span = ast()[id].span;
  const MaybeValue base_value = check_array(index.base);
  if (!base_value.has_value()) return std::nullopt;
  std::vector<frontend::Subscript> rest;
  std::vector<std::size_t> added;  // the dimensions of the result that are new
  std::size_t kept = 0;
  const bool is_bound = names_.is_bound("new");
  for (const frontend::Subscript& subscript : index.subscripts) {
    const bool adds = !is_bound && is_new(ast(), subscript);
    if (adds) added.push_back(kept);
    if (!adds) rest.push_back(subscript);
    kept += adds || subscript.kind != frontend::Subscript::Kind::single ? 1 : 0;
  }
  const auto taken = selected(*base_value, rest, span, ranges);
  if (taken.has_value() && ranges != nullptr) number_anew(*ranges, *taken, added);
  const MaybeValue part = taken.has_value() ? take_steps(span, *base_value, *taken) : std::nullopt;
  return part.has_value() && !added.empty() ? with_new_dimensions(span, *part, added) : part;
}

MaybeValue Elaborator::with_new_dimensions(Span span, const Checked& value, const std::vector<std::size_t>& ascending) {
  const open::Type own = type(value);
  if (own.rank() + ascending.size() > synth::kRankMax) {
    report(base::make(synth::Kind::rank_too_large, own.rank() + ascending.size()).at(span));
    return std::nullopt;
  }
  Shape shape = own.shape();
  for (const std::size_t dimension : ascending) shape.insert(dimension, 1);
  const auto result = made(span, own.element(), shape, own.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return compute(span, *result, open::Unsqueeze{ascending}, {value}, "`new`");
}

// Steps of a range that begins at run time are taken of what it spans.
MaybeValue Elaborator::take_steps(Span span, const Checked& value, std::vector<Selection> taken) {
  std::vector<Selection> rest;
  bool has_rest = false;
  for (Selection& one : taken) {
    const bool is_later = one.dynamic.has_value() && one.step != 1;
    if (!one.single) rest.push_back({0, {}, one.length, false, is_later ? one.step : 1});
    if (!is_later) continue;
    has_rest = true;
    one.length = one.spanned;
    one.step = 1;
  }
  const MaybeValue part = take_part(span, value, taken);
  return part.has_value() && has_rest ? take_part(span, *part, rest) : part;
}

MaybeValue Elaborator::take_part(Span span, const Checked& value, const std::vector<Selection>& taken) {
  const open::Type from = type(value);
  Shape shape;
  std::vector<std::size_t> singles;
  std::vector<Checked> operands = {value};
  open::Slice slice;
  bool all_whole = true;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    const bool whole = !taken[d].dynamic.has_value() && taken[d].length == from.shape()[d] && taken[d].step == 1;
    all_whole = all_whole && whole;
    shape.push_back(taken[d].length);
    if (taken[d].single) singles.push_back(d);
    open::Selected selected{taken[d].start, taken[d].length, -1, taken[d].single, taken[d].step};
    if (taken[d].dynamic.has_value()) {
      selected.scalar = static_cast<std::int32_t>(operands.size());
      operands.push_back(again_on(*taken[d].dynamic, from.mesh_ref()).value_or(*taken[d].dynamic));
    }
    slice.dimensions.push_back(selected);
  }
  if (all_whole) return index_wise_.drop_dimensions(value, std::move(singles), "an index", span);
  const Checked part = compute(span, {from.element(), shape, from.mesh_ref()}, std::move(slice), operands, "a slice");
  return index_wise_.drop_dimensions(part, std::move(singles), "an index", span);
}

}  // namespace tessera::typeck
