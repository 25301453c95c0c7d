#include "typeck/layouts/reshape_groups.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera::typeck {

namespace {

using synth::AxisList;
using synth::Shape;

struct Group {
  std::vector<std::size_t> before;  // dimensions with extent above 1
  std::vector<std::size_t> after;
};

std::vector<std::size_t> dimensions_above_one(const Shape& shape) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1) dimensions.push_back(d);
  }
  return dimensions;
}

// Neither shape has an extent of 0.
std::vector<Group> groups(const Shape& before, const Shape& after) {
  const auto from = dimensions_above_one(before);
  const auto to = dimensions_above_one(after);
  std::vector<Group> all;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() && j < to.size()) {
    Group group{{from[i]}, {to[j]}};
    std::int64_t left = before[from[i++]];
    std::int64_t right = after[to[j++]];
    while (left != right) {
      if (left < right) {
        group.before.push_back(from[i]);
        left *= before[from[i++]];
      } else {
        group.after.push_back(to[j]);
        right *= after[to[j++]];
      }
    }
    all.push_back(std::move(group));
  }
  return all;
}

std::int64_t product(const Shape& shape, const std::vector<std::size_t>& dimensions) {
  std::int64_t all = 1;
  for (std::size_t k = 1; k < dimensions.size(); ++k) all *= shape[dimensions[k]];
  return all;
}

// Do both extents, split over the same axes, cut the group's elements at the same places?
bool cuts_coincide(const synth::Cuts& a, std::int64_t rows_a, const synth::Cuts& b, std::int64_t rows_b) {
  for (std::int64_t tile = 0; tile < a.tiles(); ++tile) {
    if (a.tile(tile).begin * rows_a != b.tile(tile).begin * rows_b) return false;
  }
  return true;
}

// Do the tiles of a group's two major dimensions, split over these axes, hold the same elements?
bool fits_group(const synth::Mesh& mesh, const AxisList& axes, const Shape& before, const Shape& after,
                const Group& group) {
  return cuts_coincide({mesh, before[group.before.front()], axes}, product(before, group.before),
                       {mesh, after[group.after.front()], axes}, product(after, group.after));
}

AxisList surviving(const synth::Mesh& mesh, const AxisList& axes, const Shape& before, const Shape& after,
                   const Group& group) {
  for (std::size_t count = axes.size(); count > 0; --count) {
    AxisList prefix(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count));
    if (fits_group(mesh, prefix, before, after, group)) return prefix;
  }
  return {};
}

// The extents of a group's two major dimensions that are cut by these axes at the same elements: the least ones that
// are not below their own.
struct LongerExtents {
  std::int64_t before = 0;
  std::int64_t after = 0;
};
std::optional<LongerExtents> longer_extents(const synth::Mesh& mesh, const AxisList& axes, const Shape& before,
                                            const Shape& after, const Group& group) {
  const std::int64_t extent = before[group.before.front()];
  if (!synth::Cuts(mesh, extent, axes).is_even()) return std::nullopt;
  const std::int64_t tiles = synth::shard_count(axes);
  const std::int64_t row = product(before, group.before);
  const std::int64_t new_row = product(after, group.after);
  const std::int64_t unit = new_row / std::gcd(row, new_row);
  // Every tile gets as many rows, whose elements are whole new rows.
  std::int64_t rows = extent / tiles + (extent % tiles != 0 ? 1 : 0);
  if (__builtin_add_overflow(rows, (unit - rows % unit) % unit, &rows)) return std::nullopt;
  LongerExtents longer;
  std::int64_t all = 0;
  if (__builtin_mul_overflow(rows, tiles, &longer.before) || __builtin_mul_overflow(longer.before, row, &all))
    return std::nullopt;
  longer.after = all / new_row;
  return longer;
}

// Are they no more than twice as many?
bool are_few_more(const Shape& longer, const Shape& own) {
  double growth = 1;
  for (std::size_t d = 0; d < own.size(); ++d) growth *= static_cast<double>(longer[d]) / static_cast<double>(own[d]);
  return growth <= 2;
}

// What a reshape into these splits takes where tiles do not hold the same; nothing where there is no such way.
struct Shifts {
  bool are_needed = false;
  std::optional<LongerReshape> longer;
};
Shifts shifts_of(const synth::Mesh& mesh, const Shape& from, const Shape& to, const std::vector<AxisList>& after) {
  LongerReshape longer{from, to};
  Shifts shifts;
  for (const Group& group : groups(from, to)) {
    const AxisList& axes = after[group.after.front()];
    if (fits_group(mesh, axes, from, to, group)) continue;
    shifts.are_needed = true;
    const auto extents = longer_extents(mesh, axes, from, to, group);
    if (!extents.has_value()) return shifts;
    longer.before[group.before.front()] = extents->before;
    longer.after[group.after.front()] = extents->after;
  }
  if (shifts.are_needed && are_few_more(longer.before, from)) shifts.longer = std::move(longer);
  return shifts;
}

using Fits = std::function<bool(const AxisList& axes, const Group& group)>;

// The axes that split an array and no longer do so after it is brought to other splits.
AxisList given_up(const synth::ArrayType& from, const std::vector<AxisList>& kept) {
  AxisList all;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const AxisList& own = from.layout().split(d);
    all.insert(all.end(), own.begin() + static_cast<std::ptrdiff_t>(kept[d].size()), own.end());
  }
  return all;
}

// Gives the axis to the first of the groups that has room for it.
bool take_axis(const synth::ArrayType& from, const Shape& to, const std::vector<const Group*>& takers,
               const synth::AxisPart& axis, const Fits& fits, ReshapeLayouts& layouts) {
  for (const Group* group : takers) {
    AxisList with = layouts.before[group->before.front()];
    with.push_back(axis);
    const std::int64_t room = std::min(from.shape()[group->before.front()], to[group->after.front()]);
    if (synth::shard_count(with) > room || !fits(with, *group)) continue;
    layouts.before[group->before.front()] = with;
    layouts.after[group->after.front()] = with;
    return true;
  }
  return false;
}

// The ways to deal splits that are given up to the major dimensions of groups that they fit.
std::vector<ReshapeLayouts> reshapes_that_fit(const synth::ArrayType& from, const Shape& to, const Fits& fits) {
  std::vector<ReshapeLayouts> all;
  if (synth::elements(from.shape()) == 0) return all;
  const ReshapeLayouts kept = reshape_layouts(from, to);
  const AxisList free = given_up(from, kept.before);
  const std::vector<Group> own = groups(from.shape(), to);
  for (const Group& first : own) {
    std::vector<const Group*> takers = {&first};
    for (const Group& group : own) {
      if (&group != &first) takers.push_back(&group);
    }
    ReshapeLayouts layouts = kept;
    bool takes = false;
    for (const synth::AxisPart& axis : free) takes = take_axis(from, to, takers, axis, fits, layouts) || takes;
    if (takes) all.push_back(std::move(layouts));
  }
  return all;
}

}  // namespace

ReshapeLayouts reshape_layouts(const synth::ArrayType& from, const Shape& to) {
  ReshapeLayouts layouts{std::vector<AxisList>(from.rank()), std::vector<AxisList>(to.size())};
  const bool has_elements = synth::elements(from.shape()) > 0;
  if (!has_elements) return layouts;
  for (const Group& group : groups(from.shape(), to)) {
    const std::size_t major = group.before.front();
    const AxisList kept = surviving(from.mesh(), from.layout().split(major), from.shape(), to, group);
    layouts.before[major] = kept;
    layouts.after[group.after.front()] = kept;
  }
  return layouts;
}

std::vector<ReshapeLayouts> dealt_reshapes(const synth::ArrayType& from, const Shape& to) {
  return reshapes_that_fit(from, to, [&](const AxisList& axes, const Group& group) {
    return fits_group(from.mesh(), axes, from.shape(), to, group);
  });
}

std::vector<ReshapeLayouts> shifted_reshapes(const synth::ArrayType& from, const Shape& to) {
  bool is_longer = false;
  auto all = reshapes_that_fit(from, to, [&](const AxisList& axes, const Group& group) {
    if (fits_group(from.mesh(), axes, from.shape(), to, group)) return true;
    is_longer = true;
    return longer_extents(from.mesh(), axes, from.shape(), to, group).has_value();
  });
  if (!is_longer) return {};
  // Axes that each fit alone may make the arrays too long together.
  std::erase_if(all, [&](const ReshapeLayouts& layouts) {
    const Shifts shifts = shifts_of(from.mesh(), from.shape(), to, layouts.after);
    return shifts.are_needed && !shifts.longer.has_value();
  });
  return all;
}

std::optional<LongerReshape> longer_reshape(const synth::ArrayType& from, const synth::ArrayType& to) {
  if (synth::elements(from.shape()) == 0) return std::nullopt;
  return shifts_of(from.mesh(), from.shape(), to.shape(), to.layout().splits()).longer;
}

std::optional<ReshapeLayouts> reshape_into(const synth::ArrayType& from, const Shape& to,
                                           const std::vector<AxisList>& after) {
  ReshapeLayouts layouts{std::vector<AxisList>(from.rank()), std::vector<AxisList>(to.size())};
  const AxisList& pending = from.layout().pending();
  const auto is_pending = [&](const synth::AxisPart& part) {
    return std::ranges::any_of(pending, [&](const synth::AxisPart& other) { return other.axis == part.axis; });
  };
  if (synth::elements(from.shape()) == 0) return std::nullopt;
  for (const AxisList& axes : after) {
    if (std::ranges::any_of(axes, is_pending)) return std::nullopt;
  }
  for (const Group& group : groups(from.shape(), to)) {
    const AxisList& axes = after[group.after.front()];
    if (!fits_group(from.mesh(), axes, from.shape(), to, group)) return std::nullopt;
    layouts.before[group.before.front()] = axes;
    layouts.after[group.after.front()] = axes;
  }
  return layouts.after == after ? std::optional(std::move(layouts)) : std::nullopt;
}

}  // namespace tessera::typeck
