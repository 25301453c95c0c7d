#include "synth/choose/space.hpp"

#include <algorithm>
#include <set>

#include "synth/choose/assemblings.hpp"
#include "synth/choose/axis_roles.hpp"
#include "synth/program/program.hpp"
#include "synth/program/signature.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

std::vector<std::size_t> all_of_them(std::size_t count) {
  std::vector<std::size_t> all(count);
  for (std::size_t k = 0; k < count; ++k) all[k] = k;
  return all;
}

// The strategies of an operation that has a signature.
class SignedSpace {
 public:
  SignedSpace(const SpaceOf& space, const ChoiceNode& node, const std::vector<ChoiceValue>& operands,
              const ChoiceValue& result, const std::vector<ReduceOp>& kinds)
      : space_(space), node_(node), operands_(operands), result_(result), kinds_(kinds), mesh_(share(space.mesh)) {
    std::vector<Shape> shapes;
    for (const ChoiceValue& operand : operands) shapes.push_back(operand.shape);
    signature_ = index_signature(*node.operation, shapes, result.element, result.shape);
    extents_.assign(signature_.kinds.size(), 0);
    for (std::size_t k = 0; k < operands.size(); ++k) note_extents(signature_.operands[k], operands[k].shape);
    note_extents(signature_.result, result.shape);
  }

  std::vector<Strategy> run() {
    std::vector<std::vector<AxisRole>> roles;
    for (const std::size_t axis : space_.axes) roles.push_back(roles_of(axis));
    for_each_combination(roles, [&](const std::vector<const AxisRole*>& taken) { combine(taken); });
    return {found_.begin(), found_.end()};
  }

 private:
  static MeshRef share(const Mesh& mesh) { return std::make_shared<const Mesh>(mesh); }

  void note_extents(const std::vector<int>& indices, const Shape& shape) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d] != IndexSignature::kWhole) extents_[static_cast<std::size_t>(indices[d])] = shape[d];
    }
  }

  std::vector<AxisRole> roles_of(std::size_t axis) const {
    std::vector<AxisRole> roles{AxisRole{}};
    const std::int64_t size = space_.mesh.axes()[axis].size;
    for (std::size_t index = 0; index < signature_.kinds.size(); ++index) {
      if (signature_.kinds[index] == IndexKind::whole || extents_[index] < size) continue;
      for (const std::uint8_t cut : cuts_of_axis(space_, axis)) roles.push_back({static_cast<int>(index), cut, {}});
    }
    add_passing(roles);
    return roles;
  }

  // Values never change: what multiplies a part of a float sum could overflow where the sum does not.
  bool may_scale() const { return node_.scales_sums || !is_rounded(result_.element) || operands_.size() == 1; }

  void add_passing(std::vector<AxisRole>& roles) const {
    const auto all = all_of_them(operands_.size());
    const auto each = [&](std::size_t most) {
      for (std::size_t k = 0; may_scale() && k < most; ++k) roles.push_back({-1, 0, {k}, ReduceOp::sum});
    };
    switch (signature_.pending) {
      case PendingRule::resolve: return;
      case PendingRule::linear:
      case PendingRule::equal_sums: return roles.push_back({-1, 0, all, ReduceOp::sum});
      case PendingRule::equal_max: return roles.push_back({-1, 0, all, ReduceOp::max});
      case PendingRule::equal_min: return roles.push_back({-1, 0, all, ReduceOp::min});
      case PendingRule::unary:
      case PendingRule::equal_any:
        for (const ReduceOp kind : kinds_) roles.push_back({-1, 0, all, kind});
        return;
      case PendingRule::product:
        if (operands_.size() > 1 && std::ranges::find(kinds_, ReduceOp::product) != kinds_.end())
          roles.push_back({-1, 0, all, ReduceOp::product});
        return each(operands_.size());
      case PendingRule::contraction: return each(operands_.size());
      case PendingRule::quotient: return each(1);
    }
  }

  void combine(const std::vector<const AxisRole*>& taken) {
    IndexSplits splits(signature_.kinds.size());
    std::vector<AxisList> pending(operands_.size());
    std::vector<ReduceOp> reduces(operands_.size(), ReduceOp::sum);
    for (std::size_t a = 0; a < taken.size(); ++a) {
      const AxisRole& role = *taken[a];
      if (role.index >= 0)
        splits[static_cast<std::size_t>(role.index)].push_back(part_of(space_, space_.axes[a], role.cut));
      for (const std::size_t k : role.pending) {
        if (!pending[k].empty() && reduces[k] != role.reduce) return;
        pending[k].push_back(whole_axis(space_.mesh, space_.axes[a]));
        reduces[k] = role.reduce;
      }
    }
    for (std::size_t index = 0; index < splits.size(); ++index) {
      if (shard_count(splits[index]) > std::max<std::int64_t>(1, extents_[index])) return;
    }
    for_each_order(space_, splits, [&](const IndexSplits& ordered) { consider(ordered, pending, reduces); });
  }

  void consider(const IndexSplits& splits, const std::vector<AxisList>& pending, const std::vector<ReduceOp>& reduces) {
    Strategy strategy;
    std::vector<ArrayType> types;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      std::vector<AxisList> own;
      for (const int index : signature_.operands[k])
        own.push_back(index == IndexSignature::kWhole ? AxisList{} : splits[static_cast<std::size_t>(index)]);
      auto layout = Layout::make(space_.mesh, std::move(own), pending[k], reduces[k]);
      if (!layout.ok()) return;
      auto type = type_of(mesh_, operands_[k], *layout);
      if (!type) return;
      types.push_back(*type);
      strategy.operands.push_back(*layout);
    }
    std::vector<const ArrayType*> pointers;
    for (const ArrayType& type : types) pointers.push_back(&type);
    if (!passes(signature_, pointers)) return;
    const auto given = result_layout(signature_, space_.mesh, strategy.operands, splits);
    if (!given || !type_of(mesh_, result_, *given)) return;
    strategy.result = *given;
    found_.insert(std::move(strategy));
  }

  const SpaceOf& space_;
  const ChoiceNode& node_;
  const std::vector<ChoiceValue>& operands_;
  const ChoiceValue& result_;
  const std::vector<ReduceOp>& kinds_;
  MeshRef mesh_;
  IndexSignature signature_;
  std::vector<std::int64_t> extents_;
  std::set<Strategy> found_;
};

// Layouts of a value as roles of its dimensions.
std::vector<AxisRole> roles_of_dimensions(const SpaceOf& space, std::size_t axis, const Shape& shape,
                                          const std::vector<ReduceOp>& kinds) {
  std::vector<AxisRole> roles{AxisRole{}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < space.mesh.axes()[axis].size) continue;
    for (const std::uint8_t cut : cuts_of_axis(space, axis)) roles.push_back({static_cast<int>(d), cut, {}});
  }
  for (const ReduceOp kind : kinds) roles.push_back({-1, 0, {0}, kind});
  return roles;
}

// A reshape takes the layouts under which every device's elements stay the same run.
std::vector<Strategy> reshapes(const SpaceOf& space, const ChoiceNode& node, const ChoiceValue& operand,
                               const ChoiceValue& result, const std::vector<ReduceOp>& kinds) {
  const MeshRef mesh = std::make_shared<const Mesh>(space.mesh);
  std::vector<Strategy> found;
  const std::vector<Layout> results = layouts_of(space, result, kinds);
  for (const Layout& own : layouts_of(space, operand, kinds)) {
    const auto from = type_of(mesh, operand, own);
    for (const Layout& given : results) {
      if (given.pending() != own.pending() || given.reduce() != own.reduce()) continue;
      const auto to = type_of(mesh, result, given);
      if (from && to && !type_error(Program{}, *node.operation, {&*from}, &*to)) found.push_back({{own}, given});
    }
  }
  return found;
}

// What makes an array without another one makes it in any layout that is no sum; its scalars are everywhere.
std::vector<Strategy> constructions(const SpaceOf& space, const std::vector<ChoiceValue>& operands,
                                    const ChoiceValue& result) {
  std::vector<Strategy> found;
  for (const Layout& layout : layouts_of(space, result, {}))
    found.push_back({std::vector<Layout>(operands.size(), Layout::replicated(0)), layout});
  return found;
}

}  // namespace

std::vector<Layout> layouts_of(const SpaceOf& space, const ChoiceValue& value, const std::vector<ReduceOp>& kinds) {
  const MeshRef mesh = std::make_shared<const Mesh>(space.mesh);
  std::vector<std::vector<AxisRole>> roles;
  for (const std::size_t axis : space.axes) roles.push_back(roles_of_dimensions(space, axis, value.shape, kinds));
  std::set<Layout> found;
  for_each_combination(roles, [&](const std::vector<const AxisRole*>& taken) {
    AxisList pending;
    std::optional<ReduceOp> reduce;
    bool is_mixed = false;
    const IndexSplits splits = splits_by_roles(space, value.shape.size(), taken, pending, reduce, is_mixed);
    if (is_mixed) return;
    for (std::size_t d = 0; d < splits.size(); ++d) {
      if (shard_count(splits[d]) > std::max<std::int64_t>(1, value.shape[d])) return;
    }
    for_each_order(space, splits, [&](const IndexSplits& ordered) {
      auto layout = Layout::make(space.mesh, ordered, pending, reduce.value_or(ReduceOp::sum));
      if (layout.ok() && type_of(mesh, value, *layout)) found.insert(std::move(*layout));
    });
  });
  return {found.begin(), found.end()};
}

std::vector<Strategy> strategies_of(const SpaceOf& space, const ChoiceNode& node,
                                    const std::vector<ChoiceValue>& operands, const ChoiceValue& result,
                                    const std::vector<ReduceOp>& kinds) {
  const Operation& operation = *node.operation;
  if (has_signature(operation)) return SignedSpace(space, node, operands, result, kinds).run();
  const bool keeps_tiles = std::holds_alternative<Reshape>(operation) || std::holds_alternative<Candidates>(operation);
  if (keeps_tiles) return reshapes(space, node, operands[0], result, kinds);
  if (const auto* assemble = std::get_if<Assemble>(&operation))
    return assemblings(space, *assemble, operands, result, kinds);
  return constructions(space, operands, result);
}

SpaceOf space_of(const ChoiceProblem& problem) {
  SpaceOf space{*problem.mesh, problem.axes, {}};
  for (const ChoiceNode& node : problem.nodes) {
    if (!node.pin) continue;
    for (const AxisList& split : node.pin->splits()) {
      if (split.size() > 1) space.orders.push_back(split);
    }
  }
  return space;
}

std::vector<ReduceOp> kinds_of_parts(const ChoiceProblem& problem) {
  std::set<ReduceOp> kinds{ReduceOp::sum};
  for (const ChoiceNode& node : problem.nodes) {
    if (node.pin && !node.pin->pending().empty()) kinds.insert(node.pin->reduce());
    const auto* reduce = node.operation ? std::get_if<Reduce>(&*node.operation) : nullptr;
    if (reduce != nullptr && reduce->kind == ReduceKind::max) kinds.insert(ReduceOp::max);
    if (reduce != nullptr && reduce->kind == ReduceKind::min) kinds.insert(ReduceOp::min);
    if (reduce != nullptr && reduce->kind == ReduceKind::product) kinds.insert(ReduceOp::product);
  }
  return {kinds.begin(), kinds.end()};
}

}  // namespace tessera::synth
