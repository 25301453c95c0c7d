// Worked example: `sort(v, 0)` of f32[131072@x] on x:4. Gathered, every device receives 384 KiB. By cuts it receives
// the elements of its tile that it lacks, 128 KiB at most and 96 KiB of random data, and 2 KiB that say which.
#include "typeck/layouts/cutting.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/check.hpp"
#include "synth/moves/collective/sort_cuts.hpp"
#include "synth/moves/prices/cut_cost.hpp"
#include "synth/verify/cut.hpp"
#include "typeck/layouts/dealing.hpp"

namespace tessera::typeck {

using synth::ArrayType;

namespace {

// A device keeps where each cut of each line may lie among its own elements, and searches among those of all others.
constexpr std::int64_t kSearchedMax = std::int64_t{1} << 22U;

bool are_few_cuts(const ArrayType& type, std::size_t dimension) {
  const auto tiles = static_cast<std::int64_t>(synth::cuts(type, dimension).tiles());
  std::int64_t searched = 0;
  if (__builtin_mul_overflow(tiles, tiles, &searched)) return false;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (d != dimension && __builtin_mul_overflow(searched, synth::cuts(type, d).longest(), &searched)) return false;
  }
  return searched <= kSearchedMax;
}

}  // namespace

std::int64_t bytes_of_cuts(const synth::Sort& sort, const ArrayType& type, const ArrayType& result) {
  if (!synth::sorts_by_cuts(type)) return 0;
  const synth::SortCuts cuts(type, sort.positions);
  const std::int64_t bytes = synth::cut_bytes_at_most(cuts);
  const auto leader = [&](std::int32_t device) { return cuts.leader(device); };
  const auto member = [&](std::int32_t device, std::int64_t tile) { return cuts.member(device, tile); };
  const auto fault = synth::fault_of_cuts(type, result, sort.positions, leader, member, bytes);
  if (fault) throw base::InternalError(fmt::format("lines are not cut right: {}", *fault));
  return bytes;
}

// By cuts where the lines lie, and what brings the result to the wanted layout.
std::optional<Alternative> CuttingRule::price(const ArrayType& from, std::size_t dimension, const synth::Sort& sort,
                                              const Want& want) const {
  const auto own = widened(from);
  const auto machine = synth::machine_for(plans_.machine(), own.mesh().devices_end());
  const auto sorted = sort.positions ? own.with_element(synth::ElementType::i64) : base::Result<ArrayType>(own);
  if (!machine.ok() || !sorted.ok()) return std::nullopt;
  const auto after = price_of_change(plans_, *sorted, *sorted, span_, want);
  if (!after.has_value()) return std::nullopt;
  const synth::StepCost cost = synth::cost_of_cuts(*machine, synth::SortCuts(own, dimension, sort.positions));
  Alternative price;
  price.description = "by cuts, as it lies";
  price.seconds = cost.seconds;
  price.received_bytes = cost.received_bytes_total;
  price.peak_bytes = 2 * synth::tile_bytes_max(own) + synth::tile_bytes_max(*sorted);
  add_price(price, *after);
  return price;
}

std::optional<ArrayType> CuttingRule::ready(const ArrayType& from, std::size_t dimension, const synth::Sort& sort,
                                            const Want& want, NodeLayouts& layouts) const {
  if (from.layout().split(dimension).empty()) return from;
  const Dealing dealing(plans_, reports_, who_, span_);
  auto cut = are_few_cuts(from, dimension) ? price(from, dimension, sort, want) : std::nullopt;
  auto deal = dealing.best(from, {dimension}, want, cut.has_value() ? Gathers::little : Gathers::anything);
  if (!deal.has_value()) return std::nullopt;
  std::vector<Alternative> compared = std::move(deal->compared);
  std::size_t chosen = deal->number;
  const bool is_cut = cut.has_value() && (compared.empty() || cheaper(*cut, compared[chosen]));
  if (cut.has_value()) compared.push_back(std::move(*cut));
  if (is_cut) chosen = compared.size() - 1;
  compared[chosen].chosen = true;
  if (is_cut) {
    layouts.compared = std::move(compared);
    return from;
  }
  Greedy::change(layouts.uses[0], from, deal->target, {Reason::Asker::operation, who_, span_, {}, std::move(compared)});
  return deal->target;
}

}  // namespace tessera::typeck
