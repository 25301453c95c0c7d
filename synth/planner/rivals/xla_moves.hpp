// Private to synth: how XLA's partitioner moves cuts between dimensions, and the patterns it knows.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "synth/planner/rivals/xla_tiling.hpp"

namespace tessera::synth::xla {

using Extents = std::vector<std::int64_t>;

// The tile of a device, the largest one where they differ.
Extents local_extents(const Extents& extents, const Counts& counts);

// Cuts that move from one dimension to another: their counts change places.
struct CutsMove {
  std::size_t from = 0;
  std::size_t to = 0;
};

// The moves that give every dimension its count, one pair at a time; nothing unless the counts are the same but for
// their order, and larger ones are multiples of the smaller ones they change places with.
std::optional<std::vector<CutsMove>> cuts_moves(const Tiling& from, const Tiling& to);

// The tilings that the moves lead through, one after each launch; the last has the target's counts, and may have
// another order of devices. Fused: moves between different pairs of dimensions share the first launch, as since 2025;
// nothing if that would separate moves that depend on each other.
std::optional<std::vector<Tiling>> one_by_one(const Tiling& from, const std::vector<CutsMove>& moves);
std::optional<std::vector<Tiling>> fused(const Tiling& from, const Tiling& to, std::vector<CutsMove> moves,
                                         const Extents& extents);

// Two tilings where a dimension is seen as two, the outer one of as many elements as it has tiles. The minor part of
// the dimension's cuts can then change places with others.
struct SplitDimension {
  std::size_t dimension = 0;
  Tiling from;
  Tiling to;
  Extents extents;
};
// Both cut a dimension, one of them more often: by what another dimension loses or gains, or else the source does.
std::optional<SplitDimension> merge_or_split(const Tiling& from, const Tiling& to, const Extents& extents);
// The two dimensions one again.
Tiling merged(const Tiling& tiling, std::size_t dimension);

// The source with the one dimension replicated that makes it have the target's copies.
std::optional<Tiling> one_dimension_replicated(const Tiling& from, const Tiling& to);
// The source, which has copies, with them on the first whole dimension that the target, which has none, cuts into a
// multiple.
std::optional<Tiling> copies_cut_away(const Tiling& from, const Tiling& to);
// Between a tiling without copies and one that has its counts one dimension further on, and as copies those of its last
// dimension: the former with that dimension replicated.
std::optional<Tiling> shifted_counts(const Tiling& from, const Tiling& to);

}  // namespace tessera::synth::xla
