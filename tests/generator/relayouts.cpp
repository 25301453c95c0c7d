// Productions that change the layout only: `as`, and collectives written by hand where they are legal.
#include <fmt/format.h>

#include <array>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

// Pending floats lose the sign of a zero: the identities filled in are zeros too.
ExpressionRef changed(const ExpressionRef& operand, const std::string& tessera, bool pending) {
  Facts facts = operand->facts;
  facts.zero_signs = facts.zero_signs && !(pending && is_float(facts.element));
  return node(facts, tessera, "$0", {operand});
}

ExpressionRef as(Maker& maker, const Want& want, int depth) {
  const ExpressionRef a = maker.make(want, depth);
  const Layout layout = random_layout(maker.random, want.shape.size(), maker.pending_of(want.element));
  const bool scalar = want.shape.empty();
  const std::string type = scalar || maker.random.chance(30) ? maker.type(want.element, want.shape, layout)
                                                             : maker.layout(want.shape, layout);
  const std::string within = maker.random.chance(15) ? " within 1MiB" : "";
  return changed(a, fmt::format("($0 as {}{})", type, within), !layout.pending.empty());
}

// A layout, and one of its axes at the end of what it splits.
struct Split {
  Layout layout;
  std::size_t dimension = 0;
  char axis = 'x';
};

Split random_split(Maker& maker, std::size_t rank) {
  Split split;
  split.layout.splits.resize(rank);
  const Axes axes = shuffled_axes(maker.random);
  split.axis = axes[0];
  split.dimension = maker.random.index(split.layout.splits);
  for (std::size_t k = 1; k < axes.size(); ++k) {
    if (maker.random.chance(50)) split.layout.splits[maker.random.index(split.layout.splits)].push_back(axes[k]);
  }
  return split;
}

ExpressionRef all_gather(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  Split split = random_split(maker, want.shape.size());
  split.layout.splits[split.dimension].push_back(split.axis);
  const std::string from = maker.type(want.element, want.shape, split.layout);
  return changed(a, fmt::format("all_gather($0 as {}, {}, {})", from, split.dimension, split.axis), false);
}

ExpressionRef slice(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const Split split = random_split(maker, want.shape.size());
  const std::string from = maker.type(want.element, want.shape, split.layout);
  return changed(a, fmt::format("slice($0 as {}, {}, {})", from, split.dimension, split.axis), false);
}

ExpressionRef all_to_all(Maker& maker, const Want& want, int depth) {
  if (want.shape.size() < 2) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  Split split = random_split(maker, want.shape.size());
  const std::size_t to =
      (split.dimension + 1 +
       static_cast<std::size_t>(maker.random.below(static_cast<std::int64_t>(want.shape.size()) - 1))) %
      want.shape.size();
  split.layout.splits[split.dimension].push_back(split.axis);
  const std::string from = maker.type(want.element, want.shape, split.layout);
  return changed(a, fmt::format("all_to_all($0 as {}, {}, {}, {})", from, split.axis, split.dimension, to), false);
}

ExpressionRef reduce(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  Split split;
  if (want.shape.empty()) {
    split.axis = shuffled_axes(maker.random)[0];
  } else {
    split = random_split(maker, want.shape.size());
  }
  split.layout.pending = {split.axis};
  constexpr auto kKinds = std::to_array<std::string_view>({"+", "+", "+", "max ", "min "});
  split.layout.reduction = maker.random.pick(kKinds);
  const std::string from = maker.type(want.element, want.shape, split.layout);
  if (want.shape.empty() || maker.random.chance(50))
    return changed(a, fmt::format("all_reduce($0 as {}, {})", from, split.axis), true);
  return changed(a, fmt::format("reduce_scatter($0 as {}, {}, {})", from, split.dimension, split.axis), true);
}

// The axes of each dimension in another order: the tiles are as many for every size of the axes.
ExpressionRef permute(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  Layout layout = random_layout(maker.random, want.shape.size(), Pending::none);
  const std::string from = maker.type(want.element, want.shape, layout);
  for (Axes& axes : layout.splits) axes = Axes(axes.rbegin(), axes.rend());
  const std::string to = maker.type(want.element, want.shape, layout);
  return changed(a, fmt::format("permute($0 as {}, {})", from, to), false);
}

ExpressionRef exchange(Maker& maker, const Want& want, int depth) {
  const ExpressionRef a = maker.make(want, depth);
  const std::string from =
      maker.type(want.element, want.shape, random_layout(maker.random, want.shape.size(), Pending::none));
  const std::string to =
      maker.type(want.element, want.shape, random_layout(maker.random, want.shape.size(), Pending::none));
  return changed(a, fmt::format("exchange($0 as {}, {})", from, to), false);
}

// Nothing is received inside: one value meets itself.
ExpressionRef local(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean) return nullptr;
  const ExpressionRef a = maker.make(want, depth);
  const std::string name = maker.fresh("t");
  const std::string type =
      maker.type(want.element, want.shape, random_layout(maker.random, want.shape.size(), Pending::none));
  const Facts facts = of_sum(derived(want.element, want.shape, {a->facts}), a->facts, a->facts);
  return node(facts, fmt::format("({{ let {0}: {1} = $0; local {{ {0} + {0} }} }})", name, type), "twice($0)", {a});
}

}  // namespace

std::vector<Production> layout_productions() {
  return {{"as", 9, as},
          {"all_gather", 1, all_gather},
          {"slice by hand", 1, slice},
          {"all_to_all", 1, all_to_all},
          {"reduction by hand", 2, reduce},
          {"permute", 1, permute},
          {"exchange", 1, exchange},
          {"local", 1, local}};
}

}  // namespace tessera::generator
