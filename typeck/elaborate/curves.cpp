// Inverses of circular and hyperbolic functions, and these, as formulas of other operations. Where a formula chooses
// between two ways, each is kept from infinities where the other one is taken: a cotangent of 0 times infinity is none.
#include <array>
#include <limits>
#include <numbers>

#include "typeck/elaborate/derived.hpp"

namespace tessera::typeck {

using synth::MapOp;

namespace {

// Beyond this a square and the square and 1 are the same float.
constexpr double kLarge = 1e9;

// (e^a - e^-a) / 2; of a large a by the square of e^(a/2), which overflows no earlier than the result.
MaybeValue sinh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue most = f.number(20, a);
  const MaybeValue near = f.map(MapOp::clip, {a, f.negate(most), most});
  const MaybeValue half = f.number(0.5, a);
  const MaybeValue small =
      f.multiply(half, f.subtract(f.map(MapOp::expm1, {near}), f.map(MapOp::expm1, {f.negate(near)})));
  const MaybeValue size = f.map(MapOp::abs, {a});
  const MaybeValue root = f.map(MapOp::exp, {f.multiply(half, size)});
  const MaybeValue large = f.multiply(f.multiply(half, root), root);
  const MaybeValue is_negative = f.compare(MapOp::less, a, f.number(0, a));
  return f.select(f.compare(MapOp::greater, size, most), f.select(is_negative, f.negate(large), large), small);
}

MaybeValue cosh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue half = f.number(0.5, a);
  const MaybeValue size = f.map(MapOp::abs, {a});
  const MaybeValue root = f.map(MapOp::exp, {f.multiply(half, size)});
  return f.add(f.multiply(f.multiply(half, root), root), f.multiply(half, f.map(MapOp::exp, {f.negate(size)})));
}

// a over the leg that it makes with a hypotenuse of 1.
MaybeValue arcsin_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue one = f.number(1, a);
  const MaybeValue leg = f.map(MapOp::sqrt, {f.multiply(f.subtract(one, a), f.add(one, a))});
  return f.map(MapOp::arctan, {f.divide(a, leg)});
}

MaybeValue arccos_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue one = f.number(1, a);
  const MaybeValue above = f.map(MapOp::sqrt, {f.subtract(one, a)});
  const MaybeValue below = f.map(MapOp::sqrt, {f.add(one, a)});
  return f.multiply(f.number(2, a), f.map(MapOp::arctan, {f.divide(above, below)}));
}

// log(2a), which is what both inverses are for a large a.
MaybeValue log_of_twice(const Formula& f, const MaybeValue& a) {
  const MaybeValue raised = f.map(MapOp::maximum, {a, f.number(1, a)});
  return f.add(f.map(MapOp::log, {raised}), f.number(std::numbers::ln2, a));
}

// Of s = |a|: log(s + sqrt(s^2 + 1)) = log(1 + s + s (s / (1 + sqrt(s^2 + 1)))).
MaybeValue arcsinh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue one = f.number(1, a);
  const MaybeValue is_negative = f.compare(MapOp::less, a, f.number(0, a));
  const MaybeValue size = f.select(is_negative, f.negate(a), a);  // the slope of `abs` at 0 is 0
  const MaybeValue near = f.map(MapOp::minimum, {size, f.number(kLarge, a)});
  const MaybeValue root = f.map(MapOp::sqrt, {f.add(f.multiply(near, near), one)});
  const MaybeValue more = f.multiply(near, f.divide(near, f.add(one, root)));
  const MaybeValue small = f.map(MapOp::log1p, {f.add(near, more)});
  const MaybeValue is_large = f.compare(MapOp::greater, size, f.number(kLarge, a));
  const MaybeValue result = f.select(is_large, log_of_twice(f, size), small);
  return f.select(is_negative, f.negate(result), result);
}

// With t = a - 1: log(1 + t + sqrt(2t + t^2)).
MaybeValue arccosh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue near = f.map(MapOp::minimum, {a, f.number(kLarge, a)});
  const MaybeValue t = f.subtract(near, f.number(1, a));
  const MaybeValue root = f.map(MapOp::sqrt, {f.multiply(t, f.add(near, f.number(1, a)))});
  const MaybeValue small = f.map(MapOp::log1p, {f.add(t, root)});
  return f.select(f.compare(MapOp::greater, a, f.number(kLarge, a)), log_of_twice(f, a), small);
}

MaybeValue arctanh_of(const Formula& f, const MaybeValue& a) {
  const MaybeValue quotient = f.divide(f.multiply(f.number(2, a), a), f.subtract(f.number(1, a), a));
  return f.multiply(f.number(0.5, a), f.map(MapOp::log1p, {quotient}));
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
  const MaybeValue is_zero = f.compare(MapOp::equal, a, zero);
  const MaybeValue is_negative_zero = f.compare(MapOp::less, f.divide(f.number(1, a), a), zero);
  return f.map(MapOp::logical_or,
               {f.compare(MapOp::less, a, zero), f.map(MapOp::logical_and, {is_zero, is_negative_zero})});
}

}  // namespace

// The longer leg times sqrt(1 + q^2), for the quotient q of the shorter by it.
MaybeValue run_hypot(OperationCall& call) {
  const auto both = two_of_floats(call);
  if (!both.has_value()) return std::nullopt;
  const Formula f(call);
  const MaybeValue a = f.map(MapOp::abs, {(*both)[0]});
  const MaybeValue b = f.map(MapOp::abs, {(*both)[1]});
  const MaybeValue longer = f.map(MapOp::maximum, {a, b});
  const MaybeValue one = f.number(1, a);
  const MaybeValue is_zero = f.compare(MapOp::equal, longer, f.number(0, a));
  const MaybeValue q = f.divide(f.map(MapOp::minimum, {a, b}), f.select(is_zero, one, longer));
  const MaybeValue result = f.multiply(longer, f.map(MapOp::sqrt, {f.add(one, f.multiply(q, q))}));
  const MaybeValue is_infinite = f.compare(MapOp::equal, longer, f.number(std::numeric_limits<double>::infinity(), a));
  return f.select(is_infinite, longer, result);
}

// The arctangent of the smaller quotient, y/x or -x/y, and the turn that it starts from: that of the nearest of the
// four ends of the axes. Two zeros and two infinities are as 0/1 and 1/1.
MaybeValue run_arctan2(OperationCall& call) {
  const auto both = two_of_floats(call);
  if (!both.has_value()) return std::nullopt;
  const Formula f(call);
  const MaybeValue y = (*both)[0];
  const MaybeValue x = (*both)[1];
  const MaybeValue one = f.number(1, x);
  const MaybeValue height = f.map(MapOp::abs, {y});
  const MaybeValue width = f.map(MapOp::abs, {x});
  const MaybeValue is_steep = f.compare(MapOp::greater, height, width);
  const MaybeValue infinity = f.number(std::numeric_limits<double>::infinity(), x);
  const MaybeValue are_infinite =
      f.map(MapOp::logical_and, {f.compare(MapOp::equal, height, infinity), f.compare(MapOp::equal, width, infinity)});
  const MaybeValue above = f.select(is_steep, f.negate(x), y);
  const MaybeValue below = f.select(is_steep, y, x);
  const MaybeValue none = f.compare(MapOp::equal, below, f.number(0, x));
  const MaybeValue divisor = f.select(none, one, f.select(are_infinite, f.map(MapOp::sign, {below}), below));
  const MaybeValue dividend = f.select(are_infinite, f.map(MapOp::sign, {above}), above);
  const MaybeValue angle = f.map(MapOp::arctan, {f.divide(dividend, divisor)});
  const MaybeValue turn = f.select(is_steep, f.number(std::numbers::pi / 2, x),
                                   f.select(is_below_zero(f, x), f.number(std::numbers::pi, x), f.number(0, x)));
  return f.add(f.select(is_below_zero(f, y), f.negate(turn), turn), angle);
}

}  // namespace tessera::typeck
