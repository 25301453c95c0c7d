// Leaves: constructors in random layouts, and literals.
#include <fmt/format.h>

#include <array>

#include "tests/generator/maker.hpp"

namespace tessera::generator {

namespace {

// A number that every element type of its kind holds exactly, and its magnitude.
std::pair<std::string, double> random_digits(Random& random, Element element) {
  constexpr auto kFloats = std::to_array<std::pair<std::string_view, double>>(
      {{"0.5", 0.5}, {"-0.75", 0.75}, {"1.5", 1.5}, {"2.0", 2}, {"-3.0", 3}, {"0.125", 0.125}, {"0.0", 0}, {"7.0", 7}});
  if (is_float(element)) {
    const auto& [digits, magnitude] = random.pick(kFloats);
    return {std::string(digits), magnitude};
  }
  const std::int64_t value = random.between(-5, 9);
  return {std::to_string(value), static_cast<double>(value < 0 ? -value : value)};
}

std::string nested(Random& random, Element element, const Shape& shape, std::size_t dimension, double& magnitude) {
  if (dimension == shape.size()) {
    const auto [digits, own] = random_digits(random, element);
    magnitude = std::max(magnitude, own);
    return digits;
  }
  std::vector<std::string> items;
  for (std::int64_t k = 0; k < shape[dimension]; ++k)
    items.push_back(nested(random, element, shape, dimension + 1, magnitude));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// A list of numbers, replicated.
ExpressionRef list_literal(Maker& maker, const Want& want) {
  double magnitude = 0;
  const std::string list = nested(maker.random, want.element, want.shape, 0, magnitude);
  const Facts facts = settled(derived(want.element, want.shape, {}), magnitude, 0);
  return node(facts, fmt::format("{}({})", name(want.element), list),
              fmt::format("np.array({}, dtype={})", list, numpy_name(want.element)));
}

struct Constructor {
  std::string_view tessera;  // the type is $0 here; $3 is a dimension, $4 a diagonal
  std::string_view numpy;    // $0 is the shape, $1 the element type; $4 a dimension, $5 a diagonal
  double magnitude;
  bool portable;
};

// Arguments drawn anew for each use: a seed, or a number to fill with.
ExpressionRef construct(Maker& maker, const Want& want, const Constructor& kind) {
  const Layout layout = random_layout(maker.random, want.shape.size(), maker.pending_of(want.element));
  const std::string type = maker.type(want.element, want.shape, layout);
  const std::string seed = std::to_string(maker.random.below(1000));
  const auto [digits, own] = random_digits(maker.random, want.element);
  Facts facts = derived(want.element, want.shape, {});
  facts.portable = kind.portable;
  facts.zero_signs = layout.pending.empty();
  const bool fills = kind.tessera.find("$2") != std::string_view::npos;
  facts = settled(facts, fills ? own : kind.magnitude, 8 * unit(want.element) * kind.magnitude);
  const std::string shape = list_text(want.shape);
  const std::string element(numpy_name(want.element));
  const std::string dimension = std::to_string(want.shape.empty() ? 0 : maker.random.index(want.shape));
  const std::string diagonal = std::to_string(maker.random.between(-2, 2));
  return node(facts, filled(kind.tessera, {type, seed, digits, dimension, diagonal}),
              filled(kind.numpy, {shape, element, seed, digits, dimension, diagonal}));
}

constexpr Constructor kZeros = {"zeros($0)", "np.zeros($0, dtype=$1)", 0, true};
constexpr Constructor kOnes = {"ones($0)", "np.ones($0, dtype=$1)", 1, true};
constexpr Constructor kFull = {"full($0, $2)", "np.full($0, $3, dtype=$1)", 0, true};
constexpr Constructor kEye = {"eye($0, $4)", "np.eye(*$0, $5, dtype=$1)", 1, true};
constexpr Constructor kLinspace = {"linspace($0, -1.5, 4.0)", "np.linspace(-1.5, 4.0, $0[0], dtype=$1)", 4, false};
constexpr Constructor kRandom = {"random($0, $1)", "philox_uniform($0, $1, $2)", 1, true};
constexpr Constructor kNormal = {"normal($0, $1)", "philox_normal($0, $1, $2)", 9, false};

Constructor random_constructor(Random& random, const Want& want) {
  const Constructor iota = {"iota($0)", "np.arange(np.prod($0, dtype=np.int64), dtype=np.int64).astype($1).reshape($0)",
                            static_cast<double>(count(want.shape)), true};
  const Constructor along = {"iota($0, dim=$3)", "np.indices($0)[$4].astype($1)",
                             static_cast<double>(count(want.shape)), true};
  const std::int64_t which = random.below(13);
  if (which == 10 && want.shape.size() == 2) return kEye;
  if (which == 11 && want.shape.size() == 1 && is_float(want.element) && !want.certain) return kLinspace;
  if (which >= 10) return want.shape.empty() ? iota : along;
  if (which == 0) return kZeros;
  if (which == 1) return kOnes;
  if (which == 2) return kFull;
  if (which < 6 || !is_float(want.element)) return iota;
  return which < 9 || want.certain ? kRandom : kNormal;
}

// Every third element or so is true.
ExpressionRef bool_constructor(Maker& maker, const Want& want) {
  if (maker.random.chance(15)) return construct(maker, want, maker.random.chance(50) ? kZeros : kOnes);
  const std::int64_t divisor = maker.random.between(2, 4);
  const ExpressionRef numbers = construct(maker, {Element::i32, want.shape, true},
                                          random_constructor(maker.random, {Element::i32, want.shape, true}));
  return node(settled(derived(Element::boolean, want.shape, {numbers->facts}), 1, 0),
              fmt::format("($0 % {} == 0)", divisor), fmt::format("($0 % np.int32({}) == np.int32(0))", divisor),
              {numbers});
}

}  // namespace

ExpressionRef literal(Random& random, Element element) {
  if (element == Element::boolean) {
    const bool value = random.chance(50);
    const Facts facts = settled(derived(element, {}, {}), 1, 0);
    return node(facts, value ? "true" : "false", value ? "np.bool_(True)" : "np.bool_(False)");
  }
  const auto [digits, magnitude] = random_digits(random, element);
  const Facts facts = settled(derived(element, {}, {}), magnitude, 0);
  return node(facts, fmt::format("{}({})", name(element), digits), numpy_literal(element, digits));
}

ExpressionRef Maker::constructor(const Want& want) {
  if (want.shape.empty() && random.chance(60)) return literal(random, want.element);
  if (want.element == Element::boolean) return bool_constructor(*this, want);
  const bool small = !want.shape.empty() && count(want.shape) > 0 && count(want.shape) <= 8;
  if (small && random.chance(25)) return list_literal(*this, want);
  return construct(*this, want, random_constructor(random, want));
}

}  // namespace tessera::generator
