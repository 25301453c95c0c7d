#include "typeck/typed/needs.hpp"

#include <utility>
#include <vector>

namespace tessera::typeck {

namespace {

class Needs {
 public:
  explicit Needs(const Typed& typed) : typed_(typed) {}

  std::set<const Node*> of(NodeId value) {
    open_.push_back(value);
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      const Node& node = typed_.nodes[id];
      if (!found_.insert(&node).second) continue;
      std::visit([&](const auto& body) { open(id, body); }, node.body);
    }
    return std::move(found_);
  }

 private:
  void open(const std::vector<NodeId>& ids) { open_.insert(open_.end(), ids.begin(), ids.end()); }
  void open(NodeId /*id*/, const Parameter& /*given*/) {}
  void open(NodeId /*id*/, const Input& /*given*/) {}
  void open(NodeId /*id*/, const Compute& compute) { open(compute.operands); }
  void open(NodeId /*id*/, const Redistribute& change) { open_.push_back(change.operand); }
  void open(NodeId /*id*/, const Element& element) { open_result(element.tuple, element.index); }
  void open(NodeId id, const Call& /*one of one result*/) { open_result(id, 0); }
  void open(NodeId id, const Loop& /*of one result*/) { open_result(id, 0); }
  void open(NodeId id, const If& /*of one result*/) { open_result(id, 0); }
  void open(NodeId id, const Again& /*of one result*/) { open_result(id, 0); }

  void open_result(NodeId id, std::uint32_t index) {
    const Node& node = typed_.nodes[id];
    if (const auto* call = std::get_if<Call>(&node.body)) {
      open_.push_back(typed_.instances[call->instance].body.results.at(index));
      open(call->arguments);
    } else if (const auto* loop = std::get_if<Loop>(&node.body)) {
      open_.push_back(loop->count);
      open(loop->initial);
      open(loop->body.results);
    } else if (const auto* branch = std::get_if<If>(&node.body)) {
      open_.push_back(branch->condition);
      open_.push_back(branch->then_region.results.at(index));
      open_.push_back(branch->else_region.results.at(index));
    } else {
      open_.push_back(std::get<Again>(node.body).body.results.at(index));
    }
  }

  const Typed& typed_;
  std::vector<NodeId> open_;
  std::set<const Node*> found_;
};

}  // namespace

std::set<const Node*> needs_of(const Typed& typed, NodeId value) { return Needs(typed).of(value); }

}  // namespace tessera::typeck
