// Derivatives of running sums and products.
#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

using synth::MapOp;
using synth::ReduceOp;
using synth::Scan;

Use scanned(const Build& b, const Use& a, const Scan& scan) {
  const Use whole = b.finished(a);
  return b.compute(b.graph().type(whole), synth::Operation(scan), {whole});
}

// The sums from the other end.
Use sums_back(const Build& b, const Use& a, const Scan& scan) {
  return scanned(b, a, {scan.dimension, !scan.reverse, ReduceOp::sum});
}

// In front of a line's first zero an element gets the sum, from there on, of g*out, over itself. The first zero gets
// the same sum with 1 in its own place, and nothing behind it reaches a product.
void reverse_products(const Reversal& r, const Scan& scan) {
  const Build& b = r.build;
  const Use a = r.operand(0);
  const Use zero = b.number(0, a);
  const Use one = b.number(1, a);
  const Use is_zero = b.compare(MapOp::equal, a, zero);
  const Use zeros = scanned(b, b.cast(is_zero, synth::ElementType::i64), {scan.dimension, scan.reverse, ReduceOp::sum});
  const Use is_in_front = b.compare(MapOp::equal, zeros, b.number(0, zeros));
  const Use is_first = b.map(MapOp::logical_and, {is_zero, b.compare(MapOp::equal, zeros, b.number(1, zeros))});
  const Use without = scanned(b, b.select(is_first, one, a), scan);
  const Use in_front = b.divide(sums_back(b, b.multiply(r.g, r.result()), scan), b.select(is_zero, one, a));
  const Use at_first = b.select(is_first, sums_back(b, b.multiply(r.g, without), scan), zero);
  r.give(0, b.select(is_in_front, in_front, at_first));
}

}  // namespace

void reverse_scan(const Reversal& r, const Scan& scan) {
  switch (scan.op) {
    case ReduceOp::sum: return r.give(0, sums_back(r.build, r.g, scan));
    case ReduceOp::product: return reverse_products(r, scan);
    case ReduceOp::max:
    case ReduceOp::min: return;  // the way ends here: activity.cpp
  }
}

}  // namespace tessera::typeck::gradient
