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
Want want_splits(const ArrayType& type);

class Build {
 public:
  // `who` asks for redistributions, at the span of the forward operation.
  Build(Checker& checker, Span span, std::string who) : checker_(checker), span_(span), who_(std::move(who)) {}

  Checker& checker() const { return checker_; }
  Span span() const { return span_; }
  const std::string& who() const { return who_; }

  // Elementwise; the result has the last operand's element type.
  Maybe map(synth::MapOp op, std::initializer_list<Maybe> operands, const Want& want = {}) const;
  // Comparisons, and below what has no slope, are flat: a gradient of this gradient does not ask after them.
  Maybe compare(synth::MapOp op, const Maybe& a, const Maybe& b) const;
  Maybe cast(const Maybe& a, ElementType element) const;
  Maybe add(const Maybe& a, const Maybe& b) const { return map(synth::MapOp::add, {a, b}); }
  Maybe subtract(const Maybe& a, const Maybe& b) const { return map(synth::MapOp::subtract, {a, b}); }
  Maybe multiply(const Maybe& a, const Maybe& b) const { return map(synth::MapOp::multiply, {a, b}); }
  Maybe divide(const Maybe& a, const Maybe& b) const { return map(synth::MapOp::divide, {a, b}); }
  Maybe negate(const Maybe& a) const { return map(synth::MapOp::negate, {a}); }
  Maybe flat(synth::MapOp op, const Maybe& a) const { return checker_.flat(map(op, {a})); }
  Maybe select(const Maybe& condition, const Maybe& a, const Maybe& b) const {
    return map(synth::MapOp::select, {condition, a, b});
  }
  // A number of the element type and on the mesh of a.
  Maybe number(double value, const Maybe& a) const;

  Maybe reduce(synth::ReduceKind kind, const Maybe& a, const std::vector<std::size_t>& dimensions) const;
  // Repeated to the shape of `like`, split as it is.
  Maybe repeated(const Maybe& a, const ArrayType& like) const;
  // Summed to a shape that broadcasts to a's.
  Maybe summed_to(const Maybe& a, const Shape& shape) const;
  // With dimensions of extent 1 at these positions of the result, ascending.
  Maybe with_unit_dimensions(const Maybe& a, const std::vector<std::size_t>& positions) const;
  Maybe finished(const Maybe& a) const;
  // Zeros of a type; pending axes hold what adds nothing.
  Maybe zeros(const ArrayType& type) const;

 private:
  Checker& checker_;
  Span span_;
  std::string who_;
};

}  // namespace tessera::typeck::gradient
