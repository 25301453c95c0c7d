// Dimensions that an operation needs whole: their axes are dealt to other dimensions, by price.
//
// Worked example: `sort(a, 0)` of f32[4096@x, 1024] on x:4 needs dimension 0 whole. Dealt to dimension 1 the array is
// f32[4096, 1024@x]: every device receives 3/4 of a tile, where a gather would bring it all three other tiles.
#include "typeck/layouts/dealing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::typeck {

using synth::ArrayType;
using synth::AxisList;
using synth::Layout;

namespace {

struct Deal {
  std::string description;
  Layout layout;
};

bool contains(const std::vector<std::size_t>& dimensions, std::size_t d) {
  return std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end();
}

std::optional<Layout> laid_out(const ArrayType& from, std::vector<AxisList> splits) {
  auto layout = Layout::make(from.mesh(), std::move(splits), from.layout().pending(), from.layout().reduce());
  if (!layout.ok()) return std::nullopt;
  return std::move(layout).value();
}

// The axes of the dimensions become trailing on others: on `first` as far as it has a position for every tile, then on
// the others in their order. What finds no room is gathered.
std::optional<Deal> dealt_from(const ArrayType& from, const std::vector<std::size_t>& dimensions, std::size_t first) {
  std::vector<AxisList> splits = from.layout().splits();
  AxisList free;
  for (const std::size_t d : dimensions) {
    free.insert(free.end(), splits[d].begin(), splits[d].end());
    splits[d].clear();
  }
  std::vector<std::size_t> takers = {first};
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (d != first && !contains(dimensions, d)) takers.push_back(d);
  }
  std::vector<std::size_t> taken;
  for (const synth::AxisPart& axis : free) {
    const auto has_room = [&](std::size_t d) {
      AxisList with = splits[d];
      with.push_back(axis);
      return synth::shard_count(with) <= from.shape()[d];
    };
    const auto taker = std::find_if(takers.begin(), takers.end(), has_room);
    if (taker == takers.end()) continue;
    splits[*taker].push_back(axis);
    if (!contains(taken, *taker)) taken.push_back(*taker);
  }
  if (taken.empty()) return std::nullopt;
  auto layout = laid_out(from, std::move(splits));
  if (!layout.has_value()) return std::nullopt;
  return Deal{fmt::format("dimension {} dealt to dimension {}", fmt::join(dimensions, ", "), fmt::join(taken, ", ")),
              std::move(*layout)};
}

std::optional<Deal> gathered(const ArrayType& from, const std::vector<std::size_t>& dimensions) {
  std::vector<AxisList> splits = from.layout().splits();
  for (const std::size_t d : dimensions) splits[d].clear();
  auto layout = laid_out(from, std::move(splits));
  TESSERA_CHECK(layout.has_value(), "making dimensions whole failed");
  return Deal{fmt::format("dimension {} gathered", fmt::join(dimensions, ", ")), std::move(*layout)};
}

// The layout that the text wants, if the dimensions are whole in it.
std::optional<Deal> as_wanted(const ArrayType& from, const std::vector<std::size_t>& dimensions, const Want& want) {
  if (!want.fits(from.rank(), from.mesh())) return std::nullopt;
  for (const std::size_t d : dimensions) {
    if (!want.layout->split(d).empty()) return std::nullopt;
  }
  auto layout = laid_out(from, want.layout->splits());
  if (!layout.has_value()) return std::nullopt;
  return Deal{"as the annotation wants", std::move(*layout)};
}

// Does it bring devices elements that others keep?
bool gathers_much(const ArrayType& from, const Deal& deal) {
  if (synth::array_bytes(from) <= kGatheredBytesMax) return false;
  const auto target = from.with_layout(deal.layout);
  return target.ok() && synth::copies(*target) > synth::copies(from);
}

std::vector<Deal> deals(const ArrayType& from, const std::vector<std::size_t>& dimensions, const Want& want,
                        Gathers gathers) {
  std::vector<Deal> all;
  const auto add = [&](std::optional<Deal> deal) {
    const auto is_same = [&](const Deal& other) { return other.layout == deal->layout; };
    if (deal.has_value() && std::none_of(all.begin(), all.end(), is_same)) all.push_back(std::move(*deal));
  };
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (!contains(dimensions, d)) add(dealt_from(from, dimensions, d));
  }
  // What is dealt as far as there is room is better than what is gathered altogether.
  if (synth::array_bytes(from) <= kGatheredBytesMax || all.empty()) add(gathered(from, dimensions));
  if (gathers == Gathers::little) std::erase_if(all, [&](const Deal& deal) { return gathers_much(from, deal); });
  add(as_wanted(from, dimensions, want));
  return all;
}

}  // namespace

std::optional<Alternative> price_of_change(Plans& plans, const ArrayType& from, const ArrayType& to, base::Span span,
                                           const Want& want) {
  Alternative price;
  const auto add = [&](const ArrayType& before, const ArrayType& after) {
    if (synth::same_type(before, after)) return true;
    const auto change = plans.price(before, after, span);
    if (!change.has_value()) return false;
    add_plan(price, **change);
    return true;
  };
  if (!add(from, to)) return std::nullopt;
  if (!want.fits(from.rank(), from.mesh())) return price;
  const auto wanted = to.with_layout(*want.layout);
  return !wanted.ok() || add(to, *wanted) ? std::optional(price) : std::nullopt;
}

std::optional<BestDeal> Dealing::best(const ArrayType& from, const std::vector<std::size_t>& dimensions,
                                      const Want& want, Gathers gathers) const {
  std::optional<BestDeal> best;
  std::vector<Alternative> compared;
  for (const Deal& deal : deals(from, dimensions, want, gathers)) {
    const auto target = reports_.with_layout(span_, from, deal.layout);
    auto price = target.has_value() ? price_of_change(plans_, from, *target, span_, want) : std::nullopt;
    if (!price.has_value()) return std::nullopt;
    price->description = deal.description;
    compared.push_back(std::move(*price));
    if (best.has_value() && !cheaper(compared.back(), compared[best->number])) continue;
    best = BestDeal{*target, compared.size() - 1, {}};
  }
  TESSERA_CHECK(best.has_value() || gathers == Gathers::little, "a dimension cannot be made whole");
  if (!best.has_value()) return BestDeal{from, 0, {}};
  best->compared = std::move(compared);
  return best;
}

std::optional<ArrayType> Dealing::whole(const ArrayType& from, const std::vector<std::size_t>& dimensions,
                                        const Want& want, Changes& way) const {
  if (std::ranges::all_of(dimensions, [&](std::size_t d) { return from.layout().split(d).empty(); })) return from;
  auto deal = best(from, dimensions, want);
  if (!deal.has_value()) return std::nullopt;
  deal->compared[deal->number].chosen = true;
  Greedy::change(way, from, deal->target, {Reason::Asker::operation, who_, span_, {}, std::move(deal->compared)});
  return deal->target;
}

}  // namespace tessera::typeck
