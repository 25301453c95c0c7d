// A program whose layouts are to be chosen: operations with shapes and without layouts, on one mesh. It holds neither
// spans nor names; whoever hands it over keeps the numbers of its nodes and values.
//
// Example: y = x @ w, where x lies as f32[64@d, 32] and the layout of w is open, is three values and four nodes: a join
// without uses and with the pin [64@d, 32] that makes x, a join without uses or pin that makes w, the contraction that
// makes y, and a join without a result that uses y: somebody wants y finished.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/program/choice/lives.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

struct ChoiceValue {
  ElementType element = ElementType::f32;
  Shape shape;
};

struct ChoiceUse {
  ChoiceValueId value;
  // How often a copy that serves this use alone is made; nothing: as often as the value. A call among 24 of one
  // function that hands its result to the next is 23 uses of it.
  std::optional<double> executions = std::nullopt;
};

// An operation, or a join: a place where a layout is chosen and nothing is computed. All that a join uses is wanted in
// the layout that its result has.
//
// | in the program | is a join with |
// |---|---|
// | parameter, free or as its argument lies | a result; a pin, if it is not free |
// | parameter w, and the result `as w` | a result, and a use of the next value of w |
// | value that a loop carries | a result, and uses of its first value (executions: the loop's) and of the next one |
// | value of a branch | a result, and a use of each side's value |
// | parameter of a function whose calls are laid out alike | a result, and a use of every call's argument |
// | `e as T`, `let n: T`, a declared result | a pin; a result, if somebody reads it |
// | result without a layout, `print`, `save` | no result |
struct ChoiceNode {
  std::optional<Operation> operation;   // nothing: a join
  std::vector<ChoiceUse> uses;          // of an operation: its operands
  std::optional<ChoiceValueId> result;  // made by this node alone
  double executions = 1;                // how often the node runs, and its result is converted
  std::optional<Layout> pin;            // the layout of the result, or, without one, of what is used
  // May pending sums of floats pass through this product? The program says so, or its factor is a constant that cannot
  // overflow. Sums of integers always may (language.md, section 6, rule 3).
  bool scales_sums = false;
  // May this join's value be a pending sum? An accumulator that a loop carries may, say.
  bool may_be_pending = false;
};

// Nodes stand in program order: what a node uses is made by a node before it, but for joins, which may use values of
// later ones (the next value of a parameter).
struct ChoiceProblem {
  MeshRef mesh = Mesh::single_device();
  // The axes that are chosen, in all of their cuts. Other axes are used by pins alone.
  std::vector<std::size_t> axes;
  std::vector<ChoiceValue> values;
  std::vector<ChoiceNode> nodes;
  // When values are in memory, so that what devices hold limits a choice; empty: nobody says.
  std::vector<ChoiceLife> lives;

  ChoiceValueId add(ElementType element, const Shape& shape);
  const ChoiceValue& operator[](ChoiceValueId id) const { return values[id.value]; }
};

// Throws InternalError where the problem breaks what is said above: a value without a maker or with two, a use of what
// comes later, an effect or a collective as an operation, an axis that the mesh does not have.
void check_problem(const ChoiceProblem& problem);

// The type of a value in a layout; nothing where it cannot have that one (an array of f16 holds no pending sum).
std::optional<ArrayType> type_in(const ChoiceProblem& problem, ChoiceValueId value, const Layout& layout);

}  // namespace tessera::synth
