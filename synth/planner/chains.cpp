#include "synth/planner/chains.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/planner/by_digits.hpp"
#include "synth/planner/named_search.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/sum_steps.hpp"

namespace tessera::synth {

namespace {

std::optional<Chain> named_move(const ArrayType& from, const ArrayType& to, bool exactly) {
  if (exactly ? from == to : same_type(from, to)) return Chain{};
  const auto permuted = apply(permute_step(to), from);
  if (same_type(from, to) && permuted.ok()) return Chain{permute_step(to)};
  auto chain = find_chain(from, to);
  if (!chain || !exactly) return chain;
  const auto end = after_chain(*chain, from);
  return end.ok() && *end == to ? chain : std::nullopt;
}

// ---- Without a general exchange ----

// Everything the two do not begin with is gathered away and sliced in again.
Chain gathers_and_slices(const ArrayType& from, const ArrayType& to) {
  Chain gathers;
  Chain slices;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const AxisList shared = common_leading(from.layout().split(d), to.layout().split(d));
    const auto leaving = without_leading(from.layout().split(d), shared);
    const auto entering = without_leading(to.layout().split(d), shared);
    if (leaving && !leaving->empty()) gathers.push_back(all_gather_step(*leaving, d));
    if (entering && !entering->empty()) slices.push_back(slice_step(*entering, d));
  }
  gathers.insert(gathers.end(), slices.begin(), slices.end());
  return gathers;
}

base::Result<std::vector<Chain>> gathering_moves(const ArrayType& from, const ArrayType& to) {
  std::vector<Chain> all{gathers_and_slices(from, to)};
  Chain sliced_first = free_slices(from, to);
  if (sliced_first.empty()) return all;
  TESSERA_TRY(sliced, after_chain(sliced_first, from));
  const Chain rest = gathers_and_slices(sliced, to);
  sliced_first.insert(sliced_first.end(), rest.begin(), rest.end());
  all.push_back(std::move(sliced_first));
  return all;
}

// Chains of named collectives to begin with: the one that is enough, what rivals would do, gathering and slicing, which
// always leads there.
base::Result<std::vector<Chain>> known_named_chains(const ArrayType& from, const ArrayType& to, bool exactly,
                                                    Prices& prices) {
  std::vector<Chain> all;
  if (auto chain = named_move(from, to, exactly)) all.push_back(std::move(*chain));
  const auto is_exchange = [](const Collective& step) { return kind_of(step) == CollectiveKind::exchange; };
  for (const Planner rival : {Planner::paper, Planner::shardy, Planner::dtensor, Planner::xla}) {
    auto chain = rival_chain(from, to, rival, prices.machine());
    if (!chain.ok() || std::any_of(chain->begin(), chain->end(), is_exchange)) continue;
    const auto end = after_chain(*chain, from);
    if (end.ok() && (!exactly || *end == to)) all.push_back(std::move(*chain));
  }
  if (auto moved = move_by_digits(from, to, prices, std::numeric_limits<double>::infinity()))
    all.push_back(std::move(*moved));
  if (auto moved = move_by_prime_digits(from, to, prices)) all.push_back(std::move(*moved));
  TESSERA_TRY(gathering, gathering_moves(from, to));
  all.insert(all.end(), gathering.begin(), gathering.end());
  return all;
}

// One for each way to resolve what is pending: moves(resolution, type after it, target, exactly) names the chains that
// lead on.
template <class Moves>
base::Result<std::vector<Chain>> chains(const ArrayType& from, const ArrayType& to, Moves&& moves) {
  const PendingChange change = pending_change(from, to);
  TESSERA_TRY(ends, kept_ends(from, to, change));
  std::vector<Chain> all;
  for (const KeptEnd& end : ends) {
    for (const Chain& resolution : simple_resolutions(from, end.target, change.resolve)) {
      TESSERA_TRY(resolved, after_chain(resolution, from));
      TESSERA_TRY(ways, moves(resolution, resolved, end.target, !change.keep.empty()));
      for (const Chain& move : ways) {
        Chain chain = resolution;
        append(chain, move);
        append(chain, end.keep);
        all.push_back(std::move(chain));
      }
    }
  }
  return all;
}

base::Result<double> seconds_of(const Chain& chain, const ArrayType& from, Prices& prices) {
  ArrayType type = from;
  double seconds = 0;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, type));
    seconds += prices.of(step, type, after).seconds;
    type = after;
  }
  return seconds;
}

// Is no array of the chain larger than that?
base::Result<bool> keeps(const Chain& chain, const ArrayType& from, std::int64_t array_bytes_max) {
  ArrayType type = from;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, type));
    if (tile_bytes_max(after) > array_bytes_max) return false;
    type = after;
  }
  return true;
}

// The known chains, and a faster one within the limits if there is one. If the bound or a budget may be missed, also
// the fastest of least peak.
base::Result<std::vector<Chain>> named_chains(const ArrayType& from, const ArrayType& to, bool exactly, Prices& prices,
                                              SearchLimits limits) {
  TESSERA_TRY(all, known_named_chains(from, to, exactly, prices));
  bool bound_is_kept = false;
  for (const Chain& chain : all) {
    TESSERA_TRY(kept, keeps(chain, from, limits.array_bytes_max));
    if (!kept) continue;
    bound_is_kept = true;
    TESSERA_TRY(seconds, seconds_of(chain, from, prices));
    limits.seconds_max = std::min(limits.seconds_max, seconds);
  }
  auto fastest = fastest_named_chain(from, to, exactly, prices.machine(), limits);
  const bool has_budget = limits.peak_bytes_max < SearchLimits{}.peak_bytes_max;
  if (!fastest && (has_budget || !bound_is_kept)) {
    const auto least = least_named_peak(from, to, exactly);
    if (!least) return all;
    SearchLimits smallest;
    smallest.peak_bytes_max = *least;
    fastest = fastest_named_chain(from, to, exactly, prices.machine(), smallest);
  }
  if (fastest && !fastest->empty()) all.push_back(std::move(*fastest));
  return all;
}

}  // namespace

base::Result<ArrayType> after_chain(const Chain& chain, const ArrayType& from) {
  ArrayType type = from;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, type));
    type = after;
  }
  return type;
}

Chain direct_move(const ArrayType& from, const ArrayType& to, bool exactly) {
  return named_move(from, to, exactly).value_or(Chain{exchange_step(to)});
}

PendingChange pending_change(const ArrayType& from, const ArrayType& to) {
  const AxisList& before = from.layout().pending();
  const AxisList& after = to.layout().pending();
  const bool may_stay = from.mesh() == to.mesh() && from.layout().reduce() == to.layout().reduce();
  const auto compared = may_stay ? compare_sets(before, after) : std::nullopt;
  if (!compared) return PendingChange{{}, before, after};
  return PendingChange{compared->common, compared->only_first, compared->only_second};
}

base::Result<ArrayType> without_keeps(const ArrayType& to, const PendingChange& change) {
  TESSERA_TRY(layout, Layout::make(to.mesh(), to.layout().splits(), change.common, to.layout().reduce()));
  return to.with_layout(layout);
}

namespace {

constexpr std::size_t kKeptDimensionsMax = 4;

// The target cut further by kept axes, some on each dimension, and the keeps that lead on; nothing where no layout is
// cut so finely.
std::optional<KeptEnd> kept_from(const ArrayType& target, const ArrayType& to, AxisList keep,
                                 const std::vector<AxisList>& cuts) {
  std::vector<AxisList> splits = target.layout().splits();
  Chain chain;
  for (std::size_t d = 0; d < splits.size(); ++d) {
    const auto rest = without(keep, canonical_set(cuts[d]));
    if (!rest) return std::nullopt;
    keep = *rest;
    splits[d] = concatenated(splits[d], cuts[d]);
    if (!cuts[d].empty()) chain.push_back(keep_step(cuts[d], to.layout().reduce(), d));
  }
  if (!keep.empty()) chain.push_back(keep_step(keep, to.layout().reduce()));
  const Layout& layout = target.layout();
  auto cut = Layout::make(target.mesh(), std::move(splits), layout.pending(), layout.reduce());
  const auto type = cut.ok() ? target.with_layout(std::move(*cut)) : base::Result<ArrayType>(cut.errors());
  if (!type.ok()) return std::nullopt;
  return KeptEnd{*type, std::move(chain)};
}

// Those of the set that cut no dimension.
AxisList rest_of(AxisList set, const std::vector<AxisList>& cuts) {
  for (const AxisList& axes : cuts) set = without(set, canonical_set(axes)).value_or(AxisList{});
  return set;
}

// Kept where they cut the source, before the rest moves, as parts: a kept axis whose neighbours are far apart is
// crossed by nothing. The rest is cut like one of the ends. The other axes of a dimension stay in front of its kept
// ones, or go to the dimension `place`, all or those behind the kept ones. So do `more` axes: of sums that are finished
// before, if they are scattered, or those that the target leaves unused, along which the parts are gathered, or that
// are kept last.
enum class Going : std::uint8_t { all, behind_kept };
std::optional<KeptEnd> kept_first(const ArrayType& like, const ArrayType& to, const PendingChange& change,
                                  const std::vector<AxisList>& kept, std::size_t dimension, std::size_t place,
                                  const AxisList& more, Going going) {
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < like.rank(); ++d) {
    splits.push_back({});
    for (const AxisPart& part : like.layout().split(d)) {
      if (without(canonical_set(kept[d]), {part})) continue;
      splits.back().push_back(part);
    }
  }
  AxisList leaving = place == dimension ? AxisList{} : std::exchange(splits[dimension], {});
  if (going == Going::behind_kept) {
    const AxisList& before = like.layout().split(dimension);
    splits[dimension] = common_leading(before, leaving);
    leaving = without_leading(leaving, splits[dimension]).value_or(leaving);
  }
  splits[place] = concatenated(splits[place], leaving);
  splits[place] = concatenated(splits[place], more);
  const auto layout = Layout::make(like.mesh(), std::move(splits), change.common, to.layout().reduce());
  const auto bare = layout.ok() ? like.with_layout(*layout) : base::Result<ArrayType>(layout.errors());
  if (!bare.ok()) return std::nullopt;
  const AxisList rest = rest_of(change.keep, kept);  // kept last, by one replica
  auto end = kept_from(*bare, to, without(change.keep, rest).value_or(AxisList{}), kept);
  const auto after = end ? after_chain(end->keep, end->target) : bare;
  const auto last = without_keeps(to, PendingChange{without(to.layout().pending(), rest).value_or(AxisList{}), {}, {}});
  if (!end || !after.ok() || !last.ok()) return std::nullopt;
  append(end->keep, direct_move(*after, *last, true));
  if (!rest.empty()) end->keep.push_back(keep_step(rest, to.layout().reduce()));
  return end;
}

// The dimensions that the axes can cut so that no tile is empty; on many devices, where each takes long to look at, the
// one whose tiles are the longest.
std::vector<std::size_t> dimensions_to_cut(const ArrayType& type, const AxisList& axes) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < type.rank() && !axes.empty(); ++d) {
    if (fits(type, d, axes)) dimensions.push_back(d);
  }
  const auto length = [&](std::size_t d) { return cuts(type, d).longest(); };
  const auto is_longer = [&](std::size_t a, std::size_t b) { return length(a) > length(b); };
  std::stable_sort(dimensions.begin(), dimensions.end(), is_longer);
  const std::size_t most = type.devices() <= kFewDevices ? kKeptDimensionsMax : 1;
  if (dimensions.size() > most) dimensions.resize(most);
  return dimensions;
}

}  // namespace

base::Result<std::vector<KeptEnd>> kept_ends(const ArrayType& from, const ArrayType& to, const PendingChange& change) {
  TESSERA_TRY(target, without_keeps(to, change));
  if (change.keep.empty()) return std::vector<KeptEnd>{{target, {}}};
  std::vector<KeptEnd> ends;
  const auto add = [&](std::optional<KeptEnd> end) {
    const auto is_known = [&](const KeptEnd& known) { return end && known.target == end->target; };
    if (end && std::none_of(ends.begin(), ends.end(), is_known)) ends.push_back(std::move(*end));
  };
  // As the axes cut the source, or not at all; the others as well where no replica has to get all of them.
  const std::vector<AxisList> nowhere(to.rank());
  std::vector<AxisList> as_before = nowhere;
  for (std::size_t d = 0; d < to.rank() && from.mesh() == to.mesh(); ++d)
    as_before[d] = shared_in_order(from.layout().split(d), change.keep).value_or(AxisList{});
  for (const std::vector<AxisList>& begin : {nowhere, as_before}) {
    add(kept_from(target, to, change.keep, begin));
    const AxisList rest = rest_of(change.keep, begin);
    for (const std::size_t d : dimensions_to_cut(target, rest)) {
      std::vector<AxisList> further = begin;
      further[d] = concatenated(further[d], rest);
      add(kept_from(target, to, change.keep, further));
    }
  }
  for (std::size_t d = 0; d < to.rank() && to.devices() <= kFewDevices; ++d) {
    for (std::size_t place = 0; place < to.rank() && !as_before[d].empty(); ++place) {
      for (const AxisList& more : {AxisList{}, change.resolve, free_axes(to), rest_of(change.keep, as_before)}) {
        for (const ArrayType& like : {from, to})
          add(kept_first(like, to, change, as_before, d, place, more, Going::all));
        if (place != d) add(kept_first(from, to, change, as_before, d, place, more, Going::behind_kept));
      }
    }
  }
  // Where something moves, ends that receive less come before the one in which a replica has all.
  const bool moves = from.mesh() != to.mesh() || !change.resolve.empty() ||
                     std::ranges::any_of(direct_move(from, target, false), is_launch);
  if (moves) std::rotate(ends.begin(), ends.begin() + 1, ends.end());
  return ends;
}

base::Result<std::vector<Chain>> collectives_only_chains(const ArrayType& from, const ArrayType& to, Prices& prices,
                                                         std::optional<std::int64_t> budget) {
  if (from.mesh() == to.mesh()) {
    SearchLimits limits;
    limits.array_bytes_max = std::max(tile_bytes_max(from), tile_bytes_max(to));
    if (budget) limits.peak_bytes_max = *budget;
    return chains(from, to, [&](const Chain&, const ArrayType& at, const ArrayType& target, bool exactly) {
      return named_chains(at, target, exactly, prices, limits);
    });
  }
  if (!from.mesh().has_devices_of(to.mesh())) return base::make(Kind::cross_mesh, print(from.mesh()), print(to.mesh()));
  return base::make(Kind::unsupported, name(Planner::tessera), "only an exchange leads from one mesh to another");
}

}  // namespace tessera::synth
