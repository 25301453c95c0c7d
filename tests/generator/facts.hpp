// Facts about a value that are known before anything runs: its type without layout, and how far two evaluations of it
// may differ.
//
// The tolerance model. A value whose bits do not depend on the devices and that every implementation of IEEE arithmetic
// computes alike is *certain*: integers, bool, and floats that went through no sum, mean, product or contraction and no
// function such as exp. Every other float carries `error`, a first-order bound of the absolute difference between two
// evaluations that may add and multiply in any order: with u the unit of rounding of its type, m the largest magnitude
// and e the error of an operand,
//
//     a + b          ea + eb + u (ma + mb)          sum of n             n e + (n + 4) u n m
//     a * b          ea mb + eb ma + u ma mb        contraction of n     n (ea mb + eb ma) + (n + 4) u n ma mb
//     f(a)           L e + 4 u |f|, L the largest slope of f where it is used
//
// Operations that are not continuous (comparisons, floor, casts to integers, argmax) are only made of certain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/tessera.hpp>

namespace tessera::generator {

using Shape = std::vector<std::int64_t>;

struct Facts {
  Element element = Element::f32;
  Shape shape;
  bool same_bits = true;   // on all devices and meshes
  bool portable = true;    // on other implementations too
  bool zero_signs = true;  // the sign of a zero does not depend on devices either
  bool finite = true;      // false: there may be infinities and NaNs, and magnitude says nothing
  double magnitude = 0;    // no element's absolute value is larger
  double error = 0;        // 0 for certain values

  bool certain() const { return same_bits && portable; }
};

bool is_float(Element element);
bool is_integer(Element element);
std::string_view name(Element element);        // `f32`
std::string_view numpy_name(Element element);  // `np.float32`
std::int64_t count(const Shape& shape);
std::string list_text(const std::vector<std::int64_t>& items);  // `[1, 2]`

// The unit of rounding; 0 for integers and bool.
double unit(Element element);
// Nothing known but the type, and that it is as uncertain as the least certain operand.
Facts derived(Element element, Shape shape, const std::vector<Facts>& operands);
// Sets magnitude and error: integers wrap and have none, a certain value has none either.
Facts settled(Facts facts, double magnitude, double error);
// The most that two evaluations of a value may differ, the safety factor included.
double tolerance(const Facts& facts);

Facts of_sum(Facts result, const Facts& a, const Facts& b);
Facts of_product(Facts result, const Facts& a, const Facts& b);
// Facts of `n` values like `a` added up, and of `n` products of values like `a` and `b`.
Facts of_total(Facts result, const Facts& a, std::int64_t n);
Facts of_contraction(Facts result, const Facts& a, const Facts& b, std::int64_t n);
// Facts of a choice among the operands' elements.
Facts of_choice(Facts result, const std::vector<Facts>& operands);

}  // namespace tessera::generator
