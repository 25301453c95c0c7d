#include "synth/redistribute/rivals/xla_moves.hpp"

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

// The dimensions of a match: `cut` has cuts on both sides, `other` gets or gives some, `major` of the former's are its
// own.
struct Match {
  std::size_t cut;
  std::size_t other;
  std::int64_t major;
};

// One of the four counts is 1.
std::optional<Match> match_with_one(const Tiling& from, const Tiling& to, const Extents& extents, std::size_t i,
                                    std::size_t j) {
  if (from.counts[i] * from.counts[j] != to.counts[i] * to.counts[j]) return std::nullopt;
  if (from.counts[i] == 1 || to.counts[i] == 1) std::swap(i, j);
  if (to.counts[j] == 1) {
    const std::int64_t local = local_extents(extents, from.counts)[i];
    return local % from.counts[j] == 0 ? std::optional(Match{i, j, from.counts[i]}) : std::nullopt;
  }
  return extents[i] % from.counts[i] == 0 ? std::optional(Match{i, j, to.counts[i]}) : std::nullopt;
}

std::optional<Match> match_without_one(const Tiling& from, const Tiling& to, const Extents& extents, std::size_t i,
                                       std::size_t j) {
  if (from.counts[i] < to.counts[i]) std::swap(i, j);
  if (from.counts[i] != to.counts[i] * to.counts[j] || extents[i] % from.counts[i] != 0) return std::nullopt;
  return Match{i, j, to.counts[i]};
}

std::optional<Match> match(const Tiling& from, const Tiling& to, const Extents& extents, std::size_t i, std::size_t j) {
  if (from.counts[i] == to.counts[i] || from.counts[j] == to.counts[j]) return std::nullopt;
  const Counts all{from.counts[i], from.counts[j], to.counts[i], to.counts[j]};
  const auto ones = std::count(all.begin(), all.end(), 1);
  if (ones == 1) return match_with_one(from, to, extents, i, j);
  if (ones == 0) return match_without_one(from, to, extents, i, j);
  return std::nullopt;
}

SplitDimension split(const Tiling& from, const Tiling& to, const Extents& extents, const Match& match) {
  const auto inserted = static_cast<std::ptrdiff_t>(match.cut) + 1;
  const std::int64_t minor = from.counts[match.cut] / match.major;
  Counts counts = from.counts;
  counts[match.cut] = match.major;
  counts.insert(counts.begin() + inserted, minor);
  SplitDimension result{match.cut, reshaped(from, counts, from.copies), {}, extents};
  std::swap(counts[match.cut + 1], counts[match.other + (match.other > match.cut ? 1 : 0)]);
  result.to = reshaped(to, counts, to.copies);
  const std::int64_t inner_extent = local_extents(extents, from.counts)[match.cut] * minor;
  result.extents[match.cut] = inner_extent > 0 ? extents[match.cut] / inner_extent : 0;
  result.extents.insert(result.extents.begin() + inserted, inner_extent);
  return result;
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
  for (std::size_t i = 0; i < from.counts.size(); ++i) {
    for (std::size_t j = i + 1; j < from.counts.size(); ++j) {
      if (const auto found = match(from, to, extents, i, j)) return split(from, to, extents, *found);
    }
  }
  return std::nullopt;
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
