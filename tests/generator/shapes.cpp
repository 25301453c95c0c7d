// Productions that move elements and change none: transpose, reshape, broadcast, concat, pad.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

Facts moved(const Want& want, const ExpressionRef& a) {
  return of_choice(derived(want.element, want.shape, {a->facts}), {a->facts});
}

ExpressionRef transpose(Maker& maker, const Want& want, int depth) {
  if (want.shape.size() < 2) return nullptr;
  const std::size_t rank = want.shape.size();
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  const bool reversed = maker.random.chance(30);
  for (std::size_t k = rank; !reversed && k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(maker.random.below(static_cast<std::int64_t>(k)))]);
  Shape from(rank);
  for (std::size_t d = 0; d < rank; ++d) from[static_cast<std::size_t>(order[d])] = want.shape[d];
  const ExpressionRef a = maker.make({want.element, from, want.certain}, depth);
  const Facts facts = moved(want, a);
  if (reversed) return node(facts, "transpose($0)", "np.transpose($0)", {a});
  return node(facts, fmt::format("transpose($0, {})", list_text(order)),
              fmt::format("np.transpose($0, {})", list_text(order)), {a});
}

// Neighbours merged or one extent split, so that there are kept, split and merged dimensions.
Shape regrouped(Random& random, Shape shape) {
  for (int change = 0; change < 3; ++change) {
    if (shape.size() >= 2 && random.chance(50)) {
      const std::size_t at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(shape.size()) - 1));
      shape[at] *= shape[at + 1];
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    } else if (!shape.empty() && shape.size() < kRankMax) {
      const std::size_t at = random.index(shape);
      const std::int64_t factor = random.between(1, 4);
      if (shape[at] % factor != 0) continue;
      shape[at] /= factor;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + random.below(2), factor);
    } else {
      shape.insert(shape.begin(), 1);
    }
  }
  return shape;
}

ExpressionRef reshape(Maker& maker, const Want& want, int depth) {
  const Shape from = regrouped(maker.random, want.shape);
  const ExpressionRef a = maker.make({want.element, from, want.certain}, depth);
  std::vector<std::int64_t> target = want.shape;
  if (!target.empty() && count(target) > 0 && maker.random.chance(15)) target[maker.random.index(target)] = -1;
  const std::string form = list_text(target);
  return node(moved(want, a), fmt::format("reshape($0, {})", form), fmt::format("np.reshape($0, {})", form), {a});
}

ExpressionRef broadcast(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const auto dropped = maker.random.below(static_cast<std::int64_t>(want.shape.size()) + 1);
  Shape from(want.shape.begin() + dropped, want.shape.end());
  for (std::int64_t& extent : from) extent = maker.random.chance(30) ? 1 : extent;
  const ExpressionRef a = maker.make({want.element, from, want.certain}, depth);
  const std::string form = list_text(want.shape);
  return node(moved(want, a), fmt::format("broadcast($0, {})", form), fmt::format("np.broadcast_to($0, {})", form),
              {a});
}

ExpressionRef concat(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const std::size_t dimension = maker.random.index(want.shape);
  std::int64_t left = want.shape[dimension];
  std::vector<ExpressionRef> all;
  const std::int64_t parts = maker.random.between(1, 3);
  for (std::int64_t k = 0; k < parts; ++k) {
    Shape own = want.shape;
    own[dimension] = k + 1 == parts ? left : maker.random.below(left + 1);
    left -= own[dimension];
    all.push_back(maker.make({want.element, own, want.certain}, depth));
  }
  std::string list = "$0";
  for (std::size_t k = 1; k < all.size(); ++k) list += fmt::format(", ${}", k);
  const Facts facts = of_choice(derived(want.element, want.shape, facts_of(all)), facts_of(all));
  return node(facts, fmt::format("concat([{}], {})", list, dimension),
              fmt::format("np.concatenate([{}], axis={})", list, dimension), all);
}

ExpressionRef roll(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const std::size_t dimension = maker.random.index(want.shape);
  const ExpressionRef a = maker.make(want, depth);
  if (maker.random.chance(60)) {
    const std::int64_t by = maker.random.between(-9, 9);
    return node(moved(want, a), fmt::format("roll($0, {}, {})", by, dimension),
                fmt::format("np.roll($0, {}, {})", by, dimension), {a});
  }
  const ExpressionRef by = maker.position(9, depth);
  const Facts facts = of_choice(derived(want.element, want.shape, {a->facts, by->facts}), {a->facts});
  return node(facts, fmt::format("roll($0, $1 - 4, {})", dimension),
              fmt::format("np.roll($0, int($1) - 4, {})", dimension), {a, by});
}

ExpressionRef reverse(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const std::size_t dimension = maker.random.index(want.shape);
  const ExpressionRef a = maker.make(want, depth);
  return node(moved(want, a), fmt::format("reverse($0, {})", dimension), fmt::format("np.flip($0, {})", dimension),
              {a});
}

ExpressionRef pad(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  Shape from = want.shape;
  std::vector<std::string> widths;
  for (std::int64_t& extent : from) {
    const std::int64_t before = extent == 0 ? 0 : maker.random.below(std::min<std::int64_t>(extent, 4));
    const std::int64_t after = extent == before ? 0 : maker.random.below(std::min<std::int64_t>(extent - before, 3));
    extent -= before + after;
    widths.push_back(fmt::format("[{}, {}]", before, after));
  }
  const ExpressionRef a = maker.make({want.element, from, want.certain}, depth);
  const std::string list = fmt::format("[{}]", fmt::join(widths, ", "));
  if (want.element == Element::boolean || maker.random.chance(50)) {
    return node(moved(want, a), fmt::format("pad($0, {})", list), fmt::format("np.pad($0, {})", list), {a});
  }
  const ExpressionRef value = literal(maker.random, want.element);
  const Facts facts = of_choice(derived(want.element, want.shape, {a->facts}), {a->facts, value->facts});
  return node(facts, fmt::format("pad($0, {}, $1)", list), fmt::format("np.pad($0, {}, constant_values=$1)", list),
              {a, value});
}

// Any variable, brought to the wanted type by the shortest way.
ExpressionRef adapted(Maker& maker, const Want& want, int) {
  std::vector<Variable> fitting;
  for (const Variable& one : maker.scope) {
    const bool some = count(one.facts.shape) > 0 && count(want.shape) > 0;
    if (one.facts.element == want.element && some && (!want.certain || one.facts.certain())) fitting.push_back(one);
  }
  if (fitting.empty()) return nullptr;
  const ExpressionRef a = named(maker.random.pick(fitting));
  const Shape& from = a->facts.shape;
  if (count(from) == count(want.shape)) {
    return node(moved(want, a), fmt::format("reshape($0, {})", list_text(want.shape)),
                fmt::format("np.reshape($0, {})", list_text(want.shape)), {a});
  }
  // Flat, then as often as is needed, then cut.
  const std::int64_t all = count(from);
  const std::int64_t times = (count(want.shape) + all - 1) / all;
  const std::string tessera =
      fmt::format("reshape(reshape(broadcast(reshape($0, [{0}]), [{1}, {0}]), [{2}])[0:{3}], {4})", all, times,
                  all * times, count(want.shape), list_text(want.shape));
  const std::string numpy = fmt::format("np.resize($0, {})", list_text(want.shape));
  return node(moved(want, a), tessera, numpy, {a});
}

}  // namespace

std::vector<Production> shape_productions() {
  return {{"transpose", 5, transpose}, {"reshape", 5, reshape}, {"broadcast", 2, broadcast},
          {"concat", 4, concat},       {"pad", 3, pad},         {"roll", 3, roll},
          {"reverse", 2, reverse},     {"adapted", 8, adapted}};
}

}  // namespace tessera::generator
