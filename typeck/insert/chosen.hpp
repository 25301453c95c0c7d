// Takes a choice of layouts over: the typed nodes of an `auto fn`, each operation at its types, each copy once, where
// the value is that it is a copy of. Private to typeck.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "typeck/insert/redistributions.hpp"
#include "typeck/layouts/chosen.hpp"

namespace tessera::typeck {

class ChosenInserter {
 public:
  // All of them outlive it. `who` and `because` are the function, for reasons.
  ChosenInserter(Redistributions& graph, const WholeFunction& whole, const ChosenProblem& chosen,
                 const synth::LayoutChoice& choice, std::string who, Span because)
      : graph_(graph), whole_(whole), chosen_(chosen), choice_(choice), who_(std::move(who)), because_(because) {}

  InstanceId run() { return instance(chosen_.top()); }
  // The node that a node of the function itself, or of a function that it calls once, has become; not valid where it is
  // not computed, or in several instances.
  NodeId made_of(NodeId node) const;

 private:
  // What is made of one function's body.
  struct Body {
    const ChosenBody* problem = nullptr;
    Region* region = nullptr;                                 // its outermost
    std::map<NodeId, NodeId> made;                            // of every whole node
    std::map<NodeId, Region*> homes;                          // where a made node is computed
    std::map<std::pair<NodeId, std::size_t>, NodeId> copies;  // of a made node, by a conversion
    std::map<std::pair<NodeId, std::size_t>, NodeId> joined;  // a made node, by a join
  };

  InstanceId instance(const ChosenBody& body);
  void region(const Region& nodes, Region& made);
  void node(NodeId id, const Parameter& body);
  void node(NodeId id, const Input& body);
  void node(NodeId id, const Compute& body);
  void node(NodeId id, const Redistribute& body);
  void node(NodeId id, const Call& body);
  void node(NodeId id, const Loop& body);
  void node(NodeId id, const If& body);
  void node(NodeId id, const Again& body);
  void node(NodeId id, const Element& body);

  std::vector<ArrayType> types_of(NodeId id) const;
  NodeId emit(NodeId id, std::vector<ArrayType> types, decltype(Node::body) body);
  NodeId parameter(NodeId id, Region& home);
  void keep(NodeId id, NodeId made) { body_->made[id] = made; }
  // The node that a whole node has become, as it is made.
  NodeId made(NodeId id);
  // A whole node where it is used: as it is made or a copy, in the layout that is wanted.
  NodeId taken(NodeId id, const ChosenUseAt& at, Span reader);
  NodeId taken(NodeId reader, std::size_t number, NodeId id);
  // A node in the layout that a join has, which its readers take it from.
  NodeId joined(NodeId made, const std::pair<std::size_t, std::size_t>& join, Span reader);
  NodeId copy(NodeId made, std::size_t conversion, Span reader);
  NodeId convert(NodeId from, const ArrayType& to, Region& home, Span reader);
  synth::LiteralId literal(synth::LiteralId own);
  synth::StringId string(synth::StringId own);
  synth::Operation carried_over(synth::Operation operation);

  Redistributions& graph_;
  const WholeFunction& whole_;
  const ChosenProblem& chosen_;
  const synth::LayoutChoice& choice_;
  std::string who_;
  Span because_;
  Body* body_ = nullptr;
  Region* region_ = nullptr;
  std::map<const ChosenBody*, InstanceId> instances_;
  std::map<NodeId, std::vector<NodeId>> all_made_;
  std::map<synth::LiteralId, synth::LiteralId> literals_;
  std::map<synth::StringId, synth::StringId> strings_;
};

}  // namespace tessera::typeck
