// Elementwise productions: functions, operators, comparisons, casts, where, clip.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

// No power function: the bound must be the same on every platform.
double exponential_bound(double magnitude) {
  double bound = 1;
  for (double k = 0; k < magnitude; ++k) bound *= 3;
  return bound;
}

double itself(double magnitude) { return magnitude; }
double one(double) { return 1; }
double one_and_a_bit(double) { return 1.5; }
double one_more(double magnitude) { return magnitude + 1; }
double two(double) { return 2; }
double four(double) { return 4; }
double one_more_and_twice(double magnitude) { return 2 * magnitude + 2; }
double root(double magnitude) { return std::sqrt(magnitude) + 1; }

enum class Kind : std::uint8_t {
  exact,   // rounds once or not at all
  smooth,  // another implementation may round otherwise
  jump,    // not continuous
};

struct FloatFunction {
  std::string_view tessera;
  std::string_view numpy;  // $1 is the element type
  Kind kind;
  double argument_max;  // larger arguments are clipped to it
  double (*slope)(double);
  double (*magnitude)(double);
};

constexpr double kAny = 1e300;
constexpr auto kFloatFunctions = std::to_array<FloatFunction>({
    {"exp($0)", "np.exp($0)", Kind::smooth, 3, exponential_bound, exponential_bound},
    {"exp2($0)", "np.exp2($0)", Kind::smooth, 4, exponential_bound, exponential_bound},
    {"log(abs($0) + 1.0)", "np.log(np.abs($0) + $1(1.0))", Kind::smooth, kAny, one, itself},
    {"sqrt(abs($0) + 0.5)", "np.sqrt(np.abs($0) + $1(0.5))", Kind::exact, kAny, one, root},
    {"rsqrt(abs($0) + 0.5)", "($1(1) / np.sqrt(np.abs($0) + $1(0.5)))", Kind::smooth, kAny, one_and_a_bit,
     one_and_a_bit},
    {"tanh($0)", "np.tanh($0)", Kind::smooth, kAny, one, one},
    {"sigmoid($0)", "($1(1) / ($1(1) + np.exp(-$0)))", Kind::smooth, 16, one, one},
    {"relu($0)", "np.maximum($0, $1(0))", Kind::exact, kAny, one, itself},
    {"gelu($0)", "gelu($0)", Kind::smooth, kAny, one_and_a_bit, itself},
    {"erf($0)", "erf($0)", Kind::smooth, kAny, one_and_a_bit, one},
    {"abs($0)", "np.abs($0)", Kind::exact, kAny, one, itself},
    {"neg($0)", "(-$0)", Kind::exact, kAny, one, itself},
    {"(-$0)", "(-$0)", Kind::exact, kAny, one, itself},
    {"sin($0)", "np.sin($0)", Kind::smooth, 100, one, one},
    {"cos($0)", "np.cos($0)", Kind::smooth, 100, one, one},
    {"sign($0)", "np.sign($0)", Kind::jump, kAny, one, one},
    {"floor($0)", "np.floor($0)", Kind::jump, kAny, one, one_more},
    {"ceil($0)", "np.ceil($0)", Kind::jump, kAny, one, one_more},
    {"trunc($0)", "np.trunc($0)", Kind::jump, kAny, one, one_more},
    {"round($0)", "np.rint($0)", Kind::jump, kAny, one, one_more},
    {"tan($0)", "np.tan($0)", Kind::smooth, 1, four, two},
    {"arctan($0)", "np.arctan($0)", Kind::smooth, kAny, one, two},
    {"arcsin($0 * 0.5)", "np.arcsin($0 * $1(0.5))", Kind::smooth, 1, one, one},
    {"arccos($0 * 0.5)", "np.arccos($0 * $1(0.5))", Kind::smooth, 1, one, four},
    {"arctanh($0 * 0.5)", "np.arctanh($0 * $1(0.5))", Kind::smooth, 1, one, one},
    {"arcsinh($0)", "np.arcsinh($0)", Kind::smooth, kAny, one, one_more},
    {"arccosh(abs($0) + 1.5)", "np.arccosh(np.abs($0) + $1(1.5))", Kind::smooth, kAny, one, one_more},
    {"sinh($0)", "np.sinh($0)", Kind::smooth, 3, exponential_bound, exponential_bound},
    {"cosh($0)", "np.cosh($0)", Kind::smooth, 3, exponential_bound, exponential_bound},
    {"expm1($0)", "np.expm1($0)", Kind::smooth, 3, exponential_bound, exponential_bound},
    {"log1p(abs($0))", "np.log1p(np.abs($0))", Kind::smooth, kAny, one, itself},
    {"log2(abs($0) + 1.0)", "np.log2(np.abs($0) + $1(1.0))", Kind::smooth, kAny, two, one_more_and_twice},
    {"log10(abs($0) + 1.0)", "np.log10(np.abs($0) + $1(1.0))", Kind::smooth, kAny, one, itself},
    {"hypot($0, 2.0)", "np.hypot($0, $1(2.0))", Kind::smooth, kAny, one, one_more_and_twice},
    {"arctan2($0, 2.0)", "np.arctan2($0, $1(2.0))", Kind::smooth, kAny, one, two},
});

struct IntegerFunction {
  std::string_view tessera;
  std::string_view numpy;
};
constexpr auto kIntegerFunctions = std::to_array<IntegerFunction>({{"abs($0)", "np.abs($0)"},
                                                                   {"neg($0)", "(-$0)"},
                                                                   {"(-$0)", "(-$0)"},
                                                                   {"sign($0)", "np.sign($0)"},
                                                                   {"relu($0)", "np.maximum($0, $1(0))"},
                                                                   {"floor($0)", "$0"},
                                                                   {"ceil($0)", "$0"},
                                                                   {"round($0)", "$0"}});

ExpressionRef float_function(Maker& maker, const Want& want, int depth) {
  const FloatFunction& function = maker.random.pick(kFloatFunctions);
  const bool certain = want.certain || function.kind == Kind::jump;
  ExpressionRef a = maker.make({want.element, want.shape, certain}, depth);
  if (a->facts.magnitude > function.argument_max) a = clipped(a, static_cast<int>(function.argument_max));
  Facts facts = derived(want.element, want.shape, {a->facts});
  facts.portable = facts.portable && function.kind != Kind::smooth;
  const double magnitude = function.magnitude(a->facts.magnitude);
  facts = settled(facts, magnitude,
                  function.slope(a->facts.magnitude) * (a->facts.error + 2 * unit(want.element) * a->facts.magnitude) +
                      4 * unit(want.element) * (magnitude + 1));
  return node(facts, std::string(function.tessera),
              filled(function.numpy, {"$0", std::string(numpy_name(want.element))}), {a});
}

ExpressionRef function(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  if (is_float(want.element)) return float_function(maker, want, depth);
  const IntegerFunction& own = maker.random.pick(kIntegerFunctions);
  const ExpressionRef a = maker.make(want, depth);
  const Facts facts = settled(derived(want.element, want.shape, {a->facts}), a->facts.magnitude, 0);
  return node(facts, std::string(own.tessera), filled(own.numpy, {"$0", std::string(numpy_name(want.element))}), {a});
}

// Two or more shapes that broadcast to a shape, the last one often smaller.
std::vector<Shape> broadcasting(Random& random, const Shape& shape, std::size_t operands) {
  std::vector<Shape> all(operands, shape);
  const bool smaller = random.chance(35);
  if (!smaller || shape.empty()) return all;
  Shape& own = all[random.index(all)];
  own.erase(own.begin(),
            own.begin() + static_cast<std::ptrdiff_t>(random.below(static_cast<std::int64_t>(shape.size()) + 1)));
  for (std::int64_t& extent : own) extent = random.chance(40) ? 1 : extent;
  Shape& other = all[random.index(all)];
  if (other == shape && random.chance(40)) other[random.index(other)] = 1;
  Shape result(shape.size(), 1);
  for (const Shape& part : all) {
    for (std::size_t d = 0; d < part.size(); ++d) {
      std::int64_t& extent = result[shape.size() - part.size() + d];
      if (part[d] != 1) extent = part[d];
    }
  }
  return result == shape ? all : std::vector<Shape>(operands, shape);
}

// The letters of an operand's dimensions; one that is repeated has a letter that only it has.
std::string letters_of(const Shape& own, const Shape& shape, std::size_t operand) {
  std::string letters;
  const std::size_t added = shape.size() - own.size();
  for (std::size_t d = 0; d < own.size(); ++d) {
    const bool whole = own[d] == shape[added + d];
    letters += static_cast<char>(whole ? 'a' + static_cast<int>(added + d) : 'A' + static_cast<int>(operand * 8 + d));
  }
  return letters;
}

// Operands of one or several element types that broadcast to the wanted shape and may meet.
std::vector<ExpressionRef> operands_for(Maker& maker, const Shape& shape, const std::vector<Element>& elements,
                                        bool certain, int depth) {
  const std::vector<Shape> shapes = broadcasting(maker.random, shape, elements.size());
  std::vector<ExpressionRef> all;
  std::vector<std::string> letters;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    all.push_back(maker.make({elements[k], shapes[k], certain}, depth));
    letters.push_back(letters_of(shapes[k], shape, k));
  }
  // Without elements, moving any operand costs the same: nothing says which.
  return may_clash(letters) || count(shape) == 0 ? agreeing(maker, all, letters) : all;
}

ExpressionRef arithmetic(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  const auto all = operands_for(maker, want.shape, {want.element, want.element}, want.certain, depth);
  const Facts base = derived(want.element, want.shape, facts_of(all));
  const Facts& a = all[0]->facts;
  const Facts& b = all[1]->facts;
  switch (maker.random.below(5)) {
    case 0: return node(of_sum(base, a, b), "($0 + $1)", "($0 + $1)", all);
    case 1: return node(of_sum(base, a, b), "($0 - $1)", "($0 - $1)", all);
    case 2: return node(of_product(base, a, b), "($0 * $1)", "($0 * $1)", all);
    case 3: return node(of_choice(base, {a, b}), "max($0, $1)", "np.maximum($0, $1)", all);
    default: return node(of_choice(base, {a, b}), "min($0, $1)", "np.minimum($0, $1)", all);
  }
}

// One operand is a literal of the language, without a cast: it takes its type from the other.
ExpressionRef with_literal(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const std::string digits =
      is_float(want.element) ? (maker.random.chance(50) ? "0.5" : "2.0") : std::to_string(maker.random.between(1, 6));
  const Facts b = settled(derived(want.element, {}, {}), 6, 0);
  const Facts base = derived(want.element, want.shape, {a->facts});
  const std::string number = numpy_literal(want.element, digits);
  switch (maker.random.below(4)) {
    case 0:
      return node(of_sum(base, a->facts, b), fmt::format("($0 + {})", digits), fmt::format("($0 + {})", number), {a});
    case 1:
      return node(of_sum(base, b, a->facts), fmt::format("({} - $0)", digits), fmt::format("({} - $0)", number), {a});
    case 2:
      return node(of_product(base, a->facts, b), fmt::format("($0 * {})", digits), fmt::format("($0 * {})", number),
                  {a});
    default:
      return node(of_product(base, b, a->facts), fmt::format("({} * $0)", digits), fmt::format("({} * $0)", number),
                  {a});
  }
}

// Divisors are at least a half, or 1 to 7.
ExpressionRef division(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  const bool remainder = maker.random.chance(40);
  const bool certain = want.certain || (remainder && is_float(want.element));
  const auto all = operands_for(maker, want.shape, {want.element, want.element}, certain, depth);
  const Facts& a = all[0]->facts;
  const Facts& b = all[1]->facts;
  const std::string_view sign = remainder ? "%" : "/";
  const Facts base = derived(want.element, want.shape, facts_of(all));
  if (is_integer(want.element)) {
    const std::string type(numpy_name(want.element));
    return node(settled(base, remainder ? 7 : a.magnitude, 0), fmt::format("($0 {} ($1 % 7 + 1))", sign),
                fmt::format("($0 {0} ($1 % {1}(7) + {1}(1)))", remainder ? "%" : "//", type), all);
  }
  const double magnitude = remainder ? b.magnitude + 1 : 2 * a.magnitude;
  const double u = unit(want.element);
  const Facts facts =
      settled(base, magnitude, 2 * a.error + 4 * a.magnitude * (b.error + u * (b.magnitude + 1)) + u * magnitude);
  return node(facts, fmt::format("($0 {} (abs($1) + 0.5))", sign),
              fmt::format("($0 {} (np.abs($1) + {}))", sign, numpy_literal(want.element, "0.5")), all);
}

ExpressionRef power(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  ExpressionRef a = maker.make(want, depth);
  if (is_integer(want.element)) {
    const std::int64_t exponent = maker.random.between(0, 3);
    const Facts facts = settled(derived(want.element, want.shape, {a->facts}), kAny, 0);
    return node(facts, fmt::format("($0 ** {})", exponent),
                fmt::format("np.power($0, {})", numpy_literal(want.element, std::to_string(exponent))), {a});
  }
  if (want.certain) return nullptr;
  if (a->facts.magnitude > 100) a = clipped(a, 100);
  Facts facts = derived(want.element, want.shape, {a->facts});
  facts.portable = false;
  const double m = a->facts.magnitude;
  facts = settled(facts, m * m, 2 * m * a->facts.error + 4 * unit(want.element) * m * m);
  return node(facts, "($0 ** 2.0)", fmt::format("np.power($0, {})", numpy_literal(want.element, "2.0")), {a});
}

ExpressionRef comparison(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::boolean) return nullptr;
  constexpr auto kOperators = std::to_array<std::string_view>({"==", "!=", "<", "<=", ">", ">="});
  const Element element = maker.random_element();
  std::string_view sign = maker.random.pick(kOperators);
  if (element == Element::boolean) sign = sign == "==" ? "==" : "!=";
  const auto all = operands_for(maker, want.shape, {element, element}, true, depth);
  const std::string form = fmt::format("($0 {} $1)", sign);
  return node(settled(derived(Element::boolean, want.shape, facts_of(all)), 1, 0), form, form, all);
}

ExpressionRef logic(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::boolean) return nullptr;
  if (maker.random.chance(30)) {
    const ExpressionRef a = maker.make(want, depth);
    Facts facts = a->facts;
    facts.magnitude = 1;  // what was false everywhere is true
    return node(facts, "(!$0)", "np.logical_not($0)", {a});
  }
  const auto all = operands_for(maker, want.shape, {Element::boolean, Element::boolean}, true, depth);
  const Facts facts = settled(derived(Element::boolean, want.shape, facts_of(all)), 1, 0);
  if (maker.random.chance(50)) return node(facts, "($0 && $1)", "np.logical_and($0, $1)", all);
  return node(facts, "($0 || $1)", "np.logical_or($0, $1)", all);
}

// Shifts by counts that the type has: those of others mean something else in C, by which NumPy was made.
ExpressionRef bits(Maker& maker, const Want& want, int depth) {
  if (!is_integer(want.element)) return nullptr;
  const std::string type(numpy_name(want.element));
  if (maker.random.chance(15)) {
    const ExpressionRef a = maker.make(want, depth);
    return node(settled(derived(want.element, want.shape, {a->facts}), a->facts.magnitude + 1, 0), "(~$0)", "(~$0)",
                {a});
  }
  const auto all = operands_for(maker, want.shape, {want.element, want.element}, want.certain, depth);
  const Facts base = derived(want.element, want.shape, facts_of(all));
  const double most = want.element == Element::i32 ? 0x1p31 : 0x1p63;
  switch (maker.random.below(5)) {
    case 0: return node(settled(base, most, 0), "($0 & $1)", "($0 & $1)", all);
    case 1: return node(settled(base, most, 0), "($0 | $1)", "($0 | $1)", all);
    case 2: return node(settled(base, most, 0), "($0 ^ $1)", "($0 ^ $1)", all);
    case 3:
      return node(settled(base, most, 0), "($0 << ($1 & 31))", fmt::format("np.left_shift($0, $1 & {}(31))", type),
                  all);
    default:
      return node(settled(base, all[0]->facts.magnitude, 0), "($0 >> ($1 & 15))",
                  fmt::format("np.right_shift($0, $1 & {}(15))", type), all);
  }
}

ExpressionRef where(Maker& maker, const Want& want, int depth) {
  const auto all = operands_for(maker, want.shape, {Element::boolean, want.element, want.element}, want.certain, depth);
  const Facts base = derived(want.element, want.shape, facts_of(all));
  return node(of_choice(base, {all[1]->facts, all[2]->facts}), "where($0, $1, $2)", "np.where($0, $1, $2)", all);
}

ExpressionRef clip(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  if (is_float(want.element)) return clipped(a, static_cast<int>(maker.random.between(1, 9)));
  const std::int64_t low = maker.random.between(-5, 3);
  const std::int64_t high = low + maker.random.between(0, 9);
  const std::string type(numpy_name(want.element));
  return node(settled(a->facts, 16, 0), fmt::format("clip($0, {}, {})", low, high),
              fmt::format("np.clip($0, {0}({1}), {0}({2}))", type, low, high), {a});
}

ExpressionRef cast_to_float(Maker& maker, const Want& want, Element from, int depth) {
  ExpressionRef a = maker.make({from, want.shape, want.certain}, depth);
  if (is_integer(from) && a->facts.magnitude > 10'000) {
    a = node(settled(a->facts, 1000, 0), "($0 % 1000)", fmt::format("($0 % {}(1000))", numpy_name(from)), {a});
  }
  const Facts base = derived(want.element, want.shape, {a->facts});
  const double error = a->facts.error + unit(want.element) * a->facts.magnitude;
  return node(settled(base, a->facts.magnitude, error), fmt::format("{}($0)", name(want.element)),
              fmt::format("cast($0, {})", numpy_name(want.element)), {a});
}

// Stored in fewer bits: what does not fit wraps.
ExpressionRef narrowed(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::i64) return nullptr;
  constexpr std::array kStored = {Element::i8, Element::u8, Element::i16, Element::u16, Element::u32};
  const Element stored = maker.random.pick(kStored);
  const ExpressionRef a = maker.make(want, depth);
  return node(settled(derived(want.element, want.shape, {a->facts}), 0x1p32, 0),
              fmt::format("i64({}($0))", name(stored)),
              fmt::format("np.int64(np.asarray($0).astype({}))", numpy_name(stored)), {a});
}

ExpressionRef cast(Maker& maker, const Want& want, int depth) {
  const Element from = maker.random_element();
  if (from == want.element) return nullptr;
  if (is_float(want.element)) return cast_to_float(maker, want, from, depth);
  const ExpressionRef a = maker.make({from, want.shape, true}, depth);
  if (is_float(from) && a->facts.magnitude > 1e6) return nullptr;
  const double magnitude = want.element == Element::boolean ? 1 : a->facts.magnitude;
  const Facts facts = settled(derived(want.element, want.shape, {a->facts}), magnitude, 0);
  return node(facts, fmt::format("{}($0)", name(want.element)), fmt::format("cast($0, {})", numpy_name(want.element)),
              {a});
}

// Stored in 16 bits, moved or not, and widened. Values that are not certain may come to either side of where two stored
// numbers meet: a step of the storage type apart.
ExpressionRef stored(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::f32) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const bool is_f16 = maker.random.chance(50);
  const bool may_overflow = is_f16 && !(a->facts.finite && a->facts.magnitude < 60'000);
  if (!a->facts.certain() && (may_overflow || !a->facts.finite)) return nullptr;
  Layout layout = random_layout(maker.random, want.shape.size(), Pending{});
  const bool moves = !want.shape.empty() && maker.random.chance(60);
  const std::string moved = moves ? fmt::format(" as {}", maker.layout(want.shape, layout)) : "";
  const double step = (is_f16 ? 0x1p-10 : 0x1p-7) * a->facts.magnitude + 0x1p-24;
  Facts facts = settled(a->facts, a->facts.magnitude * 1.01 + 0x1p-24, a->facts.error + step);
  facts.finite = facts.finite && !may_overflow;
  const std::string_view storage = is_f16 ? "f16" : "bf16";
  return node(facts, fmt::format("f32({}($0){})", storage, moved), fmt::format("stored_{}($0)", storage), {a});
}

}  // namespace

std::vector<Production> elementwise_productions() {
  return {{"function", 8, function},
          {"arithmetic", 12, arithmetic},
          {"with literal", 6, with_literal},
          {"division", 5, division},
          {"power", 2, power},
          {"comparison", 10, comparison},
          {"logic", 8, logic},
          {"bits", 60, bits, 1},
          {"where", 4, where},
          {"clip", 2, clip},
          {"cast", 6, cast},
          {"narrowed", 2, narrowed},
          {"stored", 4, stored}};
}

}  // namespace tessera::generator
