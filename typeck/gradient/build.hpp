// Emits the operations that a derivative is made of, one after the other, so that formulas read as formulas. How they
// lie is found when the program is closed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "typeck/gradient/graph.hpp"

namespace tessera::typeck::gradient {

class Build {
 public:
  // `who` asks for changes of layout, at the span of the forward operation.
  Build(Graph& graph, Span span, std::string who) : graph_(graph), span_(span), who_(std::move(who)) {}

  Graph& graph() const { return graph_; }
  Span span() const { return span_; }
  const std::string& who() const { return who_; }

  Use compute(const open::Type& type, open::Operation operation, std::vector<Use> operands) const {
    return graph_.compute(span_, type, std::move(operation), std::move(operands), who_);
  }
  // Elementwise; the result has the last operand's element type.
  Use map(synth::MapOp op, const std::vector<Use>& operands) const;
  // Comparisons, and below what has no slope, are flat: a gradient of this gradient does not ask after them.
  Use compare(synth::MapOp op, const Use& a, const Use& b) const;
  Use cast(const Use& a, synth::ElementType element) const;
  // The same of a cotangent of what was cast: to a real type its real part.
  Use cast_back(const Use& a, synth::ElementType element) const;
  // Complex numbers of their parts, and these.
  Use complex(const Use& re, const Use& im) const;
  Use real(const Use& a) const;
  Use imaginary(const Use& a) const;
  Use add(const Use& a, const Use& b) const { return map(synth::MapOp::add, {a, b}); }
  Use subtract(const Use& a, const Use& b) const { return map(synth::MapOp::subtract, {a, b}); }
  Use multiply(const Use& a, const Use& b) const { return map(synth::MapOp::multiply, {a, b}); }
  Use divide(const Use& a, const Use& b) const { return map(synth::MapOp::divide, {a, b}); }
  Use negate(const Use& a) const { return map(synth::MapOp::negate, {a}); }
  Use flat(synth::MapOp op, const Use& a) const { return graph_.flat(map(op, {a})); }
  Use select(const Use& condition, const Use& a, const Use& b) const {
    return map(synth::MapOp::select, {condition, a, b});
  }
  // A number of the element type and on the mesh of a.
  Use number(double value, const Use& a) const;

  Use reduce(synth::ReduceKind kind, const Use& a, const std::vector<std::size_t>& dimensions) const;
  // Repeated to the shape of a value, split as it is.
  Use repeated(const Use& a, const Use& like) const;
  // Summed to a shape that broadcasts to a's.
  Use summed_to(const Use& a, const synth::Shape& shape) const;
  // With dimensions of extent 1 at these positions of the result, ascending.
  Use with_unit_dimensions(const Use& a, const std::vector<std::size_t>& positions) const;
  Use finished(const Use& a) const;
  // Zeros as a value lies, and a value as another one lies, in the element type of cotangents.
  Use zeros_as(const Use& like) const;
  Use finished_as(const Use& a, const Use& like) const;

 private:
  Use elementwise(synth::MapOp op, const std::vector<Use>& operands, synth::ElementType element) const;

  Graph& graph_;
  Span span_;
  std::string who_;
};

}  // namespace tessera::typeck::gradient
