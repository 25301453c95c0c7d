#include "synth/moves/collective/direct_reduction.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/tiling.hpp"

namespace tessera::synth {

namespace {

// The largest box that begins at element `begin` of a box, in row-major order, and ends at `end` at the latest.
Box first_box(const Box& box, std::int64_t begin, std::int64_t end) {
  Box part = box;
  bool is_single = true;  // one index of every dimension so far
  std::int64_t inner = elements(box);
  for (std::size_t d = 0; d < box.size() && is_single; ++d) {
    inner /= box[d].length();
    const std::int64_t at = box[d].begin + begin / inner % box[d].length();
    const std::int64_t whole = begin % inner == 0 ? (end - begin) / inner : 0;
    part[d] = {at, std::min(box[d].end, at + std::max<std::int64_t>(1, whole))};
    is_single = whole == 0;
  }
  return part;
}

}  // namespace

DirectGroup::DirectGroup(CollectiveKind kind, std::span<const Member> members)
    : is_shared_(kind == CollectiveKind::all_reduce), members_(members) {
  for (const Member& member : members) {
    added_ += member.added;
    adders_ += member.added > 0 ? 1 : 0;
  }
}

DirectGroups::DirectGroups(CollectiveKind kind, const ArrayType& before, const ArrayType& after,
                           std::pmr::memory_resource* memory)
    : kind_(kind), size_(1), members_(static_cast<std::size_t>(after.devices()), memory) {
  const Mesh& mesh = after.mesh();
  const auto axes = without(before.layout().pending(), after.layout().pending());
  TESSERA_CHECK(axes.has_value(), "a reduction to a type with other pending axes");
  size_ = static_cast<std::size_t>(shard_count(*axes));
  const DirectReduction direct(kind, shard_count(*axes));
  const Tiling tiles(after, memory);
  std::pmr::vector<std::int32_t> position(members_.size(), memory);
  std::pmr::vector<std::int32_t> group(members_.size(), memory);
  write_positions(mesh, *axes, position);
  write_positions(mesh, unused(mesh, {*axes}), group);
  std::pmr::vector<std::size_t> met(count(), 0, memory);
  for (std::size_t device = 0; device < members_.size(); ++device) {
    const auto of = static_cast<std::size_t>(group[device]);
    members_[of * size_ + met[of]++] = {mesh.run_device(static_cast<std::int64_t>(device)),
                                        direct.stretch(tiles.elements(device), position[device]).length()};
  }
}

std::vector<Box> boxes_of_stretch(const Box& box, Interval stretch) {
  std::vector<Box> boxes;
  while (stretch.begin < stretch.end) {
    boxes.push_back(first_box(box, stretch.begin, stretch.end));
    stretch.begin += elements(boxes.back());
  }
  return boxes;
}

}  // namespace tessera::synth
