// Running sums, products, maxima and minima, in the order of kernels/scan.cpp: inside a block of a line's positions
// from its first to its last, and in front of a block what the blocks before it give, added up from left to right.
//
// A thread runs along a block. What blocks lie side by side in memory comes through shared memory, in strips.
//
// Example: two lines of 258 positions, whose elements lie by turns, are four runs: 0 and 1 have the first 256 positions
// of both lines, 2 and 3 the last two. Run 2 begins at element 512.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/device/text/walk.hpp"
#include "runtime/elements/running.hpp"

namespace tessera::kernel {

// A run is a block of a line; runs are counted block by block, and in each line by line.
struct ScanTile {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t totals = 0;  // of each run; what goes in front of it
  std::int64_t first_block = 0;
  std::int64_t lines = 0;
  std::int64_t length = 0;
  std::int64_t from_step = 0;  // along a line; `from` and `to` are of a line's first position in the scan's direction
  std::int64_t to_step = 0;
  Walk<2> line_walk;  // of both arrays
};
struct ScanArgs {
  std::uint64_t tiles;
  std::int64_t tile_count;
};

inline constexpr int kScanBlock = static_cast<int>(runtime::kSumBlock);

inline std::int64_t blocks_of(const ScanTile& tile) { return (tile.length + kScanBlock - 1) / kScanBlock; }

// Where runs begin, and how long they are.
struct ScanRun {
  std::int64_t from, to;
  std::int64_t count;  // 0: there is no such run
};
inline ScanRun run_of(const ScanTile& tile, std::int64_t number) {
  if (number >= tile.lines * blocks_of(tile)) return {0, 0, 0};
  const Quotient of = divided(number, tile.lines);
  const Places<2> line = places(tile.line_walk, of.rest);
  const std::int64_t begin = of.value * kScanBlock;
  const std::int64_t left = tile.length - begin;
  return {line.at[0] + begin * tile.from_step, line.at[1] + begin * tile.to_step,
          left < kScanBlock ? left : kScanBlock};
}

// The values inside blocks, and their totals. `by_lines`: neighbouring threads' lines lie side by side.
template <class How, class T, bool by_lines>
struct RunInside {
  using Args = ScanArgs;
  static constexpr int kThreads = 128;
  static constexpr int kPhases = by_lines ? 1 : 3;
  static constexpr int kStrip = 16;
  struct Strips {
    std::int64_t from[kThreads];
    std::int64_t to[kThreads];
    std::int32_t count[kThreads];
    T at[kThreads][kStrip + 1];
  };
  struct Nothing {};
  using Shared = std::conditional_t<by_lines, Nothing, Strips>;
  struct Own {
    const ScanTile* tile;
    ScanRun run;
    T sum;
  };

  static const ScanTile& tile_of(const Args& args, std::int64_t block) {
    const auto* tiles = memory<const ScanTile>(args.tiles);
    return tiles[row_of(tiles, static_cast<int>(args.tile_count), block)];
  }
  static std::int64_t turns(const Args& args, std::int64_t block) {
    const std::int64_t length = tile_of(args, block).length;
    const std::int64_t most = length < kScanBlock ? length : kScanBlock;
    return by_lines ? 1 : (most + kStrip - 1) / kStrip + 1;
  }

  // In turn 0 runs are found; then one strip after the other is read, run along, and written.
  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if (phase == 0 && at.turn == 0) {
      own.tile = &tile_of(args, at.block);
      own.run = run_of(*own.tile, number(own, at));
    }
    if constexpr (by_lines) {
      if (own.run.count > 0) run_alone(own, number(own, at));
    } else if (at.turn == 0) {
      if (phase == 0) tell(own, at.thread, shared);
    } else {
      const int begin = (static_cast<int>(at.turn) - 1) * kStrip;
      if constexpr (phase == 0)
        move<true>(own, at.thread, begin, shared);
      else if constexpr (phase == 1)
        run_strip(own, at, begin, shared);
      else
        move<false>(own, at.thread, begin, shared);
    }
  }

 private:
  static std::int64_t number(const Own& own, At at) {
    return (at.block - own.tile->first_block) * kThreads + at.thread;
  }
  static void keep_total(const Own& own, std::int64_t number, T total) {
    if (own.tile->totals != 0) memory<T>(own.tile->totals)[number] = total;
  }

  static void run_alone(Own& own, std::int64_t number) {
    const T* const from = memory<const T>(own.tile->from) + own.run.from;
    T* const to = memory<T>(own.tile->to) + own.run.to;
    constexpr int kAtOnce = 8;
    T sum = from[0];
    to[0] = sum;
    std::int64_t i = 1;
    for (; i + kAtOnce <= own.run.count; i += kAtOnce) {
      T some[kAtOnce];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) some[k] = from[(i + k) * own.tile->from_step];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        sum = How::combine(sum, some[k]);
        to[(i + k) * own.tile->to_step] = sum;
      }
    }
    TESSERA_ROLLED
    for (; i < own.run.count; ++i) {
      sum = How::combine(sum, from[i * own.tile->from_step]);
      to[i * own.tile->to_step] = sum;
    }
    keep_total(own, number, sum);
  }

  static void tell(const Own& own, int thread, Strips& shared) {
    shared.from[thread] = own.run.from;
    shared.to[thread] = own.run.to;
    shared.count[thread] = static_cast<std::int32_t>(own.run.count);
  }
  // Neighbouring threads read or write neighbouring positions.
  template <bool reads>
  static void move(const Own& own, int thread, int begin, Strips& shared) {
    constexpr int kAtOnce = kThreads / kStrip;
    const int position = begin + thread % kStrip;
    TESSERA_UNROLL
    for (int r = 0; r < kThreads; r += kAtOnce) {
      const int run = r + thread / kStrip;
      if (position >= shared.count[run]) continue;
      T& strip = shared.at[run][thread % kStrip];
      if constexpr (reads)
        strip = memory<const T>(own.tile->from)[shared.from[run] + position * own.tile->from_step];
      else
        memory<T>(own.tile->to)[shared.to[run] + position * own.tile->to_step] = strip;
    }
  }
  static void run_strip(Own& own, At at, int begin, Strips& shared) {
    const std::int64_t left = own.run.count - begin;
    const int count = left < kStrip ? static_cast<int>(left) : kStrip;
    if (count <= 0) return;
    T sum = own.sum;
    for (int i = 0; i < count; ++i) {
      T& value = shared.at[at.thread][i];
      sum = begin + i == 0 ? value : How::combine(sum, value);
      value = sum;
    }
    own.sum = sum;
    if (left <= kStrip) keep_total(own, number(own, at), sum);
  }
};

// Of every line, the totals of blocks become what goes in front of them.
template <class How, class T>
struct AddTotals : OnePhase<64> {
  using Args = ScanArgs;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const ScanTile>(args.tiles);
    const ScanTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t line = (at.block - tile.first_block) * kThreads + at.thread;
    if (line >= tile.lines) return;
    T* const totals = memory<T>(tile.totals) + line;
    const std::int64_t blocks = blocks_of(tile);
    runtime::Before<How, T> before;
    constexpr int kAtOnce = 8;
    std::int64_t b = 0;
    for (; b + kAtOnce <= blocks; b += kAtOnce) {
      T some[kAtOnce];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) some[k] = totals[(b + k) * tile.lines];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        totals[(b + k) * tile.lines] = before.value();
        before.add(some[k]);
      }
    }
    TESSERA_ROLLED
    for (; b < blocks; ++b) {
      const T total = totals[b * tile.lines];
      totals[b * tile.lines] = before.value();
      before.add(total);
    }
  }
};

// Puts in front of every block but a line's first what goes there. A block of threads has some runs; `by_lines` says in
// which order their positions are walked.
template <class How, class T, bool by_lines>
struct PutInFront {
  using Args = ScanArgs;
  static constexpr int kRuns = 32;
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 2;
  struct Shared {
    std::int64_t to[kRuns];
    std::int32_t count[kRuns];
    T before[kRuns];
  };
  struct Own {
    const ScanTile* tile;
  };
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if constexpr (phase == 0) {
      const auto* tiles = memory<const ScanTile>(args.tiles);
      own.tile = &tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
      if (at.thread >= kRuns) return;
      // The first block of every line stays as it is.
      const std::int64_t number = own.tile->lines + (at.block - own.tile->first_block) * kRuns + at.thread;
      const ScanRun run = run_of(*own.tile, number);
      shared.to[at.thread] = run.to;
      shared.count[at.thread] = static_cast<std::int32_t>(run.count);
      if (run.count > 0) shared.before[at.thread] = memory<const T>(own.tile->totals)[number];
    } else {
      TESSERA_UNROLL
      for (int k = 0; k < kRuns * kScanBlock / kThreads; ++k) {
        const int at_once = k * kThreads + at.thread;
        const int run = by_lines ? at_once % kRuns : at_once / kScanBlock;
        const int position = by_lines ? at_once / kRuns : at_once % kScanBlock;
        if (position >= shared.count[run]) continue;
        T& value = memory<T>(own.tile->to)[shared.to[run] + position * own.tile->to_step];
        value = How::combine(shared.before[run], value);
      }
    }
  }
};

}  // namespace tessera::kernel
