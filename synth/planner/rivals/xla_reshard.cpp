// The first pattern that matches is taken; nothing is weighed. The patterns call one another on intermediate tilings,
// in groups of devices, and with a dimension seen as two: a `Space` says which of these the tilings at hand are in, and
// how they are seen from outside. Every recursion ends: a group has fewer dimensions that are cut, a split is undone
// with one more dimension right, and a replicated dimension is only sliced.
#include "synth/planner/rivals/xla_reshard.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::synth::xla {

namespace {

// The extents that a tiling is meant in.
struct Space {
  Extents extents;
  const Space* outer = nullptr;
  const Grouped* group = nullptr;              // seen from outside, a tiling inside each of these groups
  std::optional<std::size_t> split_dimension;  // seen from outside, one dimension with the next
};

Tiling from_outside(const Tiling& tiling, const Space& space) {
  if (space.outer == nullptr) return tiling;
  return from_outside(space.group != nullptr ? ungrouped(*space.group, tiling) : merged(tiling, *space.split_dimension),
                      *space.outer);
}

bool in_group(const Space& space) {
  return space.group != nullptr || (space.outer != nullptr && in_group(*space.outer));
}

enum class Rematerialization : std::uint8_t { forbidden, allowed };

class Resharder {
 public:
  explicit Resharder(Flow flow) : flow_(flow) {}

  // The tiling that it arrives at: the target, or the source where that takes a full rematerialization and none is
  // allowed.
  Tiling reshard(const Space& space, const Tiling& from, const Tiling& to, Rematerialization rematerialization);
  Reshard result() && { return std::move(result_); }

 private:
  using Arrival = std::optional<Tiling>;  // the target, if a pattern matched

  Tiling step(const Space& space, CollectiveKind kind, const Tiling& after);
  Arrival move_cuts(const Space& space, const Tiling& from, const Tiling& to);
  Arrival cut_copies(const Space& space, const Tiling& from, const Tiling& to);
  Arrival gather_to_copies(const Space& space, const Tiling& from, const Tiling& to);
  Arrival shift_counts(const Space& space, const Tiling& from, const Tiling& to);
  Arrival by_split(const Space& space, const SplitDimension& split, const Tiling& to);
  Arrival through(const Space& space, const Tiling& from, const Tiling& between, const Tiling& to);
  Arrival by_simpler_pattern(const Space& space, const Tiling& from, const Tiling& to);
  Arrival in_groups(const Space& space, const Tiling& from, const Tiling& to);
  Arrival by_one_pattern(const Space& space, const Tiling& from, const Tiling& to);
  Tiling gather_all(const Space& space, const Tiling& from);

  Flow flow_;
  Reshard result_;
};

Tiling Resharder::step(const Space& space, CollectiveKind kind, const Tiling& after) {
  result_.steps.push_back(TilingStep{kind, from_outside(after, space)});
  return after;
}

Resharder::Arrival Resharder::move_cuts(const Space& space, const Tiling& from, const Tiling& to) {
  const auto moves = cuts_moves(from, to);
  if (!moves) return std::nullopt;
  auto tilings = flow_ == Flow::nov_2025 ? fused(from, to, *moves, space.extents) : std::nullopt;
  if (!tilings) tilings = one_by_one(from, *moves);
  if (!tilings) return std::nullopt;
  for (const Tiling& tiling : *tilings) step(space, CollectiveKind::all_to_all, tiling);
  if (tilings->back() != to) step(space, CollectiveKind::permute, to);
  return to;
}

Resharder::Arrival Resharder::cut_copies(const Space& space, const Tiling& from, const Tiling& to) {
  if (!has_copies(from) || is_replicated(to)) return std::nullopt;
  const auto cut = compatible(from, to);
  if (!cut) return std::nullopt;
  step(space, CollectiveKind::slice, *cut);
  if (*cut != to) step(space, CollectiveKind::permute, to);
  return to;
}

Resharder::Arrival Resharder::gather_to_copies(const Space& space, const Tiling& from, const Tiling& to) {
  if (is_replicated(from) || !has_copies(to)) return std::nullopt;
  const auto start = compatible(to, from);
  if (!start) return std::nullopt;
  if (*start != from) step(space, CollectiveKind::permute, *start);
  Tiling tiling = *start;
  for (std::size_t d = to.counts.size(); d-- > 0;) {
    if (tiling.counts[d] == to.counts[d]) continue;
    tiling = step(space, CollectiveKind::all_gather, gathered(tiling, d, to.counts[d]));
  }
  return to;
}

Resharder::Arrival Resharder::shift_counts(const Space& space, const Tiling& from, const Tiling& to) {
  const auto between = shifted_counts(from, to);
  if (!between) return std::nullopt;
  if (!has_copies(from)) {
    reshard(space, from, *between, Rematerialization::allowed);
    return move_cuts(space, *between, to);
  }
  if (!move_cuts(space, from, *between)) return std::nullopt;
  return reshard(space, *between, to, Rematerialization::allowed);
}

Resharder::Arrival Resharder::by_split(const Space& space, const SplitDimension& split, const Tiling& to) {
  const Space inner{split.extents, &space, nullptr, split.dimension};
  if (reshard(inner, split.from, split.to, Rematerialization::forbidden) != split.to) return std::nullopt;
  return to;
}

Resharder::Arrival Resharder::through(const Space& space, const Tiling& from, const Tiling& between, const Tiling& to) {
  reshard(space, from, between, Rematerialization::allowed);
  if (reshard(space, between, to, Rematerialization::forbidden) != to) return std::nullopt;
  return to;
}

// The first match decides: if it does not lead to the target, no other is tried.
Resharder::Arrival Resharder::by_simpler_pattern(const Space& space, const Tiling& from, const Tiling& to) {
  if (const auto split = merge_or_split(from, to, space.extents)) return by_split(space, *split, to);
  if (const auto replicated = one_dimension_replicated(from, to)) return through(space, from, *replicated, to);
  if (const auto cut = copies_cut_away(from, to)) return through(space, from, *cut, to);
  return std::nullopt;
}

// Dimensions that both cut equally often are left alone by working in groups of devices that agree on them.
Resharder::Arrival Resharder::in_groups(const Space& space, const Tiling& from, const Tiling& to) {
  std::vector<std::size_t> equal;
  Extents extents = space.extents;
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    if (from.counts[d] == 1 || from.counts[d] != to.counts[d]) continue;
    equal.push_back(d);
    extents[d] = local_extents(space.extents, from.counts)[d];
  }
  if (equal.empty()) return std::nullopt;
  const Grouped groups = grouped(from, equal);
  const Tiling target = aligned(grouped(to, equal), groups);
  const Space inner{extents, &space, &groups, std::nullopt};
  reshard(inner, groups.inner, target, Rematerialization::allowed);
  return reshard(space, ungrouped(groups, target), to, Rematerialization::allowed);
}

// The steps of a pattern that does not arrive are not taken.
Resharder::Arrival Resharder::by_one_pattern(const Space& space, const Tiling& from, const Tiling& to) {
  if (is_permutation(from, to)) return step(space, CollectiveKind::permute, to);
  for (const auto pattern : {&Resharder::move_cuts, &Resharder::cut_copies, &Resharder::gather_to_copies,
                             &Resharder::shift_counts, &Resharder::by_simpler_pattern, &Resharder::in_groups}) {
    const bool only_tiled = pattern == &Resharder::by_simpler_pattern || pattern == &Resharder::in_groups;
    if (only_tiled && (flow_ == Flow::dec_2021 || is_replicated(from) || is_replicated(to))) continue;
    const Reshard before = result_;
    if (auto arrival = (this->*pattern)(space, from, to)) return arrival;
    result_ = before;
  }
  return std::nullopt;
}

Tiling Resharder::gather_all(const Space& space, const Tiling& from) {
  Tiling tiling = from;
  for (std::size_t d = from.counts.size(); d-- > 0;) {
    if (tiling.counts[d] > 1) tiling = step(space, CollectiveKind::all_gather, gathered(tiling, d, 1));
  }
  return tiling;
}

Tiling Resharder::reshard(const Space& space, const Tiling& from, const Tiling& to,
                          Rematerialization rematerialization) {
  if (from == to) return to;
  if (is_replicated(from)) return step(space, CollectiveKind::slice, to);
  if (auto arrival = by_one_pattern(space, from, to)) return std::move(*arrival);
  if (!is_replicated(to)) {
    if (rematerialization == Rematerialization::forbidden) return from;
    (in_group(space) ? result_.partial_rematerialization : result_.full_rematerialization) = true;
  }
  return reshard(space, gather_all(space, from), to, Rematerialization::allowed);
}

}  // namespace

Reshard reshard(const Extents& extents, const Tiling& from, const Tiling& to, Flow flow) {
  Resharder resharder(flow);
  resharder.reshard(Space{extents, nullptr, nullptr, std::nullopt}, from, to, Rematerialization::allowed);
  return std::move(resharder).result();
}

}  // namespace tessera::synth::xla
