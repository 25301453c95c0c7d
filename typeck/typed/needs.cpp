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
      find_all();
      for (const Call* call : calls_) open_arguments(*call);
    }
    return std::move(found_);
  }

 private:
  void find_all() {
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      const Node& node = typed_.nodes[id];
      if (found_.insert(&node).second) std::visit([&](const auto& body) { open(id, body); }, node.body);
    }
  }

  // Those of the parameters that were needed.
  void open_arguments(const Call& call) {
    const std::vector<NodeId>& parameters = typed_.instances[call.instance].parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool is_needed = found_.count(&typed_.nodes[parameters[i]]) > 0;
      if (is_needed && found_.count(&typed_.nodes[call.arguments[i]]) == 0) open_.push_back(call.arguments[i]);
    }
  }

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
      calls_.insert(call);
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
  std::set<const Call*> calls_;
  std::set<const Node*> found_;
};

}  // namespace

std::set<const Node*> needs_of(const Typed& typed, NodeId value) { return Needs(typed).of(value); }

}  // namespace tessera::typeck
