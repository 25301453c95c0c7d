#include "synth/choose/axis_roles.hpp"

#include <algorithm>

namespace tessera::synth {

AxisPart part_of(const SpaceOf& space, std::size_t axis, std::uint8_t cut) {
  AxisPart part = whole_axis(space.mesh, axis);
  part.cut = cut;
  return part;
}

std::vector<std::uint8_t> cuts_of_axis(const SpaceOf& space, std::size_t axis) {
  std::vector<std::uint8_t> cuts{0};
  const std::vector<NamedCut>& named = space.mesh.axes()[axis].cuts;
  for (std::size_t c = 0; c < named.size(); ++c) {
    if (!named[c].weights.is_even()) cuts.push_back(static_cast<std::uint8_t>(c + 1));
  }
  return cuts;
}

std::vector<AxisList> orders_of(const SpaceOf& space, const AxisList& axes) {
  std::vector<AxisList> orders{axes};
  AxisList sorted = axes;
  std::ranges::sort(sorted);
  for (const AxisList& other : space.orders) {
    AxisList same = other;
    std::ranges::sort(same);
    if (same == sorted && std::ranges::find(orders, other) == orders.end()) orders.push_back(other);
  }
  return orders;
}

IndexSplits splits_by_roles(const SpaceOf& space, std::size_t count, const std::vector<const AxisRole*>& taken,
                            AxisList& pending, std::optional<ReduceOp>& reduce, bool& is_mixed) {
  IndexSplits splits(count);
  for (std::size_t a = 0; a < taken.size(); ++a) {
    const AxisRole& role = *taken[a];
    if (role.index >= 0)
      splits[static_cast<std::size_t>(role.index)].push_back(part_of(space, space.axes[a], role.cut));
    if (role.pending.empty()) continue;
    is_mixed = is_mixed || (reduce && *reduce != role.reduce);
    reduce = role.reduce;
    pending.push_back(whole_axis(space.mesh, space.axes[a]));
  }
  return splits;
}

std::optional<ArrayType> type_of(const MeshRef& mesh, const ChoiceValue& value, const Layout& layout) {
  auto type = ArrayType::make(value.element, value.shape, mesh, layout);
  if (!type.ok()) return std::nullopt;
  return std::move(type).value();
}

}  // namespace tessera::synth
