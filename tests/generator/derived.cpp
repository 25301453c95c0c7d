// Operations that are made of others: masks of reductions, spreads, triangles, products of vectors, questions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/generator/reduced.hpp"

namespace tessera::generator {

namespace {

// A small float operand: what is squared stays far from an overflow.
ExpressionRef small(Maker& maker, Element element, const Shape& shape, int depth) {
  const ExpressionRef a = maker.make({element, shape, false}, depth);
  return a->facts.magnitude > 100 ? clipped(a, 100) : a;
}

// Only where the mask holds; where it holds nowhere, a maximum would be infinite and a mean no number: zero is taken.
ExpressionRef masked(Maker& maker, const Want& want, int depth) {
  const bool is_inexact = is_float(want.element);
  if (want.element == Element::boolean || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  if (count(from.shape) == 0) return nullptr;
  const Dimensions over = dimensions(maker.random, from);
  const ExpressionRef a = maker.make({want.element, from.shape, want.certain}, depth);
  const ExpressionRef c = maker.make({Element::boolean, from.shape, true}, depth);
  const std::string element(numpy_name(want.element));
  const Facts base = derived(want.element, want.shape, {a->facts, c->facts});
  const auto one = [&](const Facts& facts, std::string_view tessera, std::string_view numpy) {
    return node(facts, filled(tessera, {"$0", "$1", over.tessera}), filled(numpy, {"$0", "$1", over.numpy, element}),
                {a, c});
  };
  const std::int64_t which = maker.random.below(4);
  if (which < 2) {
    Facts facts = of_choice(base, {a->facts});
    facts.zero_signs = facts.zero_signs && !is_inexact;
    const std::string name = which == 0 ? "max" : "min";
    const std::string end = !is_inexact ? fmt::format("np.iinfo($3).{}", which == 0 ? "min" : "max")
                                        : fmt::format("$3({}np.inf)", which == 0 ? "-" : "");
    return one(facts, fmt::format("where(any($1$2), {}($0$2, where=$1), {}(0))", name, generator::name(want.element)),
               fmt::format("np.where(np.any($1, axis=$2), np.{}(np.where($1, $0, {}), axis=$2), $3(0))", name, end));
  }
  if (want.certain && is_inexact) return nullptr;
  const Facts total = of_total(base, a->facts, from.elements);
  if (which == 2 || !is_inexact) return one(total, "sum($0$2, where=$1)", "np.sum($0, axis=$2, dtype=$3, where=$1)");
  const Facts facts = settled(total, a->facts.magnitude, total.error + 2 * unit(want.element) * total.magnitude);
  return one(facts, fmt::format("where(any($1$2), mean($0$2, where=$1), {}(0))", generator::name(want.element)),
             "np.where(np.any($1, axis=$2), np.mean($0, axis=$2, dtype=$3, where=$1), $3(0))");
}

// Facts of the sum of n squares of distances from the mean.
Facts of_squares(const Facts& result, const Facts& a, std::int64_t n) {
  const double u = unit(result.element);
  const auto terms = static_cast<double>(n);
  Facts distance = result;
  distance.same_bits = false;
  distance.portable = false;
  distance = settled(distance, 2 * a.magnitude, 2 * a.error + (terms + 8) * u * a.magnitude);
  return of_contraction(distance, distance, distance, n);
}

ExpressionRef spread(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  const ExpressionRef a = small(maker, want.element, from.shape, depth);
  const int ddof = from.elements > 1 && maker.random.chance(40) ? 1 : 0;
  Dimensions over = dimensions(maker.random, from);
  if (ddof == 1) {
    over.tessera += ", ddof=1";
    over.numpy += ", ddof=1";
  }
  const Facts squares = of_squares(derived(want.element, want.shape, {a->facts}), a->facts, from.elements);
  const auto terms = static_cast<double>(std::max<std::int64_t>(1, from.elements - ddof));
  const Facts variance = settled(squares, squares.magnitude / terms, squares.error / terms);
  if (maker.random.chance(50)) return reduced("var", "np.var($0, axis=$1, dtype=$2)", over, variance, a);
  const Facts deviation = settled(variance, std::sqrt(variance.magnitude) + 1, std::sqrt(variance.error));
  return reduced("std", "np.std($0, axis=$1, dtype=$2)", over, deviation, a);
}

ExpressionRef length(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  const ExpressionRef a = small(maker, want.element, from.shape, depth);
  const Facts squares = of_squares(derived(want.element, want.shape, {a->facts}), a->facts, from.elements);
  const Facts facts = settled(squares, std::sqrt(squares.magnitude) + 1, std::sqrt(squares.error));
  return reduced("norm", "np.sqrt(np.sum(np.square($0), axis=$1, dtype=$2))", dimensions(maker.random, from), facts, a);
}

// The whole matrix, a row of it, or an element.
ExpressionRef covariance(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.size() > 2) return nullptr;
  const bool is_matrix = want.shape.size() == 2;
  if (is_matrix && want.shape[0] != want.shape[1]) return nullptr;
  const std::int64_t rows = want.shape.empty() ? maker.random.between(1, 5) : want.shape.back();
  const std::int64_t columns = maker.random.between(2, 9);
  if (rows == 0 || rows * std::max(rows, columns) > kElementsMax) return nullptr;
  const ExpressionRef a = small(maker, want.element, {rows, columns}, depth);
  const Facts squares = of_squares(derived(want.element, want.shape, {a->facts}), a->facts, columns);
  const auto terms = static_cast<double>(columns - 1);
  const Facts facts = settled(squares, squares.magnitude / terms, squares.error / terms);
  const std::int64_t i = maker.random.below(rows);
  const std::string part = is_matrix            ? ""
                           : want.shape.empty() ? fmt::format("[{}, {}]", i, rows - 1)
                                                : fmt::format("[{}]", i);
  return node(facts, "cov($0)" + part, fmt::format("cov($0){}", part), {a});
}

ExpressionRef of_vectors(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || want.shape.size() == 1 || want.shape.size() > 2) return nullptr;
  const bool is_inner = want.shape.empty();
  if (is_inner && want.certain && is_float(want.element)) return nullptr;
  const std::int64_t terms = maker.random.between(1, 9);
  const ExpressionRef a = maker.make({want.element, {is_inner ? terms : want.shape[0]}, want.certain}, depth);
  const ExpressionRef b = maker.make({want.element, {is_inner ? terms : want.shape[1]}, want.certain}, depth);
  const auto all =
      agreeing(maker, {a, b}, is_inner ? std::vector<std::string>{"k", "k"} : std::vector<std::string>{"i", "j"});
  const Facts base = derived(want.element, want.shape, facts_of(all));
  if (is_inner) return node(of_contraction(base, a->facts, b->facts, terms), "dot($0, $1)", "np.dot($0, $1)", all);
  return node(of_product(base, a->facts, b->facts), "outer($0, $1)", "np.multiply.outer($0, $1)", all);
}

ExpressionRef triangle(Maker& maker, const Want& want, int depth) {
  if (want.shape.size() < 2) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const std::int64_t k = maker.random.between(-3, 3);
  const char* const name = maker.random.chance(50) ? "tril" : "triu";
  const Facts facts = of_choice(derived(want.element, want.shape, {a->facts}), {a->facts});
  const std::string offset = k == 0 ? "" : fmt::format(", {}", k);
  return node(facts, fmt::format("{}($0{})", name, offset), fmt::format("np.{}($0, {})", name, k), {a});
}

// Of a matrix, or the matrix of a vector.
ExpressionRef diagonal(Maker& maker, const Want& want, int depth) {
  const bool makes_matrix = want.shape.size() == 2;
  if (want.shape.empty() || want.shape.size() > 2 || (makes_matrix && want.shape[0] != want.shape[1])) return nullptr;
  if (!makes_matrix && want.element == Element::boolean) return nullptr;
  const std::int64_t n = want.shape[0];
  const std::int64_t longer = n + maker.random.below(3);
  if (!makes_matrix && n * longer > kElementsMax) return nullptr;
  const Shape of_matrix = maker.random.chance(50) ? Shape{n, longer} : Shape{longer, n};
  const ExpressionRef a = maker.make({want.element, makes_matrix ? Shape{n} : of_matrix, want.certain}, depth);
  const Facts facts = of_choice(derived(want.element, want.shape, {a->facts}), {a->facts});
  return node(facts, "diag($0)", "np.diag($0)", {a});
}

ExpressionRef question(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::boolean) return nullptr;
  const Element element = maker.random.chance(50) ? Element::f32 : Element::f64;
  const ExpressionRef a = maker.make({element, want.shape, true}, depth);
  const ExpressionRef b = maker.make({element, want.shape, true}, depth);
  const std::string name = maker.random.chance(50) ? "isnan" : "isfinite";
  const Facts facts = settled(derived(Element::boolean, want.shape, {a->facts, b->facts}), 1, 0);
  return node(facts, name + "($0 / $1)", fmt::format("np.{}($0 / $1)", name), {a, b});
}

}  // namespace

std::vector<Production> derived_productions() {
  return {{"masked", 5, masked},         {"spread", 3, spread},         {"length", 2, length},
          {"covariance", 2, covariance}, {"of vectors", 3, of_vectors}, {"triangle", 4, triangle},
          {"question", 2, question},     {"diagonal", 2, diagonal}};
}

}  // namespace tessera::generator
