// Emits the operations that a derivative is made of, one after the other: each gives nothing where an operand is
// nothing (what was wrong was reported), so that formulas read as formulas. Layouts follow the checker's rules.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "typeck/checker/checker.hpp"

namespace tessera::typeck::gradient {

// The layout of an array's splits, without what is pending.
Preference want_splits(const ArrayType& type);

class Build {
 public:
  // `who` asks for redistributions, at the span of the forward operation.
  Build(Checker& checker, Span span, std::string who) : checker_(checker), span_(span), who_(std::move(who)) {}

  Checker& checker() const { return checker_; }
  Span span() const { return span_; }
  const std::string& who() const { return who_; }

  // Elementwise; the result has the last operand's element type.
  MaybeValue map(synth::MapOp op, std::initializer_list<MaybeValue> operands, const Preference& want = {}) const;
  // Comparisons, and below what has no slope, are flat: a gradient of this gradient does not ask after them.
  MaybeValue compare(synth::MapOp op, const MaybeValue& a, const MaybeValue& b) const;
  MaybeValue cast(const MaybeValue& a, ElementType element) const;
  MaybeValue add(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::add, {a, b}); }
  MaybeValue subtract(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::subtract, {a, b}); }
  MaybeValue multiply(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::multiply, {a, b}); }
  MaybeValue divide(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::divide, {a, b}); }
  MaybeValue negate(const MaybeValue& a) const { return map(synth::MapOp::negate, {a}); }
  MaybeValue flat(synth::MapOp op, const MaybeValue& a) const { return checker_.flat(map(op, {a})); }
  MaybeValue select(const MaybeValue& condition, const MaybeValue& a, const MaybeValue& b) const {
    return map(synth::MapOp::select, {condition, a, b});
  }
  // A number of the element type and on the mesh of a.
  MaybeValue number(double value, const MaybeValue& a) const;

  MaybeValue reduce(synth::ReduceKind kind, const MaybeValue& a, const std::vector<std::size_t>& dimensions) const;
  // Repeated to the shape of `like`, split as it is.
  MaybeValue repeated(const MaybeValue& a, const ArrayType& like) const;
  // Summed to a shape that broadcasts to a's.
  MaybeValue summed_to(const MaybeValue& a, const Shape& shape) const;
  // With dimensions of extent 1 at these positions of the result, ascending.
  MaybeValue with_unit_dimensions(const MaybeValue& a, const std::vector<std::size_t>& positions) const;
  MaybeValue finished(const MaybeValue& a) const;
  // Zeros of a type; pending axes hold what adds nothing.
  MaybeValue zeros(const ArrayType& type) const;

 private:
  Checker& checker_;
  Span span_;
  std::string who_;
};

}  // namespace tessera::typeck::gradient
