#include "typeck/layouts/reshape_groups.hpp"

#include <algorithm>

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

AxisList surviving(const synth::Mesh& mesh, const AxisList& axes, const Shape& before, const Shape& after,
                   const Group& group) {
  const std::int64_t extent_a = before[group.before.front()];
  const std::int64_t extent_b = after[group.after.front()];
  for (std::size_t count = axes.size(); count > 0; --count) {
    AxisList prefix(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count));
    if (cuts_coincide({mesh, extent_a, prefix}, product(before, group.before), {mesh, extent_b, prefix},
                      product(after, group.after)))
      return prefix;
  }
  return {};
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

}  // namespace tessera::typeck
