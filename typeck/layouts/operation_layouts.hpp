// The layouts of one node of an open program, by the rules of the language: what its operands are changed to, and how
// its results are made.
#pragma once

#include <optional>
#include <vector>

#include "synth/moves/collective/collective.hpp"
#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class OperationLayouts {
 public:
  OperationLayouts(Greedy& greedy, Reports& reports) : greedy_(greedy), reports_(reports) {}

  using Found = std::optional<NodeLayouts>;  // nothing where something is wrong, which is reported
  // `want`: what the text around the node wants of its result.
  Found compute(const open::Node& node, const open::Compute& body, const std::vector<Operand>& operands,
                const Want& want);
  // `as`, an annotation, a declared result.
  Found written(const open::Node& node, const open::As& body, const Operand& operand);
  // The way of an argument to the layout that its parameter declares, if it does.
  std::optional<Changes> argument(const open::Instance& callee, const open::Instance::Parameter& parameter,
                                  const open::Type& type, const Operand& operand);
  // The way of a result of a branch to the layout that it has in the other one.
  static Changes joined(base::Span span, const Operand& other, const synth::ArrayType& type);

 private:
  Greedy& greedy_;
  Reports& reports_;
};

// What the text around a node wants of its result, if it says it by a layout.
Want want_of(const open::Node& node);
// Operations of gradients lie as other values do, and are found when those were inserted.
bool lies_as_others(const open::Operation& operation);
// A collective that the text names, and `target` if it names a type.
synth::Collective collective_of(const open::ByHand& step, const std::optional<synth::ArrayType>& target);
// Are the numbers of such a constructor made as f32 where the type stores them?
bool computes_numbers(const synth::Operation& operation);

}  // namespace tessera::typeck
