// One rule for each operation: what the cotangent g of its result contributes to the cotangents of its operands.
// Private to typeck/gradient/.
#pragma once

#include "typeck/gradient/scope.hpp"

namespace tessera::typeck::gradient {

// One operation that is being reversed.
struct Reversal {
  Scope& scope;
  const Build& build;
  const Compute& compute;
  NodeId id;  // the operation
  Held g;     // the cotangent of its result

  bool wants(std::size_t operand) const { return scope.wants(compute.operands[operand]); }
  Held operand(std::size_t k) const { return scope.value(compute.operands[k]); }
  Held result() const { return scope.value(id); }
  // A copy: nodes move when others are made.
  ArrayType type(std::size_t operand) const { return build.inserter().type(scope.here(compute.operands[operand])); }
  bool give(std::size_t operand, const MaybeHeld& contribution) const {
    return scope.add(compute.operands[operand], contribution, build);
  }
};

bool reverse_map(const Reversal& r, synth::MapOp op);                       // map_rules.cpp
bool reverse_reduce(const Reversal& r, const synth::Reduce& reduce);        // reduce_rules.cpp
bool reverse_contract(const Reversal& r, const synth::Contract& contract);  // contract_rules.cpp
bool reverse_take(const Reversal& r);                                       // move_rules.cpp
bool reverse_scatter_add(const Reversal& r);
bool reverse_cumsum(const Reversal& r, const synth::Cumsum& cumsum);
bool reverse_transpose(const Reversal& r, const synth::Transpose& transpose);
bool reverse_reshape(const Reversal& r);
bool reverse_assemble(const Reversal& r, const synth::Assemble& assemble);
bool reverse_fill(const Reversal& r);

}  // namespace tessera::typeck::gradient
