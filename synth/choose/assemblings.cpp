#include "synth/choose/assemblings.hpp"

#include <algorithm>
#include <set>

#include "synth/choose/axis_roles.hpp"

namespace tessera::synth {

namespace {

// Indices of roles are the dimensions of the result, which the parts have, too, and behind them those of the parts
// alone.
class AssemblySpace {
 public:
  AssemblySpace(const SpaceOf& space, const Assemble& assemble, const std::vector<ChoiceValue>& operands,
                const ChoiceValue& result, const std::vector<ReduceOp>& kinds)
      : space_(space),
        assemble_(assemble),
        operands_(operands),
        result_(result),
        kinds_(kinds),
        mesh_(std::make_shared<const Mesh>(space.mesh)),
        rank_(result.shape.size()),
        is_part_(operands.size(), 0) {
    for (const Part& part : assemble.parts) is_part_[part.operand] = 1;
  }

  std::vector<Strategy> run() {
    std::vector<std::vector<AxisRole>> roles;
    for (const std::size_t axis : space_.axes) roles.push_back(roles_of(axis));
    for_each_combination(roles, [&](const std::vector<const AxisRole*>& taken) { combine(taken); });
    return {found_.begin(), found_.end()};
  }

 private:
  // Do all parts have the dimension as the result has it, from its first element on?
  bool is_untouched(std::size_t d) const {
    return std::ranges::all_of(assemble_.parts, [&](const Part& part) {
      return part.placements[d] == Placement{} && operands_[part.operand].shape[d] == result_.shape[d];
    });
  }
  // What is laid over something is wholly inside of it.
  bool is_inside(std::size_t d) const {
    return std::ranges::all_of(assemble_.parts, [&](const Part& part) {
      const Placement& own = part.placements[d];
      if (own.scalar >= 0) return true;
      const bool is_plain = own.first == 0 && own.step == 1 && own.spread == 1;
      return is_plain && own.add >= 0 && own.add + operands_[part.operand].shape[d] <= result_.shape[d];
    });
  }
  bool may_split(std::size_t d) const { return is_untouched(d) || !assemble_.has_base || is_inside(d); }
  bool may_split_parts_alone(std::size_t d) const {
    return result_.shape[d] == 1 && !assemble_.has_base && assemble_.parts.size() == 1 && !is_untouched(d);
  }

  std::vector<AxisRole> roles_of(std::size_t axis) const {
    std::vector<AxisRole> roles{AxisRole{}};
    const std::int64_t size = space_.mesh.axes()[axis].size;
    for (std::size_t d = 0; d < rank_; ++d) {
      const bool is_alone = may_split_parts_alone(d);
      const std::int64_t extent = is_alone ? operands_[assemble_.parts[0].operand].shape[d] : result_.shape[d];
      if (extent < size || !may_split(d)) continue;
      for (const std::uint8_t cut : cuts_of_axis(space_, axis))
        roles.push_back({static_cast<int>(is_alone ? rank_ + d : d), cut, {}});
    }
    for (const ReduceOp kind : kinds_) roles.push_back({-1, 0, {0}, kind});
    return roles;
  }

  void combine(const std::vector<const AxisRole*>& taken) {
    AxisList pending;
    std::optional<ReduceOp> reduce;
    bool is_mixed = false;
    const IndexSplits splits = splits_by_roles(space_, 2 * rank_, taken, pending, reduce, is_mixed);
    if (is_mixed) return;
    for_each_order(space_, splits,
                   [&](const IndexSplits& ordered) { consider(ordered, pending, reduce.value_or(ReduceOp::sum)); });
  }

  static bool fits(const AxisList& split, std::int64_t extent) {
    return shard_count(split) <= std::max<std::int64_t>(1, extent);
  }

  // A part that is too short to be split as the result is whole.
  IndexSplits splits_of_part(const IndexSplits& splits, const Shape& shape) const {
    IndexSplits own(rank_);
    for (std::size_t d = 0; d < rank_; ++d) {
      const AxisList& split = splits[d].empty() ? splits[rank_ + d] : splits[d];
      if (fits(split, shape[d])) own[d] = split;
    }
    return own;
  }

  void consider(const IndexSplits& splits, const AxisList& pending, ReduceOp reduce) {
    const IndexSplits of_result(splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(rank_));
    for (std::size_t d = 0; d < rank_; ++d) {
      if (!fits(splits[d], result_.shape[d])) return;
    }
    const auto given = Layout::make(space_.mesh, of_result, pending, reduce);
    if (!given.ok() || !type_of(mesh_, result_, *given)) return;
    Strategy strategy{{}, *given};
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      strategy.operands.push_back(Layout::replicated(operands_[k].shape.size()));
      if (assemble_.has_base && k == 0) strategy.operands.back() = *given;
      if (is_part_[k] == 0) continue;
      const auto own = Layout::make(space_.mesh, splits_of_part(splits, operands_[k].shape), pending, reduce);
      if (!own.ok() || !type_of(mesh_, operands_[k], *own)) return;
      strategy.operands.back() = *own;
    }
    found_.insert(std::move(strategy));
  }

  const SpaceOf& space_;
  const Assemble& assemble_;
  const std::vector<ChoiceValue>& operands_;
  const ChoiceValue& result_;
  const std::vector<ReduceOp>& kinds_;
  MeshRef mesh_;
  std::size_t rank_;
  std::vector<char> is_part_;  // of the operands
  std::set<Strategy> found_;
};

}  // namespace

std::vector<Strategy> assemblings(const SpaceOf& space, const Assemble& assemble,
                                  const std::vector<ChoiceValue>& operands, const ChoiceValue& result,
                                  const std::vector<ReduceOp>& kinds) {
  return AssemblySpace(space, assemble, operands, result, kinds).run();
}

}  // namespace tessera::synth
