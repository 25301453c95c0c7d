#include "tests/generator/maker.hpp"

#include <fmt/format.h>

#include <array>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

std::vector<Production> all_productions() {
  std::vector<Production> all;
  for (auto family :
       {elementwise_productions, reduction_productions, derived_productions, complex_productions, shape_productions,
        selection_productions, contraction_productions, matrix_productions, layout_productions, control_productions}) {
    for (const Production& production : family()) all.push_back(production);
  }
  return all;
}

const Production& weighted(Random& random, const std::vector<Production>& all, int stage) {
  const auto weight = [&](const Production& one) { return one.since > stage ? 0 : one.weight; };
  int total = 0;
  for (const Production& production : all) total += weight(production);
  std::int64_t at = random.below(total);
  for (const Production& production : all) {
    at -= weight(production);
    if (at < 0) return production;
  }
  return all.back();
}

bool serves(const Facts& facts, const Want& want) {
  return facts.element == want.element && facts.shape == want.shape && (!want.certain || facts.certain());
}

}  // namespace

const std::vector<Production>& productions() {
  static const std::vector<Production> all = all_productions();
  return all;
}

ExpressionRef Maker::make(const Want& want, int depth) {
  constexpr int kAttempts = 8;
  if (depth <= 0) return leaf(want);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Production& production = weighted(random, productions(), stage);
    ExpressionRef made = production.make(*this, want, depth - 1);
    if (made != nullptr && (!want.certain || made->facts.certain())) return tamed(made);
  }
  return leaf(want);
}

ExpressionRef Maker::make_with(const std::vector<Variable>& names, const Want& want, int depth) {
  const std::size_t outer = scope.size();
  scope.insert(scope.end(), names.begin(), names.end());
  ExpressionRef made = make(want, depth);
  scope.resize(outer);
  return made;
}

ExpressionRef Maker::leaf(const Want& want) {
  if (random.chance(75)) {
    if (ExpressionRef found = variable(want)) return found;
  }
  return constructor(want);
}

ExpressionRef Maker::variable(const Want& want) {
  std::vector<Variable> fitting;
  for (const Variable& one : scope) {
    if (serves(one.facts, want)) fitting.push_back(one);
  }
  if (fitting.empty()) return nullptr;
  return named(random.pick(fitting));
}

ExpressionRef Maker::position(std::int64_t limit, int depth) {
  if (depth <= 0 || random.chance(50)) {
    const std::string digits = std::to_string(random.below(limit));
    return node(settled(derived(Element::i64, {}, {}), static_cast<double>(limit), 0), digits, digits);
  }
  const ExpressionRef any = make({Element::i64, {}, true}, depth);
  const std::string form = fmt::format("($0 % {})", limit);
  return node(settled(derived(Element::i64, {}, facts_of({any})), static_cast<double>(limit), 0), form, form, {any});
}

std::int64_t Maker::random_extent() {
  constexpr auto kExtents = std::to_array<std::int64_t>({1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17});
  return random.chance(2) ? 0 : random.pick(kExtents);
}

Shape Maker::random_shape() {
  constexpr auto kRanks = std::to_array<int>({0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4});
  if (!scope.empty() && random.chance(40)) return random.pick(scope).facts.shape;
  Shape shape;
  const int rank = random.pick(kRanks);
  for (int d = 0; d < rank; ++d) {
    shape.push_back(random_extent());
    if (count(shape) > kElementsMax) shape.back() = 2;
  }
  return shape;
}

Element Maker::random_element() {
  constexpr auto kElements =
      std::to_array<Element>({Element::boolean, Element::i32, Element::i32, Element::i64, Element::i64, Element::i64,
                              Element::f32, Element::f32, Element::f32, Element::f32, Element::f64, Element::f64});
  return random.pick(kElements);
}

std::string Maker::fresh(std::string_view prefix) { return fmt::format("{}{}", prefix, ++names_); }

std::string Maker::extent(std::int64_t value) {
  if (constants.empty() || value == 0 || !random.chance(30)) return std::to_string(value);
  const auto& [constant, own] = random.pick(constants);
  if (own == value) return constant;
  if (value % own == 0) return fmt::format("({} * {})", value / own, constant);
  return value > own ? fmt::format("({} + {})", constant, value - own)
                     : fmt::format("({} - {})", constant, own - value);
}

std::string Maker::layout(const Shape& shape, const Layout& layout) {
  std::vector<std::string> extents;
  for (const std::int64_t value : shape) extents.push_back(extent(value));
  return layout_text(extents, layout);
}

std::string Maker::type(Element element, const Shape& shape, const Layout& own) {
  return std::string(name(element)) + layout(shape, own) + (random.chance(5) ? " on m" : "");
}

Pending Maker::pending_of(Element element) { return element == Element::boolean ? Pending::none : Pending::perhaps; }

ExpressionRef named(const Variable& variable) { return node(variable.facts, variable.name, variable.name); }

std::string numpy_literal(Element element, std::string_view digits) {
  return fmt::format("{}({})", numpy_name(element), digits);
}

ExpressionRef tamed(const ExpressionRef& expression) {
  constexpr double kMagnitudeMax = 1e5;
  ExpressionRef result = expression;
  while (is_float(result->facts.element) && result->facts.magnitude > kMagnitudeMax) {
    Facts factor = settled(derived(result->facts.element, {}, {}), 0x1p-10, 0);
    const Facts facts =
        of_product(derived(result->facts.element, result->facts.shape, {result->facts}), result->facts, factor);
    const std::string digits = "0.0009765625";
    result = node(facts, fmt::format("($0 * {})", digits),
                  fmt::format("($0 * {})", numpy_literal(facts.element, digits)), {result});
  }
  return result;
}

ExpressionRef clipped(const ExpressionRef& expression, int magnitude) {
  Facts facts = derived(expression->facts.element, expression->facts.shape, {expression->facts});
  facts =
      settled(facts, std::min(expression->facts.magnitude, static_cast<double>(magnitude)), expression->facts.error);
  const auto bound = [&](int value) { return numpy_literal(facts.element, fmt::format("{}.0", value)); };
  return node(facts, fmt::format("clip($0, -{0}.0, {0}.0)", magnitude),
              fmt::format("np.clip($0, {}, {})", bound(-magnitude), bound(magnitude)), {expression});
}

}  // namespace tessera::generator
