#include "typeck/typed/unneeded.hpp"

#include <algorithm>
#include <vector>

namespace tessera::typeck {

namespace {

bool can_fail(const synth::Map& map, synth::ElementType element) {
  const bool is_partial =
      map.op == synth::MapOp::divide || map.op == synth::MapOp::remainder || map.op == synth::MapOp::power;
  return is_partial && !synth::is_rounded(element);
}

// Some parts lie where a scalar says, and may lie outside.
bool can_fail(const synth::Assemble& assemble) {
  return std::ranges::any_of(assemble.parts, [](const synth::Part& part) {
    return std::ranges::any_of(part.placements, [](const synth::Placement& own) { return own.scalar >= 0; });
  });
}

template <class... T>
bool is_one_of(const synth::Operation& operation) {
  return (std::holds_alternative<T>(operation) || ...);
}

// May the operation end a run, or read a file? What is not known to be harmless may.
bool can_fail(const synth::Operation& operation, synth::ElementType element) {
  if (const auto* map = std::get_if<synth::Map>(&operation)) return can_fail(*map, element);
  if (const auto* assemble = std::get_if<synth::Assemble>(&operation)) return can_fail(*assemble);
  return !is_one_of<synth::Constant, synth::Fill, synth::Iota, synth::Random, synth::Normal, synth::Reduce,
                    synth::Contract, synth::Scan, synth::Recur, synth::Sort, synth::Greatest, synth::Candidates,
                    synth::Transpose, synth::Reshape, synth::Fourier>(operation);
}

class Dropping {
 public:
  explicit Dropping(Typed& typed) : typed_(typed), is_needed_(typed.nodes.size(), 0) {}

  // Functions call those that were made before them.
  void run() {
    for (std::size_t k = 0; k < typed_.instances.size(); ++k) {
      Region& body = typed_.instances[InstanceId{static_cast<std::uint32_t>(k)}].body;
      has_effects_.push_back(has_effect(body) ? 1 : 0);
      sweep(body);
    }
  }

 private:
  bool has_effect(const Region& region) const {
    return std::ranges::any_of(region.order, [&](NodeId id) { return has_effect(typed_.nodes[id]); });
  }
  bool has_effect(const Node& node) const {
    if (const auto* call = std::get_if<Call>(&node.body)) return has_effects_[call->instance.value] != 0;
    if (const auto* again = std::get_if<Again>(&node.body)) return has_effect(again->body);
    if (const auto* both = std::get_if<If>(&node.body))
      return has_effect(both->then_region) || has_effect(both->else_region);
    if (const auto* loop = std::get_if<Loop>(&node.body))
      return loop->condition || loop->is_limited || loop->pipeline != nullptr || has_effect(loop->body);
    if (node.types.empty()) return true;
    const auto* compute = std::get_if<Compute>(&node.body);
    return compute != nullptr && can_fail(compute->operation, node.types.front().element());
  }

  // Backwards, so that what only dropped nodes read is dropped, too.
  void sweep(Region& region) {
    need(region.results);
    std::vector<NodeId> kept;
    for (auto at = region.order.rbegin(); at != region.order.rend(); ++at) {
      Node& node = typed_.nodes[*at];
      if (is_needed_[at->value] == 0 && !has_effect(node)) continue;
      std::visit([&](auto& body) { visit(body); }, node.body);
      kept.push_back(*at);
    }
    std::ranges::reverse(kept);
    region.order = std::move(kept);
  }

  void need(NodeId id) { is_needed_[id.value] = 1; }
  void need(const std::vector<NodeId>& ids) {
    for (const NodeId id : ids) need(id);
  }

  void visit(const Parameter& /*given*/) {}
  void visit(const Input& /*given*/) {}
  void visit(const Compute& compute) { need(compute.operands); }
  void visit(const Redistribute& change) { need(change.operand); }
  void visit(const Call& call) { need(call.arguments); }
  void visit(const Element& element) { need(element.tuple); }
  void visit(Loop& loop) {
    need(loop.count);
    need(loop.initial);
    sweep(loop.body);
  }
  void visit(If& both) {
    need(both.condition);
    sweep(both.then_region);
    sweep(both.else_region);
  }
  void visit(Again& again) { sweep(again.body); }

  Typed& typed_;
  std::vector<char> is_needed_;    // of every node
  std::vector<char> has_effects_;  // of every instance so far
};

}  // namespace

void drop_unneeded(Typed& typed) { Dropping(typed).run(); }

}  // namespace tessera::typeck
