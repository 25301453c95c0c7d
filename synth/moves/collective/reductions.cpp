// Reductions of boxes, and who keeps a value that becomes pending.
#include <map>

#include "base/check.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

namespace {

std::shared_ptr<const std::vector<std::int32_t>> group_at(const Mesh& mesh, std::int64_t first,
                                                          const std::vector<std::int64_t>& offsets) {
  std::vector<std::int32_t> group;
  group.reserve(offsets.size());
  for (const std::int64_t offset : offsets) group.push_back(static_cast<std::int32_t>(mesh.device_at(first + offset)));
  return std::make_shared<const std::vector<std::int32_t>>(std::move(group));
}

}  // namespace

std::vector<BoxReduction> reductions(const ArrayType& from, const ArrayType& to) {
  const auto axes = without(from.layout().pending(), to.layout().pending());
  TESSERA_CHECK(axes.has_value(), "a reduction to a type with other pending axes");
  const std::vector<std::int64_t> offsets = place_offsets(from.mesh(), *axes);
  const std::vector<std::int32_t> position_of = positions(from.mesh(), *axes);
  std::vector<BoxReduction> all;
  std::map<std::int64_t, std::shared_ptr<const std::vector<std::int32_t>>> groups;  // by the place of their first
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    const auto at = static_cast<std::size_t>(position_of[static_cast<std::size_t>(device)]);
    const std::int64_t first = to.mesh().place(device) - offsets[at];
    auto& group = groups[first];
    if (group == nullptr) group = group_at(to.mesh(), first, offsets);
    all.push_back({static_cast<std::int32_t>(device), tile(to, device), group, at});
  }
  return all;
}

bool keeps_value(const ArrayType& before, const AxisList& axes, std::int64_t device) {
  return position(before.mesh(), axes, device) == 0;
}

}  // namespace tessera::synth
