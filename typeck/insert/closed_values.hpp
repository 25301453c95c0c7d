// The typed nodes of an open program's values, in the bodies that are being made. Private to typeck.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "typeck/insert/typed_operations.hpp"
#include "typeck/open/messages.hpp"
#include "typeck/open/open.hpp"

namespace tessera::typeck {

class ClosedValues : public TypedOperations {
 public:
  // The program and the messages outlive it.
  ClosedValues(const open::Program& program, Environment& environment, synth::PlanCache& plans,
               const CheckOptions& options, Messages& messages);

  const open::Program& program() const { return program_; }
  Body& body() { return *body_; }
  // Null where the value was not made.
  const std::vector<NodeId>* nodes_of(open::ValueId value);
  // The value as it was made.
  MaybeHeld as_made(const open::Use& use);
  void keep(open::ValueId id, const MaybeHeld& value);
  void keep(open::ValueId id, std::vector<NodeId> nodes);

 protected:
  const open::Program& program_;
  Messages& messages_;
  Body top_;
  // Where a function is closed apart: the values around it.
  std::function<const std::vector<NodeId>*(open::ValueId)> from_around_;
  std::set<open::ValueId> asked_;                   // values that messages mention
  std::map<open::ValueId, ArrayType> asked_types_;  // theirs, as they were closed first
};

}  // namespace tessera::typeck
