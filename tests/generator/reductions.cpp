// Reductions, softmax, cumsum, argmax.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/generator/reduced.hpp"

namespace tessera::generator {

namespace {

// Some of the dimensions of extent 1, made longer; none if there is no such dimension.
Wider longer(Random& random, const Shape& shape) {
  Wider result{shape, {}, 1, true};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 || random.chance(40)) continue;
    const std::int64_t room = kElementsMax / std::max<std::int64_t>(1, count(result.shape));
    result.shape[d] = std::min(random.between(1, 9), std::max<std::int64_t>(1, room));
    result.reduced.push_back(static_cast<std::int64_t>(d));
    result.elements *= result.shape[d];
  }
  return result;
}

}  // namespace

Wider wider(Random& random, const Shape& shape, std::size_t most) {
  if (random.chance(70)) {
    const Wider kept = longer(random, shape);
    if (!kept.reduced.empty() && kept.reduced.size() <= most) return kept;
  }
  Wider result{shape, {}, 1, false};
  const std::size_t more = 1 + static_cast<std::size_t>(random.below(static_cast<std::int64_t>(most)));
  for (std::size_t k = 0; k < more && result.shape.size() < kRankMax; ++k) {
    const std::int64_t room = kElementsMax / std::max<std::int64_t>(1, count(result.shape));
    const std::int64_t extent = std::min(random.between(1, 9), std::max<std::int64_t>(1, room));
    const std::int64_t at = random.below(static_cast<std::int64_t>(result.shape.size()) + 1);
    result.shape.insert(result.shape.begin() + at, extent);
    for (std::int64_t& dimension : result.reduced) dimension += dimension >= at ? 1 : 0;
    result.reduced.push_back(at);
    result.elements *= extent;
  }
  std::sort(result.reduced.begin(), result.reduced.end());
  return result;
}

Dimensions dimensions(Random& random, const Wider& from) {
  const bool all = from.reduced.size() == from.shape.size();
  const std::string keep = from.kept ? ", keep=true" : "";
  const std::string keepdims = from.kept ? ", keepdims=True" : "";
  if (all && random.chance(50)) return {keep, "None" + keepdims};
  std::vector<std::int64_t> named = from.reduced;
  const bool negative = random.chance(15);
  for (std::int64_t& dimension : named) dimension -= negative ? static_cast<std::int64_t>(from.shape.size()) : 0;
  if (named.size() == 1) return {fmt::format(", dim={}{}", named[0], keep), std::to_string(named[0]) + keepdims};
  const std::string list = fmt::format("{}", fmt::join(named, ", "));
  return {fmt::format(", dim=[{}]{}", list, keep), fmt::format("({}){}", list, keepdims)};
}

ExpressionRef reduced(std::string_view operation, std::string_view numpy, const Dimensions& over, Facts facts,
                      const ExpressionRef& a) {
  const std::string element(numpy_name(facts.element));
  return node(std::move(facts), fmt::format("{}($0{})", operation, over.tessera),
              filled(numpy, {"$0", over.numpy, element}), {a});
}

namespace {

ExpressionRef sum(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || (want.certain && is_float(want.element)) || want.shape.size() >= kRankMax)
    return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  const bool of_bool = want.element == Element::i64 && maker.random.chance(20);
  const ExpressionRef a = maker.make({of_bool ? Element::boolean : want.element, from.shape, want.certain}, depth);
  const Facts facts = of_total(derived(want.element, want.shape, {a->facts}), a->facts, from.elements);
  return reduced("sum", "np.sum($0, axis=$1, dtype=$2)", dimensions(maker.random, from), facts, a);
}

ExpressionRef extreme(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  const ExpressionRef a = maker.make({want.element, from.shape, want.certain}, depth);
  Facts facts = of_choice(derived(want.element, want.shape, {a->facts}), {a->facts});
  facts.zero_signs = facts.zero_signs && !is_float(want.element);
  const Dimensions over = dimensions(maker.random, from);
  if (maker.random.chance(50)) return reduced("max", "np.max($0, axis=$1)", over, facts, a);
  return reduced("min", "np.min($0, axis=$1)", over, facts, a);
}

ExpressionRef product(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || (want.certain && is_float(want.element)) || want.shape.size() >= kRankMax)
    return nullptr;
  const Wider from = wider(maker.random, want.shape, 1);
  ExpressionRef a = maker.make({want.element, from.shape, want.certain}, depth);
  Facts facts = derived(want.element, want.shape, {a->facts});
  if (is_integer(want.element)) {
    facts = settled(facts, 1e300, 0);
  } else {
    if (a->facts.magnitude > 1) a = clipped(a, 1);
    const auto terms = static_cast<double>(from.elements);
    facts.same_bits = false;
    facts.portable = false;
    facts = settled(facts, 1, terms * (a->facts.error + 2 * unit(want.element)));
  }
  return reduced("prod", "np.prod($0, axis=$1, dtype=$2)", dimensions(maker.random, from), facts, a);
}

ExpressionRef mean(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  const bool of_integers = want.element == Element::f64 && maker.random.chance(40);
  ExpressionRef a = maker.make({of_integers ? Element::i32 : want.element, from.shape, false}, depth);
  Facts facts = of_total(derived(want.element, want.shape, {a->facts}), a->facts, from.elements);
  const auto terms = static_cast<double>(from.elements);
  facts = settled(facts, facts.magnitude / terms, facts.error / terms + unit(want.element) * facts.magnitude);
  return reduced("mean", "np.mean($0, axis=$1, dtype=$2)", dimensions(maker.random, from), facts, a);
}

ExpressionRef position_of_extreme(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::i64 || want.shape.size() >= kRankMax) return nullptr;
  Wider from = wider(maker.random, want.shape, 1);
  const Element element = maker.random.chance(50) ? Element::i32 : Element::f32;
  const ExpressionRef a = maker.make({element, from.shape, true}, depth);
  const Facts facts = settled(derived(Element::i64, want.shape, {a->facts}), static_cast<double>(from.elements), 0);
  const Dimensions over = dimensions(maker.random, from);
  if (maker.random.chance(50)) return reduced("argmax", "np.argmax($0, axis=$1)", over, facts, a);
  return reduced("argmin", "np.argmin($0, axis=$1)", over, facts, a);
}

ExpressionRef all_any(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::boolean || want.shape.size() >= kRankMax) return nullptr;
  const Wider from = wider(maker.random, want.shape, 2);
  const ExpressionRef a = maker.make({Element::boolean, from.shape, want.certain}, depth);
  const Facts facts = settled(derived(Element::boolean, want.shape, {a->facts}), 1, 0);
  const Dimensions over = dimensions(maker.random, from);
  if (maker.random.chance(50)) return reduced("all", "np.all($0, axis=$1)", over, facts, a);
  return reduced("any", "np.any($0, axis=$1)", over, facts, a);
}

// Shares are made in three ways, by how long the dimension is.
ExpressionRef softmax(Maker& maker, const Want& want, int depth) {
  if (!is_float(want.element) || want.certain || want.shape.empty() || count(want.shape) == 0) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const std::size_t dimension = maker.random.index(want.shape);
  const double u = unit(want.element);
  const auto terms = static_cast<double>(want.shape[dimension]);
  Facts facts = derived(want.element, want.shape, {a->facts});
  facts.same_bits = false;
  facts.portable = false;
  facts = settled(facts, 1, 3 * a->facts.error + (8 * a->facts.magnitude + 2 * terms + 32) * u);
  const auto in = [&](std::string_view shares) { return fmt::format(fmt::runtime(shares), dimension); };
  if (want.shape[dimension] % 3 == 1)
    return node(facts, in("exp(log_softmax($0, {}))"), in("np.exp(log_softmax($0, {}))"), {a});
  if (want.shape[dimension] % 3 == 2) {
    return node(facts, in("exp($0 - logsumexp($0, dim={}, keep=true))"), in("np.exp($0 - logsumexp($0, {}, True))"),
                {a});
  }
  return node(facts, in("softmax($0, {})"), in("softmax($0, {})"), {a});
}

ExpressionRef cumsum(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || (want.certain && is_float(want.element)) || want.shape.empty())
    return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const std::size_t dimension = maker.random.index(want.shape);
  const Facts facts = of_total(derived(want.element, want.shape, {a->facts}), a->facts, want.shape[dimension]);
  return node(facts, fmt::format("cumsum($0, {})", dimension),
              fmt::format("np.cumsum($0, axis={}, dtype={})", dimension, numpy_name(want.element)), {a});
}

// Factors are at most 1, so that no product overflows.
ExpressionRef cumprod(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || (want.certain && is_float(want.element)) || want.shape.empty())
    return nullptr;
  ExpressionRef a = maker.make(want, depth);
  const std::size_t dimension = maker.random.index(want.shape);
  Facts facts = derived(want.element, want.shape, {a->facts});
  if (is_integer(want.element)) {
    facts = settled(facts, 1e300, 0);
  } else {
    if (a->facts.magnitude > 1) a = clipped(a, 1);
    facts.same_bits = false;
    facts.portable = false;
    const auto terms = static_cast<double>(want.shape[dimension]);
    facts = settled(facts, 1, terms * (a->facts.error + 2 * unit(want.element)));
  }
  return node(facts, fmt::format("cumprod($0, {})", dimension),
              fmt::format("np.cumprod($0, axis={}, dtype={})", dimension, numpy_name(want.element)), {a});
}

ExpressionRef running_extreme(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || want.shape.empty()) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const std::size_t dimension = maker.random.index(want.shape);
  Facts facts = of_choice(derived(want.element, want.shape, {a->facts}), {a->facts});
  facts.zero_signs = facts.zero_signs && !is_float(want.element);
  const bool max = maker.random.chance(50);
  return node(facts, fmt::format("{}($0, {})", max ? "cummax" : "cummin", dimension),
              fmt::format("np.{}.accumulate($0, axis={})", max ? "maximum" : "minimum", dimension), {a});
}

// Only values that are certain are sorted: those that may differ a little may also change places.
ExpressionRef sorted(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const bool positions = want.element == Element::i64 && maker.random.chance(50);
  const Element element = !positions ? want.element : maker.random.chance(50) ? Element::f32 : Element::i32;
  const ExpressionRef a = maker.make({element, want.shape, true}, depth);
  const std::size_t dimension = maker.random.index(want.shape);
  Facts facts = derived(want.element, want.shape, {a->facts});
  facts = positions ? settled(facts, static_cast<double>(want.shape[dimension]), 0) : of_choice(facts, {a->facts});
  facts.zero_signs = facts.zero_signs && !is_float(want.element);
  const char* const name = positions ? "argsort" : "sort";
  return node(facts, fmt::format("{}($0, {})", name, dimension),
              fmt::format("np.{}($0, axis={}, kind='stable')", name, dimension), {a});
}

// NumPy sorts ascending, and of equal ones the last comes last: in what is turned about, that is the first.
ExpressionRef greatest(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const bool positions = want.element == Element::i64 && maker.random.chance(50);
  const Element element = !positions ? want.element : maker.random.chance(50) ? Element::f32 : Element::i32;
  const std::size_t dimension = maker.random.index(want.shape);
  const std::int64_t found = want.shape[dimension];
  Shape shape = want.shape;
  shape[dimension] += maker.random.below(4);
  const std::int64_t extent = shape[dimension];
  const ExpressionRef a = maker.make({element, shape, true}, depth);
  Facts facts = derived(want.element, want.shape, {a->facts});
  facts = positions ? settled(facts, static_cast<double>(extent), 0) : of_choice(facts, {a->facts});
  facts.zero_signs = facts.zero_signs && !is_float(want.element);
  const std::string all = positions
                              ? fmt::format("{} - np.flip(np.argsort(np.flip($0, {}), axis={}, kind='stable'), {})",
                                            extent - 1, dimension, dimension, dimension)
                              : fmt::format("np.flip(np.sort($0, axis={}), {})", dimension, dimension);
  return node(facts, fmt::format("{}($0, {}, {})", positions ? "argtopk" : "topk", found, dimension),
              fmt::format("np.take({}, range({}), axis={})", all, found, dimension), {a});
}

}  // namespace

// Factors are at most 1, so that nothing grows but by what is added. They may lack the first dimensions.
ExpressionRef recurrence(Maker& maker, const Want& want, int depth) {
  Shape shape = want.shape;
  if (maker.random.chance(35))
    shape.erase(shape.begin(), shape.begin() + maker.random.below(static_cast<std::int64_t>(shape.size()) + 1));
  ExpressionRef a = maker.make({want.element, shape, false}, depth);
  if (is_float(want.element) && a->facts.magnitude > 1) a = clipped(a, 1);
  const ExpressionRef b = maker.make({want.element, want.shape, false}, depth);
  const std::string all = std::string("abcde").substr(0, want.shape.size());
  const std::vector<std::string> letters = {all.substr(all.size() - shape.size()), all};
  const std::size_t dimension = maker.random.index(want.shape);
  Facts facts = derived(want.element, want.shape, {a->facts, b->facts});
  if (is_integer(want.element)) {
    facts = settled(facts, 1e300, 0);
  } else {
    const auto n = static_cast<double>(want.shape[dimension]);
    const double most = n * b->facts.magnitude;
    facts.same_bits = facts.portable = facts.zero_signs = false;
    facts = settled(facts, most, n * (b->facts.error + 2 * most * (a->facts.error + 4 * unit(want.element))));
  }
  const bool may_meet = !may_clash(letters) && count(want.shape) > 0;
  return node(facts, fmt::format("recur($0, $1, {})", dimension), fmt::format("recur($0, $1, {})", dimension),
              may_meet ? std::vector<ExpressionRef>{a, b} : agreeing(maker, {a, b}, letters));
}

std::vector<Production> reduction_productions() {
  return {{"sum", 8, sum},
          {"extreme", 5, extreme},
          {"product", 2, product},
          {"mean", 3, mean},
          {"position of extreme", 4, position_of_extreme},
          {"all or any", 6, all_any},
          {"sorted", 3, sorted},
          {"greatest", 3, greatest},
          {"softmax", 3, softmax},
          {"cumsum", 3, cumsum},
          {"cumprod", 2, cumprod},
          {"running extreme", 2, running_extreme}};
}

}  // namespace tessera::generator
