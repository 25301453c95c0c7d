// What several stretches of a line found becomes one position; and positions of elements that equal a wanted one become
// those in the whole array.
#pragma once

#include <cstdint>

#include "runtime/device/text/arg_reduce.hpp"

namespace tessera::kernel {

struct ArgJoinTile {
  std::int64_t first_block;
  std::uint64_t from;       // the elements
  std::uint64_t positions;  // result r of stretch s has the number s * results + r
  std::uint64_t to;
  std::int64_t results;
  std::int64_t stretches;
  ReduceWalk kept, reduced;
};

template <bool max, class T>
struct ArgJoin : OnePhase<128> {
  struct Args {
    Table tiles;
  };

  template <int>
  static void run(const Args& args, const At& at, Shared&, Own&) {
    const auto& tile = row_of_block<ArgJoinTile>(args.tiles, at.block);
    const std::int64_t result = (at.block - tile.first_block) * kThreads + at.thread;
    if (result >= tile.results) return;
    const T* const from = memory<const T>(tile.from) + place_along(tile.kept, static_cast<std::uint32_t>(result));
    const auto* const positions = memory<const std::int64_t>(tile.positions) + result;
    Candidate<T> best{T{}, -1};
    TESSERA_UNROLL_TWICE
    for (std::int64_t s = 0; s < tile.stretches; ++s) {
      const std::int64_t position = positions[s * tile.results];
      const T value = from[place_along(tile.reduced, static_cast<std::uint32_t>(position))];
      BetterCandidate<max, T>::take(best, value, position);
    }
    memory<std::int64_t>(tile.to)[result] = best.position;
  }
};

// Along each dimension that is searched: the tile's extent, where it begins in the whole array, and the step there.
struct FindDimension {
  Divisor extent;
  std::int64_t begin = 0;
  std::int64_t step = 0;
};
struct FindTile {
  std::int64_t first_block;
  std::uint64_t from;
  std::uint64_t wanted;
  std::uint64_t found;  // the positions of the tile's best elements, which become those in the whole array
  std::int64_t results;
  std::int64_t rank;
  ReduceWalk kept, wanted_walk, reduced;
  FindDimension dimensions[16];
};

template <class T>
struct FindWanted : OnePhase<128> {
  struct Args {
    Table tiles;
  };
  static constexpr std::int64_t kNowhere = 0x7fffffffffffffff;

  template <int>
  static void run(const Args& args, const At& at, Shared&, Own&) {
    const auto& tile = row_of_block<FindTile>(args.tiles, at.block);
    const std::int64_t result = (at.block - tile.first_block) * kThreads + at.thread;
    if (result >= tile.results) return;
    const auto number = static_cast<std::uint32_t>(result);
    auto position = static_cast<std::uint32_t>(memory<const std::int64_t>(tile.found)[result]);
    const T best = memory<const T>(tile.from)[place_along(tile.kept, number) + place_along(tile.reduced, position)];
    const T wanted = memory<const T>(tile.wanted)[place_along(tile.wanted_walk, number)];
    const bool is_same = best == wanted || (runtime::is_nan(best) && runtime::is_nan(wanted));
    std::int64_t whole = 0;
    for (auto d = static_cast<int>(tile.rank) - 1; d >= 0; --d) {
      const FindDimension& dimension = tile.dimensions[d];
      whole += (dimension.begin + std::int64_t{divide(position, dimension.extent)}) * dimension.step;
    }
    memory<std::int64_t>(tile.found)[result] = is_same ? whole : kNowhere;
  }
};

}  // namespace tessera::kernel
