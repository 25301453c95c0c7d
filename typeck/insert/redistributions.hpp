// The one place that makes a redistribution: values are brought to the types in which they are used. Private to typeck.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typeck/insert/body.hpp"
#include "typeck/insert/typed_graph.hpp"
#include "typeck/layouts/assignment.hpp"
#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class Redistributions : public TypedGraph {
 public:
  Redistributions(Environment& environment, synth::PlanCache& plans, const CheckOptions& options, Messages& messages)
      : TypedGraph(environment, options, messages), plans_(plans, options.stop, reports_) {}

  MaybeHeld redistribute(const Held& value, const ArrayType& target, Reason why,
                         const synth::PlanOptions& options = {});
  MaybeHeld resolve_pending(const Held& value, const std::string& who, Span asked_at);
  // The value on its way to where it is used.
  MaybeHeld brought(Held value, Changes way);
  bool allow_received(std::int64_t bytes, const Reason& why, Span span);
  void note_gather(const synth::Plan& plan, const Reason& why, Span span);
  Held widened(const Held& value);
  // Is the node that is being closed computed again as in its function?
  bool is_again() const { return again_ != 0; }
  // As the rules of layouts see it.
  Operand seen(const Held& value) const { return {type(value), value.span, value.known}; }
  std::vector<Operand> seen(const std::vector<Held>& values) const;
  // The operands, each on its way, in the type that an operation computes in.
  std::optional<std::vector<Held>> brought(std::vector<Held> operands, std::vector<Changes> uses, bool computes);
  // The same elements in the same order, in tiles that hold the same.
  Held reshaped(const Held& value, const ArrayType& result, Span span);
  // The same tiles under a type that is written differently (a split of extent 1 that cuts nothing away).
  Held retyped(const Held& value, const ArrayType& target) {
    return {reshaped(value, target, value.span).nodes, value.span, value.expr, value.known};
  }

 protected:
  Plans plans_;
  Greedy greedy_{plans_, reports_};
  Body* body_ = nullptr;  // what is being made
  bool is_local_ = false;
  std::uint32_t again_ = 0;  // of the node
  synth::Pass pass_there_ = synth::Pass::none;

  // What a value has become by a redistribution: in which region, and with which type.
  struct Move {
    ArrayType type;
    NodeId made;
    std::uint64_t region = 0;
    std::uint32_t again = 0;  // in which copy of a region
    synth::Pass pass = synth::Pass::none;
  };
  Move move_to(NodeId made) const;
  // Was it made in a region that the node which is being closed can see into?
  bool is_at_hand(const Move& move) const;

 private:
  // The same move made before, if there was one and its result may be kept: the value then moves only once.
  std::optional<NodeId> moved_before(NodeId source, const ArrayType& target) const;
  void note_moved(NodeId source, NodeId made);
  void note_inserted(const Held& value, const ArrayType& target);

  std::map<NodeId, std::vector<Move>> moves_;
};

}  // namespace tessera::typeck
