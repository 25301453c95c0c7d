// What gradients are made of, as they are closed: values and cotangents that lie as other values do. Contributions to a
// cotangent that go back through one change of layout wait there for each other. Private to typeck/insert/.
#pragma once

#include <optional>
#include <string>

#include "typeck/insert/closed_values.hpp"

namespace tessera::typeck {

class Cotangents {
 public:
  // The graph outlives it.
  explicit Cotangents(ClosedValues& graph) : graph_(graph) {}

  // The value where it is used; what is under way to a cotangent goes home first.
  MaybeHeld held(const open::Use& use);

  // False while contributions to the value wait on their way: it lies nowhere yet.
  bool is_home(open::ValueId id) const;

  // One for each operation of open.hpp; nothing where an operand is missing, or what is wrong was reported.
  MaybeHeld used(const open::Used& used);
  MaybeHeld brought_back(open::ValueId id, const open::Node& node, const open::Compute& body, const open::Back& back);
  MaybeHeld both(open::ValueId id, const open::Node& node, const open::Compute& body);
  MaybeHeld home(open::ValueId id, const open::Node& node, const open::Compute& body, const open::Home& home);
  MaybeHeld zeros_as(Span span, const Held& like);
  MaybeHeld finished_as(Span span, const std::string& who, const Held& value, const Held& like);
  MaybeHeld summed(const open::Node& node, const open::Compute& body);
  MaybeHeld row_put(const open::Node& node, const open::Compute& body);
  MaybeHeld row_taken(Span span, const Held& rows, const Held& at);

 private:
  struct Way {
    NodeId begin;
    NodeId end;
    std::optional<std::size_t> part;
    bool is_same = false;      // the operation gave its operand as it is
    bool is_name = false;      // only names what others were closed to: what waits before it goes on waiting
    bool is_computed = false;  // what contributes is made of the operands, and has to come to their layouts first
  };

  // The operands of the operation that a node was closed to.
  const std::vector<NodeId>& operands_of(open::ValueId by);
  std::optional<Way> way_back(const open::Back& back);
  std::optional<Underway> way_taken(const open::Node& node, const open::Compute& body, const open::Back& back);
  std::size_t made_since(open::ValueId by) const;
  std::optional<Underway> underway(const open::Use& use, Span span, const std::string& who);
  bool meet(Underway& all, NodeId at, const Contribution& contribution);
  bool meet(Underway& all, const Underway& others);
  MaybeHeld keep_underway(open::ValueId id, Underway all);
  // Takes those home that wait at nodes from a number on.
  bool go_home(Underway& all, std::size_t first);
  MaybeHeld carried(const open::Use& use, const std::optional<ArrayType>& first);
  // So many rows, in one array.
  std::optional<ArrayType> rows_type(Span span, const ArrayType& row, std::int64_t count);

  ClosedValues& graph_;
};

}  // namespace tessera::typeck
