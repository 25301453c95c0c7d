// What is made of one text: the typed nodes of its values, and what a printed program shows of it. Private to typeck.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ast.hpp"
#include "typeck/insert/typed_graph.hpp"
#include "typeck/layouts/assignment.hpp"

namespace tessera::typeck {

// The typed nodes of open values; the ids of one body lie close together.
class ValueNodes {
 public:
  const std::vector<NodeId>* find(open::ValueId value) const {
    const bool is_there = value.value >= first_ && value.value - first_ < nodes_.size();
    if (!is_there || nodes_[value.value - first_].empty()) return nullptr;
    return &nodes_[value.value - first_];
  }
  void set(open::ValueId value, std::vector<NodeId> nodes);

 private:
  std::uint32_t first_ = 0;
  std::vector<std::vector<NodeId>> nodes_;
};

// Contributions to a cotangent that wait at changes of layout on their way to the value, by these; one without a node
// is there.
struct Contribution {
  Held value;
  Span span;  // of the operation that gave it, which asks for it to be added to others
  std::string who;
};
struct Underway {
  NodeId end;  // the value
  std::map<NodeId, Contribution> contributions;
};
// What is made of one text, or of a function for one list of types.
struct Body {
  std::shared_ptr<const frontend::Ast> ast;
  ValueNodes values;
  std::map<ExprId, std::string> inserted_as;
  std::map<frontend::StatementId, std::string> let_types;
  // How many typed nodes there were when an open node was begun, in the order of their beginnings.
  std::vector<std::pair<open::ValueId, std::size_t>> begun;
  std::map<open::ValueId, Underway> underway;
  // By the node that entered it: a function's values as they lie for its arguments there. Copies of them lie so, too.
  std::map<open::ValueId, const BodyLayouts*> entered;
  BodyLayouts* layouts = nullptr;  // those that are given or kept; null: neither
};

}  // namespace tessera::typeck
