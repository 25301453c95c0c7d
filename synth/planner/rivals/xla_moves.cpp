#include "synth/planner/rivals/xla_moves.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera::synth::xla {

namespace {

// Dimensions by how often they are cut, smaller counts first.
using DimensionsByCount = std::map<std::int64_t, std::vector<std::size_t>>;

void take(DimensionsByCount& dimensions, std::int64_t count, std::size_t dimension) {
  auto& list = dimensions[count];
  std::erase(list, dimension);
  if (list.empty()) dimensions.erase(count);
}

// The first of the dimensions whose wanted count is the right one, or the last of all.
template <class Right>
std::size_t first_or_last(const std::vector<std::size_t>& dimensions, const Right& right) {
  const auto found = std::find_if(dimensions.begin(), dimensions.end(), right);
  return found == dimensions.end() ? dimensions.back() : *found;
}

bool same_counts(const DimensionsByCount& a, const DimensionsByCount& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.size() == other.second.size();
  });
}

// Which dimension gives its cuts to one that is cut `smallest` times and wants `wanted`?
std::optional<std::size_t> giver(const DimensionsByCount& have, const Counts& target, std::int64_t smallest,
                                 std::int64_t wanted) {
  const auto candidates = have.find(wanted);
  if (candidates == have.end() || wanted % smallest != 0) return std::nullopt;
  return first_or_last(candidates->second,
                       [&](std::size_t d) { return smallest == 1 ? target[d] != 1 : target[d] == smallest; });
}

// Moves between pairs of dimensions that no earlier one has.
struct Independent {
  std::vector<CutsMove> moves;
  std::vector<CutsMove> others;
};
Independent independent(const std::vector<CutsMove>& moves, const Tiling& from, const Tiling& to,
                        const Extents& extents) {
  Independent result;
  std::set<std::size_t> taken;
  for (const CutsMove& move : moves) {
    const bool divide = extents[move.from] % from.counts[move.from] == 0 && extents[move.to] % to.counts[move.to] == 0;
    if (divide && taken.count(move.from) + taken.count(move.to) == 0) {
      taken.insert({move.from, move.to});
      result.moves.push_back(move);
    } else {
      result.others.push_back(move);
    }
  }
  return result;
}

// Are the cuts of the dimension in one tiling, each cut further, those in the other, for the extent as well?
bool cuts_nest(const Tiling& from, const Tiling& to, const Extents& extents, std::size_t dimension) {
  const auto [fewer, more] = std::minmax(from.counts[dimension], to.counts[dimension]);
  if (fewer == 1 || fewer == more || more % fewer != 0) return false;
  return (extents[dimension] + fewer - 1) / fewer * fewer % more == 0;
}

// Is the dimension cut in only one of the two?
bool cut_in_one(const Tiling& from, const Tiling& to, std::size_t dimension) {
  return from.counts[dimension] != to.counts[dimension] && std::min(from.counts[dimension], to.counts[dimension]) == 1;
}

// The dimension whose cuts nest, with those it has more in one tiling on another dimension in the other; or else one
// that has more of them in the source.
std::optional<std::size_t> dimension_to_split(const Tiling& from, const Tiling& to, const Extents& extents) {
  std::optional<std::size_t> coarser;
  for (std::size_t i = 0; i < from.counts.size(); ++i) {
    if (!cuts_nest(from, to, extents, i)) continue;
    for (std::size_t j = 0; j < from.counts.size(); ++j) {
      const bool traded = from.counts[i] * from.counts[j] == to.counts[i] * to.counts[j];
      if (cut_in_one(from, to, j) && traded) return i;
    }
    if (!coarser && from.counts[i] > to.counts[i]) coarser = i;
  }
  return coarser;
}

Tiling with_split_dimension(const Tiling& tiling, std::size_t dimension, std::int64_t major) {
  Counts counts = tiling.counts;
  counts[dimension] = major;
  counts.insert(counts.begin() + static_cast<std::ptrdiff_t>(dimension) + 1, tiling.counts[dimension] / major);
  return reshaped(tiling, std::move(counts), tiling.copies);
}

}  // namespace

Extents local_extents(const Extents& extents, const Counts& counts) {
  Extents local;
  for (std::size_t d = 0; d < extents.size(); ++d) local.push_back((extents[d] + counts[d] - 1) / counts[d]);
  return local;
}

std::optional<std::vector<CutsMove>> cuts_moves(const Tiling& from, const Tiling& to) {
  if (is_replicated(from) || is_replicated(to) || from.copies != to.copies) return std::nullopt;
  DimensionsByCount have;
  DimensionsByCount want;
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    if (from.counts[d] == to.counts[d]) continue;
    have[from.counts[d]].push_back(d);
    want[to.counts[d]].push_back(d);
  }
  if (have.empty() || !same_counts(have, want)) return std::nullopt;
  std::vector<CutsMove> moves;
  while (!have.empty()) {
    const std::int64_t smallest = have.begin()->first;
    const std::size_t i = have.begin()->second.back();
    const std::int64_t wanted = to.counts[i];
    if (wanted == smallest) {
      take(have, smallest, i);
      continue;
    }
    const auto j = giver(have, to.counts, smallest, wanted);
    if (!j) return std::nullopt;
    moves.push_back(CutsMove{*j, i});
    have.begin()->second.back() = *j;
    take(have, wanted, *j);
  }
  return moves;
}

std::optional<std::vector<Tiling>> one_by_one(const Tiling& from, const std::vector<CutsMove>& moves) {
  std::vector<Tiling> tilings;
  for (const CutsMove& move : moves) {
    auto next = with_moved_cuts(tilings.empty() ? from : tilings.back(), move.from, move.to);
    if (!next) return std::nullopt;
    tilings.push_back(std::move(*next));
  }
  return tilings;
}

std::optional<std::vector<Tiling>> fused(const Tiling& from, const Tiling& to, std::vector<CutsMove> moves,
                                         const Extents& extents) {
  std::stable_sort(moves.begin(), moves.end(), [](const CutsMove& a, const CutsMove& b) { return a.to < b.to; });
  const Independent parts = independent(moves, from, to, extents);
  if (parts.moves.size() < 2) return std::nullopt;
  const auto first = one_by_one(from, parts.moves);
  if (!first) return std::nullopt;
  std::vector<Tiling> tilings{first->back()};
  if (tilings.back() == to) return tilings;
  const auto rest = one_by_one(tilings.back(), parts.others);
  if (!rest) return std::nullopt;
  tilings.insert(tilings.end(), rest->begin(), rest->end());
  if (tilings.back().counts != to.counts) return std::nullopt;
  return tilings;
}

std::optional<SplitDimension> merge_or_split(const Tiling& from, const Tiling& to, const Extents& extents) {
  if (from.copies != to.copies) return std::nullopt;
  const auto dimension = dimension_to_split(from, to, extents);
  if (!dimension) return std::nullopt;
  const std::int64_t major = std::min(from.counts[*dimension], to.counts[*dimension]);
  SplitDimension split{*dimension, with_split_dimension(from, *dimension, major),
                       with_split_dimension(to, *dimension, major), extents};
  const std::int64_t local = local_extents(extents, from.counts)[*dimension];
  split.extents[*dimension] = major;
  split.extents.insert(split.extents.begin() + static_cast<std::ptrdiff_t>(*dimension) + 1,
                       local * split.from.counts[*dimension + 1]);
  return split;
}

Tiling merged(const Tiling& tiling, std::size_t dimension) {
  Counts counts = tiling.counts;
  counts[dimension] *= counts[dimension + 1];
  counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(dimension) + 1);
  return reshaped(tiling, std::move(counts), tiling.copies);
}

std::optional<Tiling> one_dimension_replicated(const Tiling& from, const Tiling& to) {
  if (!has_copies(to)) return std::nullopt;
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    if (from.counts[d] > 1 && from.counts[d] * from.copies == to.copies) return gathered(from, d, 1);
  }
  return std::nullopt;
}

std::optional<Tiling> copies_cut_away(const Tiling& from, const Tiling& to) {
  if (!has_copies(from) || has_copies(to)) return std::nullopt;
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    const bool whole_and_wanted = from.counts[d] == 1 && to.counts[d] > 1 && to.counts[d] % from.copies == 0;
    if (whole_and_wanted) return with_copies_on(from, d);
  }
  return std::nullopt;
}

std::optional<Tiling> shifted_counts(const Tiling& from, const Tiling& to) {
  const Tiling& with = has_copies(from) ? from : to;
  const Tiling& without = has_copies(from) ? to : from;
  if (!has_copies(with) || without.copies > 1 || is_replicated(without) || with.counts.front() != 1) {
    return std::nullopt;
  }
  Counts shifted(with.counts.begin() + 1, with.counts.end());
  shifted.push_back(with.copies);
  if (shifted != without.counts || with.devices != without.devices) return std::nullopt;
  Counts counts = without.counts;
  counts.back() = 1;
  return reshaped(without, counts, with.copies);
}

}  // namespace tessera::synth::xla
