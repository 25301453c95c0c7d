// Inverses of circular and hyperbolic functions, and these, as formulas of other operations. Gradients are those of the
// formulas, which are chosen so that these are right, infinite at the ends of a domain included. Where a formula
// chooses between two ways, each is kept from infinities where the other one is taken: a cotangent of 0 times infinity
// is NaN.
#include <array>
#include <limits>
#include <numbers>

#include "typeck/elaborate/derived.hpp"

namespace tessera::typeck {

using synth::MapOp;

namespace {

// Beyond this a square and the square and 1 are the same float.
constexpr double kLarge = 1e9;

// e^a / 2, which overflows no earlier than it must. Of an a of at least 1, a - 1 is exact.
MaybeValue half_of_exponential(const Formula& f, const MaybeValue& a) {
  const MaybeValue less = f.map(MapOp::exp, {f.subtract(a, f.number(1, a))});
  return f.multiply(less, f.number(std::numbers::e / 2, a));
}

// |a|, whose slope at 0 is 1, not 0: what is made of it may be smooth there.
MaybeValue size_of(const Formula& f, const MaybeValue& is_negative, const MaybeValue& a) {
  return f.select(is_negative, f.negate(a), a);
}
MaybeValue size_of(const Formula& f, const MaybeValue& a) {
  return size_of(f, f.condition(MapOp::less, a, f.number(0, a)), a);
}

// (e^a - e^-a) / 2 for a small a: both less 1, which cancels.
MaybeValue small_sinh(const Formula& f, const MaybeValue& a) {
  const MaybeValue twice = f.subtract(f.map(MapOp::expm1, {a}), f.map(MapOp::expm1, {f.negate(a)}));
  return f.multiply(f.number(0.5, a), twice);
}

MaybeValue sinh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue is_large = f.condition(MapOp::greater, f.map(MapOp::abs, {a}), f.number(1, a));
  const MaybeValue large = f.subtract(half_of_exponential(f, a), half_of_exponential(f, f.negate(a)));
  return f.select(is_large, large, small_sinh(f, f.select(is_large, f.number(0, a), a)));
}

// Of a small a 1 + 2 sinh(a/2)^2, whose slope near 0 is as exact as that of all others.
MaybeValue cosh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue is_large = f.condition(MapOp::greater, f.map(MapOp::abs, {a}), f.number(1, a));
  const MaybeValue large = f.add(half_of_exponential(f, a), half_of_exponential(f, f.negate(a)));
  const MaybeValue near = f.select(is_large, f.number(0, a), a);
  const MaybeValue half = small_sinh(f, f.multiply(f.number(0.5, a), near));
  const MaybeValue small = f.add(f.number(1, a), f.multiply(f.number(2, a), f.multiply(half, half)));
  return f.select(is_large, large, small);
}

// Twice the angle that has half of the arc: of a leg a and the other leg l its tangent is a / (1 + l).
MaybeValue arcsin_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue one = f.number(1, a);
  const MaybeValue leg = f.multiply(f.map(MapOp::sqrt, {f.subtract(one, a)}), f.map(MapOp::sqrt, {f.add(one, a)}));
  return f.multiply(f.number(2, a), f.map(MapOp::arctan, {f.divide(a, f.add(one, leg))}));
}

// That of |a|, or what is left of a half turn.
MaybeValue arccos_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue one = f.number(1, a);
  const MaybeValue is_negative = f.condition(MapOp::less, a, f.number(0, a));
  const MaybeValue size = size_of(f, is_negative, a);
  const MaybeValue above = f.map(MapOp::sqrt, {f.subtract(one, size)});
  const MaybeValue below = f.map(MapOp::sqrt, {f.add(one, size)});
  const MaybeValue angle = f.multiply(f.number(2, a), f.map(MapOp::arctan, {f.divide(above, below)}));
  return f.select(is_negative, f.subtract(f.number(std::numbers::pi, a), angle), angle);
}

// log(2a), which is what both inverses are for a large a.
MaybeValue log_of_twice(const Formula& f, const MaybeValue& is_large, const MaybeValue& a) {
  const MaybeValue large = f.select(is_large, a, f.number(1, a));
  return f.add(f.map(MapOp::log, {large}), f.number(std::numbers::ln2, a));
}

// Of s = |a|: log(s + sqrt(s^2 + 1)) = log(1 + s (1 + s / (1 + sqrt(s^2 + 1)))).
MaybeValue arcsinh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue one = f.number(1, a);
  const MaybeValue is_negative = f.condition(MapOp::less, a, f.number(0, a));
  const MaybeValue size = size_of(f, is_negative, a);
  const MaybeValue is_large = f.condition(MapOp::greater, size, f.number(kLarge, a));
  const MaybeValue near = f.select(is_large, one, size);
  const MaybeValue root = f.map(MapOp::sqrt, {f.add(f.multiply(near, near), one)});
  const MaybeValue more = f.add(one, f.divide(near, f.add(one, root)));
  const MaybeValue small = f.map(MapOp::log1p, {f.multiply(near, more)});
  const MaybeValue result = f.select(is_large, log_of_twice(f, is_large, size), small);
  return f.select(is_negative, f.negate(result), result);
}

// With t = a - 1: log(1 + t + sqrt(t) sqrt(a + 1)).
MaybeValue arccosh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue is_large = f.condition(MapOp::greater, a, f.number(kLarge, a));
  const MaybeValue near = f.select(is_large, f.number(2, a), a);
  const MaybeValue t = f.subtract(near, f.number(1, a));
  const MaybeValue root = f.multiply(f.map(MapOp::sqrt, {t}), f.map(MapOp::sqrt, {f.add(near, f.number(1, a))}));
  const MaybeValue small = f.map(MapOp::log1p, {f.add(t, root)});
  return f.select(is_large, log_of_twice(f, is_large, a), small);
}

// (log(1 + a) - log(1 - a)) / 2: the two have opposite signs.
MaybeValue arctanh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue twice = f.subtract(f.map(MapOp::log1p, {a}), f.map(MapOp::log1p, {f.negate(a)}));
  return f.multiply(f.number(0.5, a), twice);
}

}  // namespace

MaybeValue run_curve(OperationCall& call) {
  const MaybeValue a = float_array(call);
  const Formula f(call);
  switch (std::get<Curve>(call.info.detail)) {
    case Curve::tan: return f.divide(f.map(MapOp::sin, {a}), f.map(MapOp::cos, {a}));
    case Curve::sinh: return sinh_of(f, a);
    case Curve::cosh: return cosh_of(f, a);
    case Curve::arcsin: return arcsin_of(f, a);
    case Curve::arccos: return arccos_of(f, a);
    case Curve::arcsinh: return arcsinh_of(f, a);
    case Curve::arccosh: return arccosh_of(f, a);
    case Curve::arctanh: return arctanh_of(f, a);
  }
  return std::nullopt;
}

namespace {

// Two arrays of floats, finished and laid out alike.
std::optional<std::vector<MaybeValue>> two_of_floats(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto both = alike(call, {0, 1});
  if (!both.has_value()) return std::nullopt;
  const ElementType element = elaborator.element(both->front());
  if (!call.wants_element(both->front(), synth::is_float(element), "cast it first, as in f32(...)"))
    return std::nullopt;
  const auto together = elaborator.index_wise().brought_together(call.span, *both, element, call.quoted());
  if (!together.has_value()) return std::nullopt;
  return std::vector<MaybeValue>{(*together)[0], (*together)[1]};
}

MaybeValue is_below_zero(const Formula& f, const MaybeValue& a) {
  const MaybeValue zero = f.number(0, a);
  const MaybeValue is_zero = f.condition(MapOp::equal, a, zero);
  const MaybeValue is_negative_zero = f.condition(MapOp::less, f.divide(f.number(1, a), a), zero);
  return f.map(MapOp::logical_or,
               {f.condition(MapOp::less, a, zero), f.map(MapOp::logical_and, {is_zero, is_negative_zero})});
}

// 1 or -1 for an infinity where both are infinite.
MaybeValue unit_if(const Formula& f, const MaybeValue& are_infinite, const MaybeValue& a) {
  return f.select(are_infinite, f.flat(f.map(MapOp::sign, {a})), a);
}

}  // namespace

// The longer leg times sqrt(1 + q^2), for the quotient q of the shorter by it. At two zeros the gradient is 0.
MaybeValue hypotenuse(const Formula& f, const MaybeValue& one_leg, const MaybeValue& other) {
  const MaybeValue a = size_of(f, one_leg);
  const MaybeValue b = size_of(f, other);
  const MaybeValue longer = f.map(MapOp::maximum, {a, b});
  const MaybeValue one = f.number(1, a);
  const MaybeValue zero = f.number(0, a);
  const MaybeValue is_zero = f.condition(MapOp::equal, longer, zero);
  const MaybeValue q = f.divide(f.map(MapOp::minimum, {a, b}), f.select(is_zero, one, longer));
  const MaybeValue result = f.multiply(longer, f.map(MapOp::sqrt, {f.add(one, f.multiply(q, q))}));
  const MaybeValue infinity = f.number(std::numeric_limits<double>::infinity(), a);
  const MaybeValue is_infinite =
      f.map(MapOp::logical_or, {f.condition(MapOp::equal, a, infinity), f.condition(MapOp::equal, b, infinity)});
  return f.select(is_infinite, infinity, f.select(is_zero, zero, result));
}

MaybeValue run_hypot(OperationCall& call) {
  const auto both = two_of_floats(call);
  return both.has_value() ? hypotenuse(Formula(call), (*both)[0], (*both)[1]) : std::nullopt;
}

// The arctangent of the smaller quotient, y/x or -x/y, and the turn that it starts from: that of the nearest of the
// four ends of the axes. Two infinities are as 1/1. At two zeros there is an angle, but no gradient: it is NaN.
MaybeValue angle_of(const Formula& f, const MaybeValue& y, const MaybeValue& x) {
  const MaybeValue height = f.map(MapOp::abs, {y});
  const MaybeValue width = f.map(MapOp::abs, {x});
  const MaybeValue is_steep = f.condition(MapOp::greater, height, width);
  const MaybeValue infinity = f.number(std::numeric_limits<double>::infinity(), x);
  const MaybeValue are_infinite = f.map(
      MapOp::logical_and, {f.condition(MapOp::equal, height, infinity), f.condition(MapOp::equal, width, infinity)});
  const MaybeValue above = f.select(is_steep, f.negate(x), y);
  const MaybeValue below = f.select(is_steep, y, x);
  const MaybeValue are_zero = f.condition(MapOp::equal, below, f.number(0, x));
  const MaybeValue quotient = f.divide(unit_if(f, are_infinite, above), unit_if(f, are_infinite, below));
  const MaybeValue angle = f.map(MapOp::arctan, {f.select(are_zero, above, quotient)});
  const MaybeValue turn = f.select(is_steep, f.number(std::numbers::pi / 2, x),
                                   f.select(is_below_zero(f, x), f.number(std::numbers::pi, x), f.number(0, x)));
  return f.add(f.select(is_below_zero(f, y), f.negate(turn), turn), angle);
}

MaybeValue run_arctan2(OperationCall& call) {
  const auto both = two_of_floats(call);
  return both.has_value() ? angle_of(Formula(call), (*both)[0], (*both)[1]) : std::nullopt;
}

}  // namespace tessera::typeck
