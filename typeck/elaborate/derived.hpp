// Formulas of operations that are made of others. Private to typeck/elaborate/.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

// Each step gives nothing where an operand is nothing (what was wrong was reported), so that formulas read as formulas.
class Formula {
 public:
  explicit Formula(OperationCall& call) : call_(call) {}

  // Elementwise; the result has the last operand's element type if none is given.
  MaybeValue map(synth::MapOp op, const std::vector<MaybeValue>& operands,
                 std::optional<ElementType> element = {}) const;
  MaybeValue compare(synth::MapOp op, const MaybeValue& a, const MaybeValue& b) const {
    return map(op, {a, b}, ElementType::boolean);
  }
  // A comparison by which a formula chooses between two ways to one function: for gradients it is a constant.
  MaybeValue condition(synth::MapOp op, const MaybeValue& a, const MaybeValue& b) const {
    return flat(compare(op, a, b));
  }
  MaybeValue flat(const MaybeValue& a) const;
  MaybeValue add(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::add, {a, b}); }
  MaybeValue subtract(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::subtract, {a, b}); }
  MaybeValue multiply(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::multiply, {a, b}); }
  MaybeValue divide(const MaybeValue& a, const MaybeValue& b) const { return map(synth::MapOp::divide, {a, b}); }
  MaybeValue negate(const MaybeValue& a) const { return map(synth::MapOp::negate, {a}); }
  MaybeValue select(const MaybeValue& c, const MaybeValue& a, const MaybeValue& b) const {
    return map(synth::MapOp::select, {c, a, b});
  }
  // A number of the element type that a is computed in.
  MaybeValue number(double value, const MaybeValue& like) const;
  // With a dimension of extent 1 more, at this place; with several, ascending, of the result.
  MaybeValue with_dimension(const MaybeValue& a, std::size_t dimension) const;
  MaybeValue with_dimensions(MaybeValue a, const std::vector<std::size_t>& ascending) const;
  MaybeValue sum(const MaybeValue& a, const std::vector<std::size_t>& dimensions) const;
  MaybeValue finished(const MaybeValue& a) const;

 private:
  OperationCall& call_;
};

// `abs` and `exp` of complex numbers (complex.cpp), and what they are made of (curves.cpp): of two floats that lie
// alike sqrt(a^2 + b^2), and the angle of the point (x, y).
MaybeValue absolute_of_complex(OperationCall& call, const Checked& a);
MaybeValue square_of_complex(OperationCall& call, const Checked& a);  // of the size: re^2 + im^2
MaybeValue exponential_of_complex(OperationCall& call, const Checked& a);
// Something linear, of each of the parts.
MaybeValue of_both_parts(OperationCall& call, const Checked& a, const std::function<Checked(const Checked&)>& of_part);
MaybeValue hypotenuse(const Formula& f, const MaybeValue& a, const MaybeValue& b);
MaybeValue angle_of(const Formula& f, const MaybeValue& y, const MaybeValue& x);

// The first operand, finished, of floats.
MaybeValue float_array(OperationCall& call);
// Operands of one element type: a literal takes it from the first that is none (maps.cpp).
std::optional<std::vector<Checked>> alike(OperationCall& call, const std::vector<std::size_t>& parameters);

// `where=` and ranges of run time: the mask in the shape of a; and a with what changes nothing in its reduction where
// the mask does not hold, or a itself without a mask.
std::optional<Checked> mask(OperationCall& call, const Checked& a);
MaybeValue masked(OperationCall& call, const Checked& a, synth::ReduceKind kind);

}  // namespace tessera::typeck
