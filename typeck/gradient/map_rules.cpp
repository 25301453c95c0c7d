// Derivatives of elementwise operations.
#include <cmath>
#include <numbers>

#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

using synth::MapOp;

// A contribution of the result's shape, summed over what the operand was repeated along.
void give(const Reversal& r, std::size_t operand, const Use& contribution) {
  if (r.wants(operand)) r.give(operand, r.build.summed_to(contribution, r.type(operand).shape()));
}

// a op b: the contributions of both, where wanted.
template <class Left, class Right>
void give_both(const Reversal& r, const Left& left, const Right& right) {
  if (r.wants(0)) give(r, 0, left());
  if (r.wants(1)) give(r, 1, right());
}

void reverse_divide(const Reversal& r) {
  const Build& b = r.build;
  return give_both(
      r, [&] { return b.divide(r.g, r.operand(1)); },
      [&] { return b.negate(b.divide(b.multiply(r.g, r.result()), r.operand(1))); });
}

// One less is exact in every element type.
bool is_small_whole(double value) { return std::abs(value) <= 0x1p20 && std::floor(value) == value; }

// Exponent: a constant of 1 or 2 has no power left, one of 0 none at all; log(0) counts as 0.
Use power_of_base(const Reversal& r) {
  const Build& b = r.build;
  const Use exponent = r.operand(1);
  const auto* known = exponent.known.has_value() ? std::get_if<double>(&*exponent.known) : nullptr;
  if (known != nullptr && *known == 1) return r.g;
  const Use scaled = b.multiply(r.g, exponent);
  if (known != nullptr && *known == 2) return b.multiply(scaled, r.operand(0));
  if (known != nullptr && *known != 0 && is_small_whole(*known))
    return b.multiply(scaled, b.map(MapOp::power, {r.operand(0), b.number(*known - 1, exponent)}));
  // Where both are zero, 0 times 0**-1 would be no number.
  const Use base = r.operand(0);
  const Use one = b.number(1, exponent);
  const Use are_zero = b.map(MapOp::logical_and, {b.compare(MapOp::equal, exponent, b.number(0, exponent)),
                                                  b.compare(MapOp::equal, base, b.number(0, base))});
  const Use less = b.select(are_zero, one, b.subtract(exponent, one));
  return b.multiply(scaled, b.map(MapOp::power, {base, less}));
}

Use power_of_exponent(const Reversal& r) {
  const Build& b = r.build;
  const Use base = r.operand(0);
  const Use zero = b.number(0, base);
  const Use is_zero = b.compare(MapOp::equal, base, zero);
  const Use log = b.select(is_zero, zero, b.map(MapOp::log, {base}));
  return b.multiply(b.multiply(r.g, r.result()), log);
}

// g to the operand that won, half of it at a tie.
Use of_winner(const Build& b, const Use& g, MapOp wins, const Use& own, const Use& other) {
  const Use tie = b.select(b.compare(MapOp::equal, own, other), b.multiply(g, b.number(0.5, g)), b.number(0, g));
  return b.select(b.compare(wins, own, other), g, tie);
}

void reverse_extremum(const Reversal& r, MapOp wins) {
  return give_both(
      r, [&] { return of_winner(r.build, r.g, wins, r.operand(0), r.operand(1)); },
      [&] { return of_winner(r.build, r.g, wins, r.operand(1), r.operand(0)); });
}

// minimum(maximum(a, low), high)
void reverse_clip(const Reversal& r) {
  const Build& b = r.build;
  const Use low = r.operand(1);
  const Use high = r.operand(2);
  const Use raised = b.map(MapOp::maximum, {r.operand(0), low});
  if (r.wants(2)) give(r, 2, of_winner(b, r.g, MapOp::less, high, raised));
  const Use of_raised = of_winner(b, r.g, MapOp::less, raised, high);
  if (r.wants(0)) give(r, 0, of_winner(b, of_raised, MapOp::greater, r.operand(0), low));
  if (r.wants(1)) give(r, 1, of_winner(b, of_raised, MapOp::greater, low, r.operand(0)));
}

// (1/log(base)) / a
Use slope_of_log(const Reversal& r, double inverse_of_log) {
  return r.build.divide(r.build.number(inverse_of_log, r.operand(0)), r.operand(0));
}

// 1 + a
Use one_more(const Reversal& r) { return r.build.add(r.build.number(1, r.operand(0)), r.operand(0)); }

// 1 + a*a
Use square_and_one(const Reversal& r) {
  const Use a = r.operand(0);
  return r.build.add(r.build.number(1, a), r.build.multiply(a, a));
}

// 0.5*(1+erf(a/sqrt 2)) + a*exp(-a*a/2)/sqrt(2 pi)
Use slope_of_gelu(const Reversal& r) {
  const Build& b = r.build;
  const Use a = r.operand(0);
  const Use half = b.number(0.5, a);
  const Use erf = b.map(MapOp::erf, {b.multiply(a, b.number(1 / std::numbers::sqrt2, a))});
  const Use below = b.add(half, b.multiply(half, erf));
  const Use bell = b.map(MapOp::exp, {b.multiply(b.multiply(a, a), b.number(-0.5, a))});
  const Use height = b.multiply(bell, b.number(0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi, a));
  return b.add(below, b.multiply(a, height));
}

Use slope_of_erf(const Reversal& r) {
  const Build& b = r.build;
  const Use a = r.operand(0);
  const Use bell = b.map(MapOp::exp, {b.negate(b.multiply(a, a))});
  return b.multiply(bell, b.number(2 * std::numbers::inv_sqrtpi, a));
}

// out * (1 - out)
Use slope_of_sigmoid(const Reversal& r) {
  const Use out = r.result();
  return r.build.multiply(out, r.build.subtract(r.build.number(1, out), out));
}

Use slope_of_tanh(const Reversal& r) {
  const Use out = r.result();
  return r.build.subtract(r.build.number(1, out), r.build.multiply(out, out));
}

Use of_relu(const Reversal& r) {
  const Build& b = r.build;
  const Use out = r.result();
  return b.select(b.compare(MapOp::greater, out, b.number(0, out)), r.g, b.number(0, r.g));
}

// -0.5 * out / a
Use slope_of_rsqrt(const Reversal& r) {
  const Build& b = r.build;
  return b.divide(b.multiply(r.result(), b.number(-0.5, r.result())), r.operand(0));
}

void reverse_select(const Reversal& r) {
  const Build& b = r.build;
  const Use condition = r.operand(0);
  const Use zero = b.number(0, r.g);
  if (r.wants(1)) give(r, 1, b.select(condition, r.g, zero));
  if (r.wants(2)) give(r, 2, b.map(MapOp::select, {condition, zero, r.g}));
}

// a - b*floor(a/b)
void reverse_remainder(const Reversal& r) {
  const Build& b = r.build;
  return give_both(
      r, [&]() -> Use { return r.g; },
      [&] { return b.negate(b.multiply(r.g, b.flat(MapOp::floor, b.divide(r.operand(0), r.operand(1))))); });
}

}  // namespace

void reverse_map(const Reversal& r, MapOp op) {
  const Build& b = r.build;
  const auto slope = [&](const Use& own) { return give(r, 0, b.multiply(r.g, own)); };
  const auto same = [&]() -> Use { return r.g; };
  switch (op) {
    case MapOp::add: return give_both(r, same, same);
    case MapOp::subtract: return give_both(r, same, [&] { return b.negate(r.g); });
    case MapOp::multiply:
      return give_both(r, [&] { return b.multiply(r.g, r.operand(1)); }, [&] { return b.multiply(r.g, r.operand(0)); });
    case MapOp::divide: return reverse_divide(r);
    case MapOp::remainder: return reverse_remainder(r);
    case MapOp::power: return give_both(r, [&] { return power_of_base(r); }, [&] { return power_of_exponent(r); });
    case MapOp::minimum: return reverse_extremum(r, MapOp::less);
    case MapOp::maximum: return reverse_extremum(r, MapOp::greater);
    case MapOp::negate: return give(r, 0, b.negate(r.g));
    case MapOp::exp: return slope(r.result());
    case MapOp::exp2: return slope(b.multiply(r.result(), b.number(std::numbers::ln2, r.g)));
    case MapOp::log: return give(r, 0, b.divide(r.g, r.operand(0)));
    case MapOp::log2: return slope(slope_of_log(r, std::numbers::log2e));
    case MapOp::log10: return slope(slope_of_log(r, std::numbers::log10e));
    case MapOp::log1p: return give(r, 0, b.divide(r.g, one_more(r)));
    case MapOp::expm1: return slope(b.map(MapOp::exp, {r.operand(0)}));  // the result and 1 would cancel
    case MapOp::arctan: return give(r, 0, b.divide(r.g, square_and_one(r)));
    case MapOp::sqrt: return give(r, 0, b.divide(b.multiply(r.g, b.number(0.5, r.g)), r.result()));
    case MapOp::rsqrt: return slope(slope_of_rsqrt(r));
    case MapOp::tanh: return slope(slope_of_tanh(r));
    case MapOp::sigmoid: return slope(slope_of_sigmoid(r));
    case MapOp::relu: return give(r, 0, of_relu(r));
    case MapOp::gelu: return slope(slope_of_gelu(r));
    case MapOp::erf: return slope(slope_of_erf(r));
    case MapOp::abs: return slope(b.flat(MapOp::sign, r.operand(0)));
    case MapOp::sin: return slope(b.map(MapOp::cos, {r.operand(0)}));
    case MapOp::cos: return give(r, 0, b.negate(b.multiply(r.g, b.map(MapOp::sin, {r.operand(0)}))));
    case MapOp::select: return reverse_select(r);
    case MapOp::clip: return reverse_clip(r);
    case MapOp::cast: return give(r, 0, b.cast_back(r.g, synth::computed_as(r.type(0).element())));
    case MapOp::complex: return give_both(r, [&] { return b.real(r.g); }, [&] { return b.negate(b.imaginary(r.g)); });
    case MapOp::real: return give(r, 0, b.complex(r.g, b.number(0, r.g)));
    case MapOp::imaginary: return give(r, 0, b.complex(b.number(0, r.g), b.negate(r.g)));
    case MapOp::copy: return give(r, 0, r.g);
    case MapOp::equal:
    case MapOp::not_equal:
    case MapOp::less:
    case MapOp::less_equal:
    case MapOp::greater:
    case MapOp::greater_equal:
    case MapOp::logical_and:
    case MapOp::logical_or:
    case MapOp::logical_not:
    case MapOp::bit_and:
    case MapOp::bit_or:
    case MapOp::bit_xor:
    case MapOp::bit_not:
    case MapOp::shift_left:
    case MapOp::shift_right:
    case MapOp::sign:
    case MapOp::floor: return;  // the way ends here: activity.cpp
  }
}

}  // namespace tessera::typeck::gradient
