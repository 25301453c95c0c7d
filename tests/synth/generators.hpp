// Random meshes, types and programs for properties.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/layout/place_matrix.hpp"

namespace tessera::synth::test {

// A cut by small weights, or none.
inline std::vector<NamedCut> any_cuts(std::int64_t positions) {
  if (*rc::gen::inRange(0, 3) != 0) return {};
  std::vector<std::int64_t> weights;
  for (std::int64_t i = 0; i < positions; ++i) weights.push_back(*rc::gen::inRange<std::int64_t>(1, 6));
  return {NamedCut{"work", *Weights::make(std::move(weights))}};
}

// On two levels.
inline PlaceMatrix any_matrix(const std::vector<MeshAxis>& axes) {
  PlaceMatrix matrix;
  for (const MeshAxis& axis : axes) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= axis.size; ++d) {
      if (axis.size % d == 0) divisors.push_back(d);
    }
    const std::int64_t outer = *rc::gen::elementOf(divisors);
    matrix.rows.push_back({outer, axis.size / outer});
  }
  return matrix;
}

// One to four axes of sizes 1 to 6, 96 devices at most; some begin amid the devices, some by weights are also placed by
// a matrix.
enum class Weighted : std::uint8_t { never, some };
inline MeshRef any_mesh(Weighted weighted = Weighted::some) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<MeshAxis> axes;
  std::int64_t devices = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = *rc::gen::inRange<std::int64_t>(1, 7);
    if (devices * size > 96) break;
    devices *= size;
    axes.push_back(MeshAxis{std::string(1, static_cast<char>('w' + i)), size,
                            weighted == Weighted::some ? any_cuts(size) : std::vector<NamedCut>{}});
  }
  if (devices > 1 && *rc::gen::inRange(0, 6) == 0) {
    const auto first = *rc::gen::inRange<std::int64_t>(1, devices);
    return *Mesh::make_on(axes, {{first, devices}, {0, first}});
  }
  const bool is_placed = weighted == Weighted::some && *rc::gen::inRange(0, 4) == 0;
  return is_placed ? *Mesh::placed(axes, any_matrix(axes)) : *Mesh::make(axes);
}

// The whole axis, by a cut of its own if it has one.
inline AxisPart whole_by_any_cut(const Mesh& mesh, std::size_t axis) {
  const std::vector<NamedCut>& cuts = mesh.axes()[axis].cuts;
  if (cuts.empty() || *rc::gen::inRange(0, 3) == 0) return whole_axis(mesh, axis);
  return *named_cut(mesh, axis, cuts.front().name);
}

// An axis cut into two parts at a divisor of its size (which may be the axis itself and nothing).
inline AxisList any_cut_of(const Mesh& mesh, std::size_t axis) {
  const std::int64_t size = mesh.axes()[axis].size;
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= size; ++d) {
    if (size % d == 0) divisors.push_back(d);
  }
  const std::int64_t major = *rc::gen::elementOf(divisors);
  const auto number = static_cast<std::uint8_t>(axis);
  if (major == size) return AxisList{whole_by_any_cut(mesh, axis)};
  return AxisList{AxisPart{number, 1, major}, AxisPart{number, major, size / major}};
}

// Every part of every axis goes to a dimension, to the pending set or to nobody.
inline Layout any_layout(const Mesh& mesh, std::size_t rank, bool may_be_pending, bool sub_axes = true) {
  std::vector<AxisList> splits(rank);
  AxisList pending;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    for (const AxisPart& part : sub_axes ? any_cut_of(mesh, axis) : AxisList{whole_by_any_cut(mesh, axis)}) {
      const auto where = *rc::gen::inRange<std::size_t>(0, rank + 2);
      if (where < rank) {
        const auto at = *rc::gen::inRange<std::size_t>(0, splits[where].size() + 1);
        splits[where].insert(splits[where].begin() + static_cast<std::ptrdiff_t>(at), part);
      } else if (where == rank && may_be_pending) {
        pending.push_back(part);
      }
    }
  }
  const auto reduce = *rc::gen::element(ReduceOp::sum, ReduceOp::max, ReduceOp::min);
  return *Layout::make(mesh, splits, pending, reduce);
}

inline Shape any_shape(std::size_t rank, std::int64_t extent_max = 24) {
  Shape shape;
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange<std::int64_t>(0, extent_max + 1));
  return shape;
}

inline ArrayType any_type(const MeshRef& mesh, const Shape& shape, bool may_be_pending, bool sub_axes = true) {
  return *ArrayType::make(ElementType::i32, shape, mesh, any_layout(*mesh, shape.size(), may_be_pending, sub_axes));
}

}  // namespace tessera::synth::test
