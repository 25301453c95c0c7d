// What is made of one text: the typed nodes of its values, and what a printed program shows of it. Private to typeck.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
  // Null where there are none.
  const std::vector<NodeId>* find(open::ValueId value) const {
    return is_there(value) && !at(value).nodes.empty() ? &at(value).nodes : nullptr;
  }
  void set(open::ValueId value, std::vector<NodeId> nodes);
  // So many typed nodes there were when the value was begun.
  void begin(open::ValueId value, std::size_t typed_nodes);
  // How many there were when the first one from `from` on was begun that comes before `to`.
  std::optional<std::size_t> begun(open::ValueId from, open::ValueId to) const;

 private:
  struct Made {
    std::vector<NodeId> nodes;
    std::optional<std::size_t> begun;
  };
  bool is_there(open::ValueId value) const { return value.value >= first_ && value.value - first_ < all_.size(); }
  const Made& at(open::ValueId value) const { return all_[value.value - first_]; }
  Made& made(open::ValueId value);

  std::uint32_t first_ = 0;
  std::vector<Made> all_;
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
  std::map<open::ValueId, Underway> underway;
  // By the node that entered it: a function's values as they lie for its arguments there. Copies of them lie so, too.
  std::map<open::ValueId, const BodyLayouts*> entered;
  BodyLayouts* layouts = nullptr;  // those that are given or kept; null: neither
};

}  // namespace tessera::typeck
