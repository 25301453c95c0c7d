#include "synth/planner/chains.hpp"

#include <algorithm>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

std::optional<Chain> named_move(const ArrayType& from, const ArrayType& to, bool exactly) {
  if (exactly ? from == to : same_type(from, to)) return Chain{};
  const auto permuted = apply(permute_step(to), from);
  if (same_type(from, to) && permuted.ok()) return Chain{permute_step(to)};
  auto chain = find_chain(from, to);
  if (!chain || !exactly) return chain;
  const auto end = after_chain(*chain, from);
  return end.ok() && *end == to ? chain : std::nullopt;
}

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

}  // namespace tessera::synth
