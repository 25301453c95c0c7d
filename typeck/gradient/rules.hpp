// One rule for each operation: what the cotangent g of its result contributes to the cotangents of its operands.
// Private to typeck/gradient/.
#pragma once

#include "typeck/gradient/scope.hpp"

namespace tessera::typeck::gradient {

// One operation that is being reversed.
struct Reversal {
  Scope& scope;
  const Build& build;
  const open::Compute& compute;
  ValueId id;  // the operation
  Use g;       // the cotangent of its result
  bool goes_home;
  mutable std::map<std::size_t, Use> used = {};  // operands that were asked for

  Graph& graph() const { return build.graph(); }
  bool wants(std::size_t operand) const { return scope.wants(compute.operands[operand]); }
  // The operand as the operation had it.
  Use operand(std::size_t k) const;
  Use result() const { return scope.value(id); }
  // The operand's type, with elements as they are computed.
  open::Type type(std::size_t operand) const;
  // Adds a contribution to the operand's cotangent, if it has one.
  void give(std::size_t operand, const Use& contribution) const;
};

void reverse_map(const Reversal& r, synth::MapOp op);                 // map_rules.cpp
void reverse_reduce(const Reversal& r, const synth::Reduce& reduce);  // reduce_rules.cpp
void reverse_scan(const Reversal& r, const synth::Scan& scan);        // scan_rules.cpp
void reverse_recur(const Reversal& r, const synth::Recur& recur);
void reverse_contract(const Reversal& r, const synth::Contract& contract);  // contract_rules.cpp
void reverse_matrix(const Reversal& r, synth::MatrixOp op);                 // matrix_rules.cpp
void reverse_fourier(const Reversal& r, const synth::Fourier& fourier);     // fourier_rules.cpp
// 0, 1, 2, ... along one dimension, the others of extent 1.
Use numbers_along(const Build& build, const open::Type& like, std::size_t dimension);  // contract_rules.cpp
void reverse_take(const Reversal& r);                                                  // move_rules.cpp
void reverse_scatter_add(const Reversal& r);
// Of elements put in order: `positions` gives those where they were.
void reverse_order(const Reversal& r, const synth::Operation& positions);
// Of what moves elements, and of what changes layouts: `insert` takes the same way back.
void reverse_moves(const Reversal& r);
void reverse_pad(const Reversal& r);

}  // namespace tessera::typeck::gradient
