#include "runtime/device/steps/copy_boxes.hpp"

#include <bit>
#include <cstdlib>
#include <optional>

#include "synth/layout/element.hpp"

namespace tessera::device {

namespace {

// The dimension goes on where the one before ends, on both sides.
bool goes_on(const CopyAxis& outer, const CopyAxis& inner) {
  return outer.to == inner.to * inner.extent && outer.from == inner.from * inner.extent;
}

// Neighbours that are one dimension on both sides become one.
void merge_axes(UnitBox& box) {
  std::size_t rank = 0;
  for (std::size_t d = 0; d < box.axes.size(); ++d) {
    const CopyAxis axis = box.axes[d];
    if (axis.extent == 1) continue;
    if (rank > 0 && goes_on(box.axes[rank - 1], axis))
      box.axes[rank - 1] = {box.axes[rank - 1].extent * axis.extent, axis.to, axis.from};
    else
      box.axes[rank++] = axis;
  }
  while (box.axes.size() > rank) box.axes.pop_back();
}

// The target's largest steps outermost; they are few, and most are in order.
void sort_axes(UnitBox& box) {
  for (std::size_t d = 1; d < box.axes.size(); ++d) {
    for (std::size_t k = d; k > 0 && std::abs(box.axes[k - 1].to) < std::abs(box.axes[k].to); --k)
      std::swap(box.axes[k - 1], box.axes[k]);
  }
}

UnitBox whole_box(const runtime::BoxMove& move) {
  UnitBox box;
  box.bytes = static_cast<int>(synth::bytes_of(move.from.element));
  box.from = reinterpret_cast<Address>(move.from.data);
  box.to = reinterpret_cast<Address>(move.to.data);
  for (std::size_t d = 0; d < move.from.shape.size(); ++d) {
    if (move.from.shape[d] != 1) box.axes.push_back({move.from.shape[d], move.to.strides[d], move.from.strides[d]});
  }
  sort_axes(box);
  merge_axes(box);
  return box;
}

// The widest unit that divides all of these numbers of bytes.
int widest_unit(const UnitBox& box) {
  const std::size_t inner = box.rank() - 1;
  std::uint64_t all = box.from | box.to | 16U | static_cast<std::uint64_t>(box.axes[inner].extent * box.bytes);
  for (std::size_t d = 0; d < inner; ++d) {
    const CopyAxis& axis = box.axes[d];
    all |= static_cast<std::uint64_t>(axis.to * box.bytes) | static_cast<std::uint64_t>(axis.from * box.bytes);
  }
  return 1 << std::countr_zero(all);
}

// Runs that lie side by side on both sides are made of wider units; runs of one are no dimension any more.
void widen(UnitBox& box) {
  if (box.rank() == 0) return;
  CopyAxis& inner = box.axes[box.rank() - 1];
  if (inner.to != 1 || inner.from != 1) return;
  const int bytes = widest_unit(box);
  const std::int64_t times = bytes / box.bytes;
  if (times <= 1) return;
  inner.extent /= times;
  for (std::size_t d = 0; d + 1 < box.rank(); ++d) {
    box.axes[d].to /= times;
    box.axes[d].from /= times;
  }
  box.bytes = bytes;
  if (inner.extent == 1) merge_axes(box);
}

// Tiles are transposed where the source goes on in smaller steps along another dimension than the target does.
void choose_crossing(UnitBox& box) {
  box.crossing = box.rank() == 0 ? 0 : box.rank() - 1;
  if (box.rank() < 2 || box.axes[box.crossing].from == 0) return;
  for (std::size_t d = 0; d + 1 < box.rank(); ++d) {
    const std::int64_t step = std::abs(box.axes[d].from);
    if (step != 0 && step < std::abs(box.axes[box.crossing].from)) box.crossing = d;
  }
}

// The first `count` positions along a dimension, or those from there on.
UnitBox unit_part(const UnitBox& box, std::size_t dimension, std::int64_t begin, std::int64_t count) {
  UnitBox piece = box;
  piece.axes[dimension].extent = count;
  piece.to += static_cast<Address>(begin * box.axes[dimension].to * box.bytes);
  piece.from += static_cast<Address>(begin * box.axes[dimension].from * box.bytes);
  return piece;
}

// Kernels count with 32 bits: the dimension to cut in halves, if units are too many or lie too far apart.
std::optional<std::size_t> axis_to_cut(const UnitBox& box) {
  constexpr std::int64_t kLess = (std::int64_t{1} << 31U) - 1;
  std::int64_t count = 1;
  std::int64_t to = 0;
  std::int64_t from = 0;
  std::size_t widest = 0;
  const auto reach = [&](const CopyAxis& axis) {
    return std::max({std::abs(axis.to), std::abs(axis.from), std::int64_t{1}}) * axis.extent;
  };
  for (std::size_t d = 0; d < box.rank(); ++d) {
    const CopyAxis& axis = box.axes[d];
    count *= axis.extent;
    to += std::abs(axis.to) * (axis.extent - 1);
    from += std::abs(axis.from) * (axis.extent - 1);
    if (reach(axis) > reach(box.axes[widest])) widest = d;
  }
  if (std::max({count, to, from}) < kLess) return std::nullopt;
  return widest;
}

void add_cut(UnitBox& box, std::vector<UnitBox>& boxes) {
  if (const auto cut = axis_to_cut(box)) {
    const std::int64_t half = box.axes[*cut].extent / 2;
    UnitBox first = unit_part(box, *cut, 0, half);
    UnitBox second = unit_part(box, *cut, half, box.axes[*cut].extent - half);
    add_cut(first, boxes);
    add_cut(second, boxes);
    return;
  }
  merge_axes(box);
  choose_crossing(box);
  boxes.push_back(box);
}

void add_widened(UnitBox& box, std::vector<UnitBox>& boxes) {
  widen(box);
  add_cut(box, boxes);
}

// A long run whose number of bytes alone forbids wide units ends in a short one of its own.
bool has_odd_end(const UnitBox& box) {
  constexpr std::int64_t kLong = 4096;
  if (box.rank() != 1 || box.axes[0].to != 1 || box.axes[0].from != 1) return false;
  const std::int64_t bytes = box.axes[0].extent * box.bytes;
  return bytes >= kLong && bytes % 16 != 0 && (box.from | box.to) % 16 == 0;
}

}  // namespace

std::int64_t UnitBox::count() const {
  std::int64_t count = 1;
  for (const CopyAxis& axis : axes) count *= axis.extent;
  return count;
}

void add_boxes(const runtime::BoxMove& move, std::vector<UnitBox>& boxes) {
  if (runtime::is_empty(move.from.shape)) return;
  UnitBox box = whole_box(move);
  if (!has_odd_end(box)) {
    add_widened(box, boxes);
    return;
  }
  const std::int64_t count = box.axes[0].extent;
  const std::int64_t even = count * box.bytes / 16 * 16 / box.bytes;
  UnitBox first = unit_part(box, 0, 0, even);
  UnitBox second = unit_part(box, 0, even, count - even);
  add_widened(first, boxes);
  add_widened(second, boxes);
}

}  // namespace tessera::device
