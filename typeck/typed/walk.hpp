// Every node of a region.
#pragma once

#include <functional>
#include <set>

#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// Calls `visit` with every node that a region computes, those of loops, branches and called functions included, each
// function's instance once.
class Walk {
 public:
  Walk(const Typed& typed, const std::function<void(const Node&)>& visit) : typed_(typed), visit_(visit) {}

  void region(const Region& nodes) {
    for (const NodeId id : nodes.order) node(typed_.nodes[id]);
  }

 private:
  void node(const Node& one) {
    visit_(one);
    if (const auto* call = std::get_if<Call>(&one.body)) {
      if (seen_.insert(call->instance).second) region(typed_.instances[call->instance].body);
    } else if (const auto* loop = std::get_if<Loop>(&one.body)) {
      region(loop->body);
    } else if (const auto* branch = std::get_if<If>(&one.body)) {
      region(branch->then_region);
      region(branch->else_region);
    } else if (const auto* again = std::get_if<Again>(&one.body)) {
      region(again->body);
    }
  }

  const Typed& typed_;
  const std::function<void(const Node&)>& visit_;
  std::set<InstanceId> seen_;
};

}  // namespace tessera::typeck
