// Derivatives of what moves elements: the same elements move back, and those that went to one place are added.
#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

// The last operand first: what lies on others is taken back before what it covers.
void reverse_moves(const Reversal& r) {
  for (std::size_t k = r.compute.operands.size(); k-- > 0;) r.give(k, r.g);
}

// The array lies on what it is padded with.
void reverse_pad(const Reversal& r) {
  r.give(0, r.g);
  r.give(1, r.g);
}

namespace {

Use like_operand(const Reversal& r, synth::Operation operation, const Use& ids) {
  const Use like = r.operand(0);
  const Use made = r.build.compute(r.type(0), std::move(operation), {r.g, ids});
  r.graph().wish(made, like.value);
  return made;
}

}  // namespace

// Rows are added where they were taken from. Split ids leave a pending sum; a table split by rows takes its own.
void reverse_take(const Reversal& r) { r.give(0, like_operand(r, synth::ScatterAdd{}, r.operand(1))); }
void reverse_scatter_add(const Reversal& r) { r.give(0, like_operand(r, synth::Take{}, r.operand(1))); }

// Along each line every element goes back to where it was, which the operand says again. Positions have no derivative.
void reverse_order(const Reversal& r, const synth::Operation& positions) {
  const open::Type result = r.graph().type(r.result());
  const open::Type type(synth::ElementType::i64, result.shape(), result.mesh_ref());
  const Use places = r.graph().flat(r.build.compute(type, positions, {r.operand(0)}));
  r.give(0, like_operand(r, synth::ScatterAdd{}, places));
}

}  // namespace tessera::typeck::gradient
