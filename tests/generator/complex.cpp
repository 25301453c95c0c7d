// Complex numbers and Fourier transforms, inside what gives floats: no name is bound to complex numbers, so that what
// is compared are their parts, sizes and angles. The magnitude of a complex value bounds its size; its error, the size
// of the difference.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/generator/reduced.hpp"

namespace tessera::generator {

namespace {

Element complex_of(Element part) { return part == Element::f32 ? Element::c64 : Element::c128; }

// Facts are reckoned in the type of a part.
Facts of_parts(Facts facts, Element part) {
  facts.element = part;
  return facts;
}

// Makes complex values with parts of one type.
class Complex {
 public:
  Complex(Maker& maker, Element part) : maker_(maker), part_(part) {}

  ExpressionRef make(const Shape& shape, bool certain, int depth) {
    using Way = ExpressionRef (Complex::*)(const Shape&, bool, int);
    constexpr auto kExact = std::to_array<Way>({&Complex::join, &Complex::join, &Complex::cast, &Complex::sum,
                                                &Complex::turned, &Complex::chosen, &Complex::laid, &Complex::moved});
    constexpr auto kRounded = std::to_array<Way>({&Complex::product, &Complex::quotient, &Complex::raised,
                                                  &Complex::transform, &Complex::transform, &Complex::total,
                                                  &Complex::matrices, &Complex::running, &Complex::repeated});
    if (depth <= 0) return join(shape, certain, 0);
    const bool exact = certain || maker_.random.chance(40);
    const Way way = exact ? maker_.random.pick(kExact) : maker_.random.pick(kRounded);
    const ExpressionRef made = (this->*way)(shape, certain, depth - 1);
    return made == nullptr ? join(shape, certain, depth - 1) : tame(made);
  }

  ExpressionRef part(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = maker_.make({part_, shape, certain}, depth);
    return a->facts.magnitude > 100 ? clipped(a, 100) : a;
  }
  // A node of complex values: facts are given in the type of a part.
  ExpressionRef of(Facts facts, std::string tessera, std::string numpy, std::vector<ExpressionRef> operands) const {
    facts.element = complex_of(part_);
    return node(facts, std::move(tessera), std::move(numpy), std::move(operands));
  }
  Facts parts(const ExpressionRef& a) const { return of_parts(a->facts, part_); }
  // Facts of a function that rounds in its own way, with so many roundings of numbers up to the magnitude.
  Facts rounded(const Shape& shape, const std::vector<ExpressionRef>& operands, double magnitude, double error,
                double roundings) const {
    Facts facts = derived(part_, shape, facts_of(operands));
    facts.portable = false;
    facts.zero_signs = false;
    return settled(facts, magnitude, error + roundings * unit(part_) * (magnitude + 1));
  }
  // The dimension of a line, and the shape with another extent there.
  std::size_t line(const Shape& shape) { return maker_.random.index(shape); }

 private:
  ExpressionRef join(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = part(shape, certain, depth);
    const ExpressionRef b = part(shape, certain, depth);
    Facts facts = derived(part_, shape, facts_of({a, b}));
    facts = settled(facts, a->facts.magnitude + b->facts.magnitude, a->facts.error + b->facts.error);
    return of(facts, "complex($0, $1)", "joined($0, $1)", {a, b});
  }

  ExpressionRef cast(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = part(shape, certain, depth);
    const Facts facts = settled(derived(part_, shape, {a->facts}), a->facts.magnitude, a->facts.error);
    return of(facts, fmt::format("{}($0)", name(complex_of(part_))),
              fmt::format("cast($0, {})", numpy_name(complex_of(part_))), {a});
  }

  ExpressionRef sum(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = make(shape, certain, depth);
    const ExpressionRef b = maker_.random.chance(20) ? part(shape, certain, depth) : make(shape, certain, depth);
    const Facts facts = of_sum(derived(part_, shape, facts_of({a, b})), parts(a), parts(b));
    const char* const form = maker_.random.chance(50) ? "($0 + $1)" : "($0 - $1)";
    return of(facts, form, form, {a, b});
  }

  ExpressionRef turned(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = make(shape, certain, depth);
    const bool conjugates = maker_.random.chance(60);
    return of(parts(a), conjugates ? "conj($0)" : "(-$0)", conjugates ? "np.conj($0)" : "(-$0)", {a});
  }

  ExpressionRef chosen(const Shape& shape, bool certain, int depth) {
    const ExpressionRef c = maker_.make({Element::boolean, shape, true}, depth);
    const ExpressionRef a = make(shape, certain, depth);
    const ExpressionRef b = make(shape, certain, depth);
    const Facts facts = of_choice(derived(part_, shape, facts_of({c, a, b})), {parts(a), parts(b)});
    return of(facts, "where($0, $1, $2)", "np.where($0, $1, $2)", {c, a, b});
  }

  ExpressionRef laid(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = make(shape, certain, depth);
    const Layout layout = random_layout(maker_.random, shape.size(), Pending::perhaps);
    Facts facts = parts(a);
    facts.zero_signs = facts.zero_signs && layout.pending.empty();
    const bool is_sum = layout.pending.empty() || layout.reduction == "+";
    if (!is_sum) return a;
    return of(facts, fmt::format("($0 as {})", maker_.type(complex_of(part_), shape, layout)), "$0", {a});
  }

  ExpressionRef moved(const Shape& shape, bool certain, int depth) {
    if (shape.empty()) return make(shape, certain, depth);
    const ExpressionRef a = make(shape, certain, depth);
    const std::size_t d = line(shape);
    if (maker_.random.chance(50))
      return of(parts(a), fmt::format("reverse($0, {})", d), fmt::format("np.flip($0, {})", d), {a});
    const auto by = maker_.random.below(5);
    return of(parts(a), fmt::format("roll($0, {}, {})", by, d), fmt::format("np.roll($0, {}, axis={})", by, d), {a});
  }

  ExpressionRef product(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = make(shape, certain, depth);
    const ExpressionRef b = make(shape, certain, depth);
    const double magnitude = a->facts.magnitude * b->facts.magnitude;
    const double error = a->facts.error * b->facts.magnitude + b->facts.error * a->facts.magnitude;
    return of(rounded(shape, {a, b}, magnitude, error, 4), "($0 * $1)", "($0 * $1)", {a, b});
  }

  // By a number whose size is at least 1.
  ExpressionRef quotient(const Shape& shape, bool certain, int depth) {
    const ExpressionRef a = make(shape, certain, depth);
    const ExpressionRef b = part(shape, certain, depth);
    const ExpressionRef c = part(shape, certain, depth);
    const double error = a->facts.error + a->facts.magnitude * (b->facts.error + c->facts.error + unit(part_));
    const std::string one = numpy_literal(part_, "1");
    return of(rounded(shape, {a, b, c}, a->facts.magnitude, error, 16), "($0 / complex(abs($1) + 1.0, $2))",
              fmt::format("($0 / joined(np.abs($1) + {}, $2))", one), {a, b, c});
  }

  // e to the power of a number with a small real part.
  ExpressionRef raised(const Shape& shape, bool certain, int depth) {
    ExpressionRef a = part(shape, certain, depth);
    if (a->facts.magnitude > 2) a = clipped(a, 2);
    const ExpressionRef b = part(shape, certain, depth);
    constexpr double kMost = 8;
    const double error =
        kMost * (a->facts.error + b->facts.error + 2 * unit(part_) * (a->facts.magnitude + b->facts.magnitude));
    return of(rounded(shape, {a, b}, kMost, error, 8), "exp(complex($0, $1))", "np.exp(joined($0, $1))", {a, b});
  }

  ExpressionRef transform(const Shape& shape, bool certain, int depth) {
    if (shape.empty() || count(shape) == 0) return nullptr;
    const std::size_t d = line(shape);
    const std::int64_t half = shape[d];
    const std::int64_t which = maker_.random.below(3);
    Shape from = shape;
    if (which == 2) from[d] = half == 1 ? 1 : 2 * half - 1 - maker_.random.below(2);
    const auto n = static_cast<double>(from[d]);
    const ExpressionRef a = which == 2 ? part(from, certain, depth) : make(from, certain, depth);
    const char* const name = which == 0 ? "fft" : which == 1 ? "ifft" : "rfft";
    const double terms = which == 1 ? 1 : n;
    const Facts facts = rounded(shape, {a}, terms * a->facts.magnitude, terms * a->facts.error, 40);
    return of(facts, fmt::format("{}($0, {})", name, d),
              fmt::format("cast(np.fft.{}($0, axis={}), {})", name, d, numpy_name(complex_of(part_))), {a});
  }

  ExpressionRef total(const Shape& shape, bool certain, int depth) {
    const Wider from = wider(maker_.random, shape, 2);
    if (count(from.shape) == 0) return nullptr;
    const Dimensions over = dimensions(maker_.random, from);
    const ExpressionRef a = make(from.shape, certain, depth);
    Facts facts = of_total(derived(part_, shape, {a->facts}), parts(a), from.elements);
    facts.zero_signs = false;
    const bool is_mean = maker_.random.chance(40);
    if (is_mean) facts.error += 2 * unit(part_) * facts.magnitude;
    return of(facts, fmt::format("{}($0{})", is_mean ? "mean" : "sum", over.tessera),
              fmt::format("np.{}($0, axis={}, dtype={})", is_mean ? "mean" : "sum", over.numpy,
                          numpy_name(complex_of(part_))),
              {a});
  }

  ExpressionRef matrices(const Shape& shape, bool certain, int depth) {
    if (shape.size() != 2) return nullptr;
    const std::int64_t k = maker_.random.between(1, 9);
    std::vector<ExpressionRef> both = {make({shape[0], k}, certain, depth), make({k, shape[1]}, certain, depth)};
    both = agreeing(maker_, both, {"ik", "kj"});
    Facts facts = of_contraction(derived(part_, shape, facts_of(both)), parts(both[0]), parts(both[1]), 4 * k);
    facts.zero_signs = false;
    return of(facts, "($0 @ $1)", "($0 @ $1)", both);
  }

  ExpressionRef running(const Shape& shape, bool certain, int depth) {
    if (shape.empty()) return nullptr;
    const ExpressionRef a = make(shape, certain, depth);
    const std::size_t d = line(shape);
    Facts facts = of_total(derived(part_, shape, {a->facts}), parts(a), std::max<std::int64_t>(shape[d], 1));
    facts.zero_signs = false;
    return of(facts, fmt::format("cumsum($0, {})", d),
              fmt::format("np.cumsum($0, axis={}, dtype={})", d, numpy_name(complex_of(part_))), {a});
  }

  // A carried value that is halved in each turn.
  ExpressionRef repeated(const Shape& shape, bool certain, int depth) {
    const ExpressionRef start = make(shape, certain, depth);
    const ExpressionRef added = make(shape, certain, depth);
    const std::string type =
        maker_.type(complex_of(part_), shape, random_layout(maker_.random, shape.size(), Pending::none));
    const std::string w = maker_.fresh("w");
    const std::string k = maker_.fresh("k");
    const std::int64_t turns = maker_.random.below(4);
    const double magnitude = start->facts.magnitude + 2 * added->facts.magnitude;
    const double error = start->facts.error + 2 * added->facts.error;
    return of(rounded(shape, {start, added}, magnitude, error, 4),
              fmt::format("(loop {0} = $0 as {1} for {2} < {3} {{ ({0} * 0.5 + $1) as {1} }})", w, type, k, turns),
              fmt::format("loop(lambda {0}, {1}: {1} * {2} + $1, {3}, $0)", k, w, numpy_literal(part_, "0.5"), turns),
              {start, added});
  }

  ExpressionRef tame(const ExpressionRef& expression) const {
    constexpr double kMagnitudeMax = 1e4;
    ExpressionRef result = expression;
    while (result->facts.magnitude > kMagnitudeMax) {
      Facts facts = parts(result);
      facts =
          settled(facts, facts.magnitude * 0x1p-10, facts.error * 0x1p-10 + unit(part_) * facts.magnitude * 0x1p-10);
      result =
          of(facts, "($0 * 0.0009765625)", fmt::format("($0 * {})", numpy_literal(part_, "0.0009765625")), {result});
    }
    return result;
  }

  Maker& maker_;
  Element part_;
};

ExpressionRef of_complex(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element)) return nullptr;
  Complex complex(maker, want.element);
  const bool is_real = maker.random.chance(50);
  const ExpressionRef a = complex.make(want.shape, want.certain, depth);
  const Facts own = complex.parts(a);
  if (want.certain || maker.random.chance(65))
    return node(own, is_real ? "re($0)" : "im($0)", is_real ? "np.real($0)" : "np.imag($0)", {a});
  return node(complex.rounded(want.shape, {a}, own.magnitude, own.error, 8), "abs($0)", "np.abs($0)", {a});
}

// Of numbers with a positive real part, where the angle does not jump.
ExpressionRef angle(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain) return nullptr;
  Complex complex(maker, want.element);
  const ExpressionRef a = complex.part(want.shape, false, depth);
  const ExpressionRef b = complex.part(want.shape, false, depth);
  const double error = a->facts.error + b->facts.error + 4 * unit(want.element);
  return node(complex.rounded(want.shape, {a, b}, 1.6, error, 8), "angle(complex(abs($0) + 1.0, $1))",
              fmt::format("np.angle(joined(np.abs($0) + {}, $1))", numpy_literal(want.element, "1")), {a, b});
}

ExpressionRef back_to_reals(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.empty() || count(want.shape) == 0) return nullptr;
  Complex complex(maker, want.element);
  const std::size_t d = complex.line(want.shape);
  const std::int64_t n = want.shape[d];
  Shape from = want.shape;
  from[d] = n / 2 + 1;
  const ExpressionRef a = complex.make(from, false, depth);
  const Facts facts = complex.rounded(want.shape, {a}, 2 * a->facts.magnitude, 2 * a->facts.error, 40);
  return node(facts, fmt::format("irfft($0, {}, n={})", d, n),
              fmt::format("cast(np.fft.irfft($0, axis={}, n={}), {})", d, n, numpy_name(want.element)), {a});
}

// The distances that are added are at least 1, where the root is not steep.
ExpressionRef length_of_complex(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  if (count(from.shape) == 0) return nullptr;
  const Dimensions over = dimensions(maker.random, from);
  Complex complex(maker, want.element);
  const ExpressionRef a = complex.part(from.shape, false, depth);
  const ExpressionRef b = complex.part(from.shape, false, depth);
  const auto n = static_cast<double>(from.elements);
  const double size = a->facts.magnitude + b->facts.magnitude + 1;
  const double error = n * size * (a->facts.error + b->facts.error + (n + 16) * unit(want.element) * size);
  Facts facts = complex.rounded(want.shape, {a, b}, n * size, error, 8);
  facts.same_bits = false;
  return node(facts, fmt::format("norm(complex(abs($0) + 1.0, $1){})", over.tessera),
              fmt::format("np.sqrt(np.sum(np.square(np.abs($0) + {0}) + np.square($1), axis={1}, dtype={2}))",
                          numpy_literal(want.element, "1"), over.numpy, numpy_name(want.element)),
              {a, b});
}

// Everything is close to itself, and nothing to what is one more.
ExpressionRef closeness_of_complex(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::boolean || !want.shape.empty()) return nullptr;
  Complex complex(maker, maker.random.chance(50) ? Element::f32 : Element::f64);
  const Shape shape = maker.random_shape();
  const ExpressionRef a = complex.make(shape, false, depth);
  const bool is_same = maker.random.chance(50);
  const bool holds = is_same || count(shape) == 0;
  const double far = a->facts.magnitude + a->facts.error + 1;
  const std::string other = is_same ? "z" : fmt::format("z + {:.1f}", far);
  return node(settled(derived(Element::boolean, {}, {}), 1, 0),
              fmt::format("({{ let z = $0; allclose(z, {}) }})", other),
              fmt::format("(np.bool_({}) if np.size($0) >= 0 else None)", holds ? 1 : 0), {a});
}

}  // namespace

std::vector<Production> complex_productions() {
  return {{"of_complex", 4, of_complex},
          {"angle", 1, angle},
          {"back_to_reals", 2, back_to_reals},
          {"length", 1, length_of_complex},
          {"close", 1, closeness_of_complex}};
}

}  // namespace tessera::generator
