// Derivatives of running sums and products, and of recurrences.
#include <numeric>

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

namespace {

// The elements one position further along a dimension, the last one first; or one position back, the first one last.
Use moved_on(const Build& b, const Use& a, std::size_t dimension, bool back) {
  const open::Type type = b.graph().type(a);
  const std::int64_t extent = type.shape()[dimension];
  if (extent < 2) return a;
  return b.compute(type, open::Roll{dimension, back ? extent - 1 : 1}, {a});
}

// y of the position before, 0 in front of the first one.
Use before_each(const Build& b, const Use& y, const synth::Recur& recur) {
  const open::Type type = b.graph().type(y);
  if (type.shape()[recur.dimension] == 0) return y;
  open::Update first;
  for (const std::int64_t extent : type.shape()) first.dimensions.push_back({0, extent, 1, false});
  first.dimensions[recur.dimension] = {recur.reverse ? type.shape()[recur.dimension] - 1 : 0, 1, 1, false};
  std::vector<std::size_t> all(type.rank());
  std::iota(all.begin(), all.end(), 0);
  return b.compute(type, first,
                   {moved_on(b, y, recur.dimension, recur.reverse), b.with_unit_dimensions(b.number(0, y), all)});
}

}  // namespace

// What b gets goes back from the other end: g here, and a of the next position times what that gets. It is a's, times
// the y before.
void reverse_recur(const Reversal& r, const synth::Recur& recur) {
  const Build& b = r.build;
  const open::Type type = b.graph().type(r.result());
  const Use a = r.operand(0);
  const open::Type own = b.graph().type(a);
  const std::size_t missing = type.rank() - own.rank();
  const bool repeats = recur.dimension < missing || own.shape()[recur.dimension - missing] == 1;
  const Use next = repeats ? a : moved_on(b, a, recur.dimension - missing, !recur.reverse);
  const Use back = b.compute(type, synth::Operation(synth::Recur{recur.dimension, !recur.reverse}), {next, r.g});
  if (r.wants(1)) r.give(1, b.summed_to(back, r.type(1).shape()));
  if (r.wants(0)) r.give(0, b.summed_to(b.multiply(back, before_each(b, r.result(), recur)), r.type(0).shape()));
}

}  // namespace tessera::typeck::gradient
