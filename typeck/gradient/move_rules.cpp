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

Use like_operand(const Reversal& r, synth::Operation operation) {
  const Use like = r.operand(0);
  const Use made = r.build.compute(r.type(0), std::move(operation), {r.g, r.operand(1)});
  r.graph().wish(made, like.value);
  return made;
}

}  // namespace

// Rows are added where they were taken from. Split ids leave a pending sum; a table split by rows takes its own.
void reverse_take(const Reversal& r) { r.give(0, like_operand(r, synth::ScatterAdd{})); }
void reverse_scatter_add(const Reversal& r) { r.give(0, like_operand(r, synth::Take{})); }

}  // namespace tessera::typeck::gradient
