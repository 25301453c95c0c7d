// Arithmetic on parts of axes and lists of them. A part covers the digits of its axis between `before` and `before *
// size`; the boundaries of parts that go together divide one another. Parts that leave a list, or are compared with a
// set, match by their digits, however they are cut; lists begin alike only if they are cut alike. A part that is cut by
// weights is never taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synth/layout/axis_part.hpp"
#include "synth/layout/mesh.hpp"

namespace tessera::synth {

inline std::int64_t end_of(const AxisPart& part) { return part.before * part.size; }

// Is this a part of one of the mesh's axes?
bool exists(const Mesh& mesh, const AxisPart& part);

// Parts of size 1 dropped, neighbours that continue each other merged.
AxisList canonical(AxisList axes);
// The same for a list whose order means nothing: in mesh order first.
AxisList canonical_set(AxisList axes);

// The same digits in the same order, however they are cut. Both are canonical.
bool same_axes(const AxisList& a, const AxisList& b);

AxisList concatenated(const AxisList& major, const AxisList& minor);

// The list `axes` without `trailing`, its minor-most digits; nothing if they are not that.
std::optional<AxisList> without_trailing(const AxisList& axes, const AxisList& trailing);
// The list `longer` without `leading`, its major-most digits; nothing if they are not that.
std::optional<AxisList> without_leading(const AxisList& longer, const AxisList& leading);
// The longest list that both begin with.
AxisList common_leading(const AxisList& a, const AxisList& b);

// A set without a sub-set; nothing if it is no sub-set.
std::optional<AxisList> without(const AxisList& set, const AxisList& subset);
// The parts that two sets share, and the parts that only one has. Nothing where their cuts of one axis cannot co-exist
// (2*3 and 3*2).
struct SetsCompared {
  AxisList common;
  AxisList only_first;
  AxisList only_second;
};
std::optional<SetsCompared> compare_sets(const AxisList& first, const AxisList& second);

// The elements of the list that are in the set, in list order. Nothing where their cuts cannot co-exist.
std::optional<AxisList> shared_in_order(const AxisList& list, const AxisList& set);

// The digits of the mesh that no list uses.
AxisList unused(const Mesh& mesh, const std::vector<AxisList>& used);

// The position along the list of every device; `into` has an item for each.
void write_positions(const Mesh& mesh, const AxisList& axes, std::span<std::int32_t> into);
std::vector<std::int32_t> positions(const Mesh& mesh, const AxisList& axes);
// How far the place of the device at each position along the list lies from that of the one at position 0.
std::vector<std::int64_t> place_offsets(const Mesh& mesh, const AxisList& axes);

}  // namespace tessera::synth
