// Parts of mesh axes, of which layouts are made, and the ways in which parts of a reduction meet.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/mesh.hpp"

namespace tessera::synth {

// A part of a mesh axis. An axis of size 4 can be cut 2*2, major part first: {axis, before 1, size 2} is the major
// half, {axis, before 2, size 2} the minor one, printed x:(1)2 and x:(2)2. before = product of the sizes of the parts
// outside it. The whole axis has before 1 and size = the axis' size and prints as its name. before*size divides the
// axis' size. Only the whole axis is cut by weights: halves of a named cut would not lie inside it. It prints as
// `x.work`.
struct AxisPart {
  AxisPart() = default;
  AxisPart(std::uint8_t axis_number, std::int64_t size_before, std::int64_t own_size, std::uint8_t cut_number = 0)
      : axis(axis_number), cut(cut_number), before(size_before), size(own_size) {}

  std::uint8_t axis = 0;
  std::uint8_t cut = 0;  // 0: even; else the number of one of the axis' named cuts, from 1 on
  std::int64_t before = 1;
  std::int64_t size = 1;
  friend auto operator<=>(const AxisPart&, const AxisPart&) = default;
};
using AxisList = std::vector<AxisPart>;  // major first

AxisPart whole_axis(const Mesh& mesh, std::size_t axis);
// The axis by the cut of that name; nothing if it has none of it. A cut by equal weights is the even one.
std::optional<AxisPart> named_cut(const Mesh& mesh, std::size_t axis, std::string_view cut);
// The weights of the part's positions; none if they are even.
const Weights* weights_of(const Mesh& mesh, const AxisPart& part);
bool overlap(const AxisPart& a, const AxisPart& b);
std::int64_t shard_count(const AxisList& axes);
// The device's position along the list: ((c_1*s_2 + c_2)*s_3 + ...).
std::int64_t position(const Mesh& mesh, const AxisList& axes, std::int64_t device);

enum class ReduceOp : std::uint8_t { sum, max, min, product };
std::string_view name(ReduceOp op);

// `x`, `(x,y)`, `x:(2)2`.
std::string print(const Mesh& mesh, const AxisList& axes);

}  // namespace tessera::synth
