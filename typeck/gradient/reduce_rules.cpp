// Derivatives of reductions.
#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

using synth::MapOp;
using synth::ReduceKind;

std::vector<std::size_t> positions(const synth::Reduce& reduce) {
  return {reduce.dimensions.begin(), reduce.dimensions.end()};
}

// The greatest elements of a group, if there are several, share evenly.
void reverse_extreme(const Reversal& r, const synth::Reduce& reduce) {
  const Build& b = r.build;
  const Use a = r.operand(0);
  const Use extreme = b.with_unit_dimensions(b.finished(r.result()), positions(reduce));
  const Use is_extreme = b.cast(b.compare(MapOp::equal, a, extreme), r.type(0).element());
  const Use count = b.finished(b.reduce(ReduceKind::sum, is_extreme, positions(reduce)));
  const Use share = b.with_unit_dimensions(b.divide(r.g, count), positions(reduce));
  return r.give(0, b.multiply(is_extreme, share));
}

// With P the product of the elements that are not zero: without a zero g*P/a, with one g*P there, with more nothing.
void reverse_product(const Reversal& r, const synth::Reduce& reduce) {
  const Build& b = r.build;
  const Use a = r.operand(0);
  const Use one = b.number(1, a);
  const Use zero = b.number(0, a);
  const Use is_zero = b.compare(MapOp::equal, a, zero);
  const Use others = b.select(is_zero, one, a);
  const Use product = b.reduce(ReduceKind::product, others, positions(reduce));
  const Use zeros = b.reduce(ReduceKind::sum, b.cast(is_zero, r.type(0).element()), positions(reduce));
  const Use scaled = b.with_unit_dimensions(b.multiply(r.g, product), positions(reduce));
  const Use count = b.with_unit_dimensions(zeros, positions(reduce));
  const Use with_one = b.select(is_zero, scaled, zero);
  const Use with_some = b.select(b.compare(MapOp::equal, count, one), with_one, zero);
  return r.give(0, b.select(b.compare(MapOp::equal, count, zero), b.divide(scaled, others), with_some));
}

}  // namespace

void reverse_reduce(const Reversal& r, const synth::Reduce& reduce) {
  switch (reduce.kind) {
    case ReduceKind::sum:
      return r.give(0, r.build.repeated(r.build.with_unit_dimensions(r.g, positions(reduce)), r.operand(0)));
    case ReduceKind::product: return reverse_product(r, reduce);
    case ReduceKind::max:
    case ReduceKind::min: return reverse_extreme(r, reduce);
  }
}

}  // namespace tessera::typeck::gradient
