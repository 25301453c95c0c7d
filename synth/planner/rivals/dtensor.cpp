// PyTorch DTensor's greedy planner: an array has one placement for each mesh axis, and every axis goes from its
// placement to the wanted one by a collective of its own, with nothing said about memory. Axes that split one dimension
// nest in mesh order, so an axis cannot enter or leave below one that is out of place: first, from the innermost axis
// outwards, whatever lies under such an axis is replicated, and the others move; then, from the outermost inwards, what
// was replicated is split again.
#include <algorithm>
#include <optional>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

base::Diagnostic unsupported(std::string_view why) {
  return base::make(Kind::unsupported, name(Planner::dtensor), why);
}

enum class PlacementKind : std::uint8_t { shard, replicate, partial };

// The placement of the array along one mesh axis.
struct MeshPlacement {
  PlacementKind kind = PlacementKind::replicate;
  std::size_t dimension = 0;        // shard only
  ReduceOp reduce = ReduceOp::sum;  // partial only
  friend bool operator==(const MeshPlacement&, const MeshPlacement&) = default;
};
using Placements = std::vector<MeshPlacement>;  // of every mesh axis

bool is_shard(const MeshPlacement& placement, std::size_t dimension) {
  return placement.kind == PlacementKind::shard && placement.dimension == dimension;
}

base::Status place(Placements& placements, const Mesh& mesh, const AxisList& axes, MeshPlacement placement) {
  if (!std::is_sorted(axes.begin(), axes.end())) return unsupported("a dimension's axes are not in mesh order");
  for (const AxisPart& part : axes) {
    if (part != whole_axis(mesh, part.axis)) return unsupported("only a part of a mesh axis is used");
    placements[part.axis] = placement;
  }
  return base::Done{};
}

base::Result<Placements> placements_of(const ArrayType& type) {
  const Layout& layout = type.layout();
  Placements placements(type.mesh().axes().size());
  for (std::size_t d = 0; d < type.rank(); ++d) {
    TESSERA_TRY_STATUS(place(placements, type.mesh(), layout.split(d), MeshPlacement{PlacementKind::shard, d}));
  }
  const MeshPlacement partial{PlacementKind::partial, 0, layout.reduce()};
  TESSERA_TRY_STATUS(place(placements, type.mesh(), layout.pending(), partial));
  return placements;
}

// The collective that takes one axis from one placement to another.
base::Result<Collective> step_between(const AxisPart& axis, const MeshPlacement& from, const MeshPlacement& to) {
  const AxisList axes{axis};
  switch (from.kind) {
    case PlacementKind::shard:
      if (to.kind == PlacementKind::shard) return all_to_all_step(axes, from.dimension, to.dimension);
      if (to.kind == PlacementKind::replicate) return all_gather_step(axes, from.dimension);
      return unsupported("no collective makes a partial sum of what is split");
    case PlacementKind::replicate:
      return to.kind == PlacementKind::shard ? slice_step(axes, to.dimension) : keep_step(axes, to.reduce);
    case PlacementKind::partial:
      if (to.kind == PlacementKind::shard) return reduce_scatter_step(axes, to.dimension);
      if (to.kind == PlacementKind::replicate) return all_reduce_step(axes);
      return unsupported("no collective makes another reduction of a partial one");
  }
  return unsupported("it is no placement");
}

// Do the axes outside this one that split the dimension differ?
bool outer_shards_differ(const Placements& current, const Placements& target, std::size_t axis, std::size_t dimension) {
  for (std::size_t outer = 0; outer < axis; ++outer) {
    if (is_shard(current[outer], dimension) != is_shard(target[outer], dimension)) return true;
  }
  return false;
}

class GreedyPlanner {
 public:
  GreedyPlanner(const Mesh& mesh, Placements from, Placements to)
      : mesh_(mesh), current_(std::move(from)), target_(std::move(to)) {}

  base::Result<Chain> chain() && {
    const auto splits = [](const MeshPlacement& p) { return p.kind == PlacementKind::shard; };
    if (std::any_of(current_.begin(), current_.end(), splits)) TESSERA_TRY_STATUS(move_or_replicate());
    for (std::size_t axis = 0; axis < target_.size(); ++axis) TESSERA_TRY_STATUS(move(axis, target_[axis]));
    return std::move(chain_);
  }

 private:
  base::Status move_or_replicate() {
    for (std::size_t axis = target_.size(); axis-- > 0;) {
      const MeshPlacement& wanted = target_[axis];
      const bool nested =
          wanted.kind == PlacementKind::shard && outer_shards_differ(current_, target_, axis, wanted.dimension);
      TESSERA_TRY_STATUS(move(axis, nested ? MeshPlacement{} : wanted));
    }
    return base::Done{};
  }

  base::Status move(std::size_t axis, const MeshPlacement& wanted) {
    if (current_[axis] == wanted) return base::Done{};
    TESSERA_TRY(step, step_between(whole_axis(mesh_, axis), current_[axis], wanted));
    chain_.push_back(std::move(step));
    current_[axis] = wanted;
    return base::Done{};
  }

  const Mesh& mesh_;
  Placements current_;
  Placements target_;
  Chain chain_;
};

}  // namespace

base::Result<Chain> dtensor_chain(const ArrayType& from, const ArrayType& to) {
  if (from.mesh() != to.mesh()) return unsupported("the meshes differ");
  TESSERA_TRY(source, placements_of(from));
  TESSERA_TRY(target, placements_of(to));
  return GreedyPlanner(from.mesh(), std::move(source), std::move(target)).chain();
}

}  // namespace tessera::synth
