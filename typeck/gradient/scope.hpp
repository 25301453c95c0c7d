// The reverse pass over one region of a checked function: a call's body, a branch, a turn of a loop, a block of
// `again`.
//
// A scope first computes the region once more where it stands (`compute`), with given values for everything that comes
// from outside; then it goes backwards (`reverse`): every operation turns the cotangent of its result into
// contributions to those of its operands. Nodes are named as in the checked function, whose graph does not change:
//
//     y = x @ w        here(y): the node that holds y in this scope
//     l = sum(y)       cotangent of l: 1; add(y, ones); add(w, x' @ ones)
//
// Calls are computed inside their caller, so that their values can be used in reverse. A loop keeps its carried values
// of every turn, with a leading dimension, and computes each turn again; an `if` computes the branch taken again.
//
// The cotangent of a value of type T is split as T is and whole over T's pending axes; over other axes it is whole or a
// pending sum, as it comes. This rule alone produces the transposes of collectives (bring).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typeck/gradient/activity.hpp"
#include "typeck/gradient/build.hpp"
#include "typeck/insert/inserter.hpp"

namespace tessera::typeck::gradient {

// Does a scope print, save and assert, or was that done when its region was first computed?
enum class Effects : std::uint8_t { kept, left_out };
// Will a scope be reversed? If so its loops keep their carried values.
enum class Purpose : std::uint8_t { value, reverse };

class Scope {
 public:
  // `outer` is the scope of the region around this one in the same function. All outlive the scope.
  Scope(Inserter& inserter, const Region& region, const Activity& activity, const Scope* outer, Purpose purpose,
        Effects effects)
      : inserter_(inserter),
        region_(region),
        activity_(activity),
        outer_(outer),
        purpose_(purpose),
        effects_(effects) {}

  void give(NodeId original, NodeId value) { values_[original] = {value}; }
  bool compute();
  bool reverse();

  // Adds to the cotangent of a result of a node of the function, brought to the layout that its type asks for.
  bool add(NodeId original, const MaybeHeld& cotangent, const Build& build, std::uint32_t result = 0);
  bool wants(NodeId original) const { return activity_.flags(original).active; }
  const Held* cotangent(NodeId original, std::uint32_t result = 0) const;

  NodeId here(NodeId original) const;
  // The copy here of a node of the function; a scalar that is a constant is known.
  Held value(NodeId original) const;
  std::vector<NodeId> results() const;
  const Activity& activity() const { return activity_; }

 private:
  using Cotangents = std::map<std::pair<NodeId, std::uint32_t>, Held>;

  bool is_computed_here(NodeId original) const;
  const std::vector<NodeId>* held(NodeId original) const;
  std::vector<NodeId> all_here(const std::vector<NodeId>& originals) const;
  // Computes a region inside a node that is being made.
  bool copy_region(const Region& from, Region& to, Scope& inner) const;
  void emit(NodeId original, std::vector<ArrayType> types, decltype(Node::body) body);

  bool compute(NodeId id, const Node& node, const Parameter& body);
  bool compute(NodeId id, const Node& node, const Input& body);
  bool compute(NodeId id, const Node& node, const Compute& body);
  bool compute(NodeId id, const Node& node, const Redistribute& body);
  bool compute(NodeId id, const Node& node, const Call& body);
  bool compute(NodeId id, const Node& node, const Loop& body);
  bool compute(NodeId id, const Node& node, const If& body);
  bool compute(NodeId id, const Node& node, const Again& body);
  bool compute(NodeId id, const Node& node, const Element& body);

  bool reverse(NodeId id, const Node& node, const Parameter& body);
  bool reverse(NodeId id, const Node& node, const Input& body);
  bool reverse(NodeId id, const Node& node, const Compute& body);
  bool reverse(NodeId id, const Node& node, const Redistribute& body);
  bool reverse(NodeId id, const Node& node, const Call& body);
  bool reverse(NodeId id, const Node& node, const Loop& body);
  bool reverse(NodeId id, const Node& node, const If& body);
  bool reverse(NodeId id, const Node& node, const Again& body);
  bool reverse(NodeId id, const Node& node, const Element& body);

  struct Turn;
  struct Branch;
  bool seed(Scope& inner, NodeId id, const std::vector<NodeId>& results, const Build& build) const;
  bool hand_over(const Scope& inner, const Build& build);
  // The cotangents that a reversed scope leaves to the values around it.
  Cotangents left_over() const { return cotangents_; }
  bool stack_carried(NodeId id, const Node& node, const Loop& body);
  std::optional<Turn> turn(const Loop& body, const std::vector<NodeId>& stacks, const Held& index,
                           const std::map<std::size_t, NodeId>& cotangents, const Build& build) const;
  std::optional<std::map<std::size_t, Held>> carried_cotangents(NodeId id, const Loop& body, const Build& build);
  bool unturned(NodeId id, const Loop& body, const Build& build);
  bool reverse_loop(NodeId id, const Loop& body, const Build& build);
  std::optional<Branch> branch(NodeId id, const Region& region, const Build& build) const;

  Inserter& inserter_;
  Region region_;
  const Activity& activity_;
  const Scope* outer_;
  Purpose purpose_;
  Effects effects_;
  std::map<NodeId, std::vector<NodeId>> values_;    // by node of the function, a node for each result
  std::map<NodeId, std::vector<NodeId>> stacks_;    // of a loop: its carried values of all turns
  std::map<NodeId, std::unique_ptr<Scope>> calls_;  // computed inside this one
  Cotangents cotangents_;
};

// The contributions of one operation to the cotangents of its operands: rules.cpp.
bool reverse_operation(Scope& scope, const Build& build, const Compute& compute, NodeId id, const Held& cotangent);

// The type of the cotangents of values of this type, where nothing is pending.
std::optional<ArrayType> whole_cotangent(Inserter& inserter, Span span, const ArrayType& type);
// A cotangent in the layout that values of this type ask for.
MaybeHeld bring(const Build& build, const MaybeHeld& cotangent, const ArrayType& type);

}  // namespace tessera::typeck::gradient
