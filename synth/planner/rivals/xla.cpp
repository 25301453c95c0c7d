// XLA's partitioner: types become device orders, its flow is followed there, and every order it passes is written as
// a type again. Extents that do not divide are cut by our rule, where XLA pads. Its one other way to gather, zeros and
// a sum where a dimension has at most half as many elements as tiles, is a gather here.
#include "synth/planner/rivals/xla.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace xla {

namespace {

base::Diagnostic unsupported(std::string_view why) { return base::make(Kind::unsupported, name(Planner::xla), why); }

// ---- Types and tilings ----

// Sums that stay pending are as many arrays, each on the devices of one position along the pending axes; XLA treats
// them alike. A device's number among those of its position, in the order of the mesh: in that of the devices equal
// numbers of two positions may hold different tiles, where the mesh orders its devices otherwise.
Devices numbers_in_position(const Mesh& mesh, const AxisList& pending) {
  const Devices position = positions(mesh, pending);
  Devices next(static_cast<std::size_t>(shard_count(pending)), 0);
  Devices numbers(position.size());
  for (std::size_t at = 0; at < position.size(); ++at) {
    const auto device = pending.empty() ? at : static_cast<std::size_t>(mesh.device_at(static_cast<std::int64_t>(at)));
    numbers[device] = next[static_cast<std::size_t>(position[device])]++;
  }
  return numbers;
}

Tiling tiling_of(const ArrayType& type, const Devices& numbers) {
  const std::size_t devices = numbers.size() / static_cast<std::size_t>(shard_count(type.layout().pending()));
  Counts counts;
  std::vector<Devices> places;
  for (const AxisList& split : type.layout().splits()) {
    counts.push_back(shard_count(split));
    const Devices of_all = positions(type.mesh(), split);
    Devices& of_one = places.emplace_back(devices);
    for (std::size_t i = 0; i < numbers.size(); ++i) of_one[static_cast<std::size_t>(numbers[i])] = of_all[i];
  }
  return tiling_of_places(counts, places, devices);
}

// The parts of one axis that give places along a list, each with its weight: how much the place grows with it.
using WeightedParts = std::vector<std::pair<std::int64_t, AxisPart>>;

// `places` are those of devices, by number. From the minor end: a part goes on for as long as the place grows evenly.
// False where that is no divisor.
bool add_parts(const Mesh& mesh, std::size_t axis, const Devices& places, WeightedParts& parts) {
  std::int64_t left = mesh.axes()[axis].size;
  std::int64_t stride = mesh.stride(axis);
  while (left > 1) {
    const auto place = [&](std::int64_t i) { return places[static_cast<std::size_t>(mesh.device_at(i * stride))]; };
    const std::int64_t weight = place(1);
    std::int64_t size = 2;
    while (size < left && place(size) == size * weight) ++size;
    if (left % size != 0) return false;
    left /= size;
    if (weight != 0) parts.emplace_back(weight, AxisPart{static_cast<std::uint8_t>(axis), left, size});
    stride *= size;
  }
  return true;
}

// Any order of devices, as a type on a mesh of its own: an axis for each dimension, and one along which tiles are the
// same.
base::Result<ArrayType> type_on_own_mesh(const Tiling& tiling, const ArrayType& like) {
  if (!like.layout().pending().empty())
    return unsupported("no axes say which device holds what of its sums on the way");
  std::vector<MeshAxis> axes;
  std::vector<AxisList> splits;
  for (const std::int64_t count : tiling.counts) {
    splits.emplace_back();
    if (count == 1) continue;
    splits.back().push_back(AxisPart{static_cast<std::uint8_t>(axes.size()), 1, count});
    axes.push_back(MeshAxis{fmt::format("dim{}", splits.size() - 1), count});
  }
  axes.push_back(MeshAxis{"copies", tiling.copies});
  TESSERA_TRY(mesh, Mesh::ordered(std::move(axes), tiling.devices, &like.mesh()));
  TESSERA_TRY(layout, Layout::make(*mesh, std::move(splits)));
  return ArrayType::make(like.element(), like.shape(), mesh, layout);
}

base::Result<ArrayType> type_of(const Tiling& tiling, const ArrayType& like, const Devices& numbers) {
  std::vector<AxisList> splits;
  for (const Devices& of_one : places_of(tiling)) {
    Devices of_all;
    for (const std::int32_t number : numbers) of_all.push_back(of_one[static_cast<std::size_t>(number)]);
    auto axes = axes_of_places(like.mesh(), of_all);
    if (!axes) return type_on_own_mesh(tiling, like);
    splits.push_back(std::move(*axes));
  }
  auto layout = Layout::make(like.mesh(), std::move(splits), like.layout().pending(), like.layout().reduce());
  if (!layout.ok()) return type_on_own_mesh(tiling, like);
  return like.with_layout(*layout);
}

// ---- Steps ----

struct Extension {
  std::size_t dimension;
  AxisList axes;
};

// Trailing axes that `longer` has and `shorter` has not, by dimension.
std::vector<Extension> extensions(const ArrayType& longer, const ArrayType& shorter) {
  std::vector<Extension> changes;
  for (std::size_t d = 0; d < longer.rank(); ++d) {
    auto axes = without_leading(longer.layout().split(d), shorter.layout().split(d));
    if (axes && !axes->empty()) changes.push_back(Extension{d, std::move(*axes)});
  }
  return changes;
}

std::vector<AxesAt> moves_of(const std::vector<Extension>& changes) {
  std::vector<AxesAt> moves;
  for (const Extension& change : changes) moves.push_back({change.axes, change.dimension});
  return moves;
}

std::vector<AxisMove> passing_moves(const ArrayType& before, const ArrayType& after) {
  std::vector<AxisMove> moves;
  for (const Extension& entering : extensions(after, before)) {
    for (const Extension& leaving : extensions(before, after)) {
      if (leaving.axes == entering.axes) moves.push_back({leaving.axes, leaving.dimension, entering.dimension});
    }
  }
  return moves;
}

// One launch for all moves; without any it is no step.
Effect named_effect(CollectiveKind kind, const ArrayType& before, const ArrayType& after) {
  if (kind == CollectiveKind::all_to_all) return AllToAll{passing_moves(before, after)};
  if (kind == CollectiveKind::all_gather) return AllGather{moves_of(extensions(before, after))};
  return Slice{moves_of(extensions(after, before))};
}

// The step of that kind that leads from one type to the other; an exchange where it is not one of ours.
Collective step_between(CollectiveKind kind, const ArrayType& before, const ArrayType& after) {
  if (before.mesh() != after.mesh()) return exchange_step(after);
  if (kind == CollectiveKind::permute) return permute_step(after);
  Collective step{named_effect(kind, before, after), Direct{}};
  const auto reached = apply(step, before);
  return reached.ok() && *reached == after ? step : exchange_step(after);
}

}  // namespace

std::optional<AxisList> axes_of_places(const Mesh& mesh, const Devices& places) {
  WeightedParts parts;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    if (!add_parts(mesh, axis, places, parts)) return std::nullopt;
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  AxisList axes;
  for (const auto& [weight, part] : parts) axes.push_back(part);
  axes = canonical(axes);
  if (positions(mesh, axes) != places) return std::nullopt;
  return axes;
}

base::Result<FlowChain> flow_chain(const ArrayType& from, const ArrayType& to, Flow flow) {
  if (from.mesh() != to.mesh()) return unsupported("the meshes differ");
  const PendingChange change = pending_change(from, to);
  if (!change.resolve.empty() || !change.keep.empty()) return unsupported("the pending sums differ");
  const Devices numbers = numbers_in_position(from.mesh(), change.common);
  const Extents extents(from.shape().begin(), from.shape().end());
  const Reshard found = reshard(extents, tiling_of(from, numbers), tiling_of(to, numbers), flow);
  FlowChain result{{}, found.full_rematerialization, found.partial_rematerialization};
  ArrayType type = from;
  for (const TilingStep& step : found.steps) {
    TESSERA_TRY(after, type_of(step.after, from, numbers));
    result.chain.push_back(step_between(step.kind, type, after));
    type = after;
  }
  return result;
}

}  // namespace xla

base::Result<Chain> xla_chain(const ArrayType& from, const ArrayType& to) {
  TESSERA_TRY(found, xla::flow_chain(from, to, xla::Flow::nov_2025));
  return std::move(found.chain);
}

}  // namespace tessera::synth
