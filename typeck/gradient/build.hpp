// Emits the operations that a derivative is made of, one after the other: each gives nothing where an operand is
// nothing (what was wrong was reported), so that formulas read as formulas. Layouts follow the inserter's rules.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck::gradient {

// The layout of an array's splits, without what is pending.
Want want_splits(const ArrayType& type);

class Build {
 public:
  // `who` asks for redistributions, at the span of the forward operation.
  Build(Inserter& inserter, Span span, std::string who) : inserter_(inserter), span_(span), who_(std::move(who)) {}

  Inserter& inserter() const { return inserter_; }
  Span span() const { return span_; }
  const std::string& who() const { return who_; }

  // Elementwise; the result has the last operand's element type.
  MaybeHeld map(synth::MapOp op, std::initializer_list<MaybeHeld> operands, const Want& want = {}) const;
  // Comparisons, and below what has no slope, are flat: a gradient of this gradient does not ask after them.
  MaybeHeld compare(synth::MapOp op, const MaybeHeld& a, const MaybeHeld& b) const;
  MaybeHeld cast(const MaybeHeld& a, ElementType element) const;
  MaybeHeld add(const MaybeHeld& a, const MaybeHeld& b) const { return map(synth::MapOp::add, {a, b}); }
  MaybeHeld subtract(const MaybeHeld& a, const MaybeHeld& b) const { return map(synth::MapOp::subtract, {a, b}); }
  MaybeHeld multiply(const MaybeHeld& a, const MaybeHeld& b) const { return map(synth::MapOp::multiply, {a, b}); }
  MaybeHeld divide(const MaybeHeld& a, const MaybeHeld& b) const { return map(synth::MapOp::divide, {a, b}); }
  MaybeHeld negate(const MaybeHeld& a) const { return map(synth::MapOp::negate, {a}); }
  MaybeHeld flat(synth::MapOp op, const MaybeHeld& a) const { return inserter_.flat(map(op, {a})); }
  MaybeHeld select(const MaybeHeld& condition, const MaybeHeld& a, const MaybeHeld& b) const {
    return map(synth::MapOp::select, {condition, a, b});
  }
  // A number of the element type and on the mesh of a.
  MaybeHeld number(double value, const MaybeHeld& a) const;

  MaybeHeld reduce(synth::ReduceKind kind, const MaybeHeld& a, const std::vector<std::size_t>& dimensions) const;
  // Repeated to the shape of `like`, split as it is.
  MaybeHeld repeated(const MaybeHeld& a, const ArrayType& like) const;
  // Summed to a shape that broadcasts to a's.
  MaybeHeld summed_to(const MaybeHeld& a, const Shape& shape) const;
  // With dimensions of extent 1 at these positions of the result, ascending.
  MaybeHeld with_unit_dimensions(const MaybeHeld& a, const std::vector<std::size_t>& positions) const;
  MaybeHeld finished(const MaybeHeld& a) const;
  // Zeros of a type; pending axes hold what adds nothing.
  MaybeHeld zeros(const ArrayType& type) const;

 private:
  Inserter& inserter_;
  Span span_;
  std::string who_;
};

}  // namespace tessera::typeck::gradient
