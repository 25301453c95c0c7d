// A cotangent on its way from an operation back to one of its operands, along the typed nodes that the operation was
// closed to: what was moved there moves back. Private to typeck/insert/.
//
// So `w[0:4] @ x` with w split over data was closed to a part of w and an all_gather for `@`. The cotangent of
// what
// `@` used is brought to the layout of the part, the transpose of the all_gather; then its elements are laid into zeros
// that lie as w does.
#pragma once

#include <optional>
#include <string>

#include "typeck/insert/typed_operations.hpp"

namespace tessera::typeck {

// The layout of an array's splits, without what is pending.
Want want_splits(const ArrayType& type);
// The type of the cotangents of values of this type, where nothing is pending.
std::optional<ArrayType> whole_cotangent(TypedOperations& graph, Span span, const ArrayType& type);
// Zeros of a type; pending axes hold what adds nothing.
Held zeros_of(TypedOperations& graph, Span span, const ArrayType& type);

class WayBack {
 public:
  // `end` is the operand; of the operands of what lays parts side by side or over each other it has this number.
  WayBack(TypedOperations& graph, NodeId end, std::optional<std::size_t> part)
      : graph_(graph), end_(end), part_(part) {}

  // A cotangent, the node that it is of, and who brought it there.
  struct Reached {
    MaybeHeld cotangent;
    NodeId at;
    Span span;
    std::string who;
  };
  MaybeHeld to_end(MaybeHeld cotangent, NodeId from);
  // To the end, or to a change of layout that comes before it.
  Reached to_change(Reached reached);
  // The same after one step.
  Reached on_to_change(const MaybeHeld& cotangent, NodeId from);
  // A cotangent in the layout that values of this type ask for.
  static MaybeHeld bring(TypedOperations& graph, Span span, const std::string& who, const MaybeHeld& cotangent,
                         const ArrayType& type);

 private:
  struct Step;
  Reached step(const MaybeHeld& cotangent, NodeId at);
  std::size_t operand_of(const Compute& compute);

  TypedOperations& graph_;
  NodeId end_;
  std::optional<std::size_t> part_;
};

}  // namespace tessera::typeck
