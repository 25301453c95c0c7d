// Reductions that keep the innermost dimension: columns of elements, in the order of runtime/kernels/reduce.hpp. A
// thread adds up blocks of 128 rows, one row after the other, of one unit of neighbouring columns; the blocks then meet
// in pairs of equal size. A block of threads takes a stretch of the rows of some columns; stretches are joined by
// another kernel (join_leaves.hpp).
#pragma once

#include <cstdint>

#include "runtime/device/text/reduce_tile.hpp"
#include "runtime/device/text/row_reduction.hpp"
#include "runtime/device/text/rows.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

struct ReduceColumnsTile {
  std::int64_t first_block;
  std::uint64_t from;
  std::uint64_t to;  // result r of stretch s goes to number s * results + r
  std::int64_t results;
  std::int64_t rows;           // that are reduced to each result
  std::int64_t column_stride;  // from a unit to the next, in elements
  std::int64_t row_stride;     // where rows lie evenly
  std::int32_t units;          // of a group of columns
  std::int32_t units_log;      // that a block of threads takes side by side: 5 at most where it has several turns
  std::int32_t row_blocks;     // blocks of 128 rows
  std::int32_t turns;          // of a block of threads
  Divisor stretches;           // of the rows
  Divisor strips;              // of the units of a group
  ReduceWalk kept, reduced;    // kept: of groups
};

// Neighbours that are reduced side by side.
template <class How, class T, int own>
struct CombineUnits {
  using Unit = ReadTogether<T, own>;
  static Unit combine(const Unit& a, const Unit& b) {
    Unit result;
    TESSERA_UNROLL
    for (int k = 0; k < own; ++k) result.at[k] = How::combine(a.at[k], b.at[k]);
    return result;
  }
};

// `own` columns of a thread; even: rows lie at equal distances.
template <synth::ReduceKind kind, class T, int own, bool even>
struct ReduceColumns {
  using Unit = ReadTogether<T, own>;
  using How = CombineUnits<runtime::Combine<kind, T>, T, own>;
  struct Args {
    Table tiles;
    std::int64_t turns;  // the most of all tiles
  };
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 6;
  static constexpr int kTurnsMost = 8;
  static constexpr int kUnitsMost = 32;
  static constexpr int kAtOnce = 8;
  struct Shared {
    Unit blocks[kThreads];                // those of a column `1 << units_log` apart
    Unit turns[kTurnsMost * kUnitsMost];  // those of a column kUnitsMost apart; of one turn, up to 256 columns
  };
  struct Own {
    std::uint64_t tile;  // its address
    std::uint64_t from;  // the first row of the thread's unit
    std::int64_t to;     // the number of its first result
    std::int32_t stretch;
    std::int32_t unit;  // negative: none
  };
  static std::int64_t turns(const Args& args, std::int64_t) { return args.turns; }

  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own& place) {
    if constexpr (phase == 0) {
      if (at.turn == 0) begin(args, at, place);
    }
    const auto& tile = *memory<const ReduceColumnsTile>(place.tile);
    const auto turn = static_cast<std::int32_t>(at.turn);
    if (turn >= tile.turns) return;
    const std::int32_t first = (place.stretch * tile.turns + turn) * at_once(tile);
    const std::int32_t left = tile.row_blocks - first;
    const std::int32_t count = left < at_once(tile) ? left : at_once(tile);
    if constexpr (phase == 0) {
      const std::int32_t own_block = at.thread >> tile.units_log;
      if (place.unit >= 0 && own_block < count) shared.blocks[at.thread] = add_rows(tile, place, first + own_block);
    } else if constexpr (phase <= 3) {
      constexpr int kStep = phase == 1 ? 1 : phase == 2 ? 8 : 64;
      join_blocks<kStep>(at.thread, tile.units_log, count, shared.blocks);
    } else if constexpr (phase == 4) {
      if (at.thread < 1 << tile.units_log) shared.turns[turn * kUnitsMost + at.thread] = shared.blocks[at.thread];
    } else if (turn + 1 == tile.turns) {
      finish(at.thread, tile, place, shared);
    }
  }

 private:
  // Blocks of rows that are reduced at a time.
  static std::int32_t at_once(const ReduceColumnsTile& tile) { return kThreads >> tile.units_log; }

  static void begin(const Args& args, const At& at, Own& place) {
    place.tile = row_address<ReduceColumnsTile>(args.tiles, at.block);
    const auto& tile = *memory<const ReduceColumnsTile>(place.tile);
    auto number = static_cast<std::uint32_t>(at.block - tile.first_block);
    const auto strip = static_cast<std::int32_t>(divide(number, tile.strips));
    place.stretch = static_cast<std::int32_t>(divide(number, tile.stretches));
    const std::int32_t unit = (strip << tile.units_log) + (at.thread & ((1 << tile.units_log) - 1));
    place.unit = unit < tile.units ? unit : -1;
    place.from = tile.from + (place_along(tile.kept, number) + unit * tile.column_stride) * sizeof(T);
    place.to = (std::int64_t{number} * tile.units + unit) * own;
  }
  static Unit row_at(const ReduceColumnsTile& tile, const Own& place, std::int32_t row) {
    const T* const from = memory<const T>(place.from);
    Unit unit;
    read_together(from + (even ? row * tile.row_stride : place_along(tile.reduced, static_cast<std::uint32_t>(row))),
                  unit.at);
    return unit;
  }
  static Unit add_rows(const ReduceColumnsTile& tile, const Own& place, std::int32_t block) {
    const std::int32_t begin = block * kRowBlock;
    const std::int64_t left = tile.rows - begin;
    Unit sum;
    if (left >= kRowBlock) {
      for (int i = 0; i < kRowBlock; i += kAtOnce) {
        Unit next[kAtOnce];
        TESSERA_UNROLL
        for (int k = 0; k < kAtOnce; ++k) next[k] = row_at(tile, place, begin + i + k);
        TESSERA_UNROLL
        for (int k = 0; k < kAtOnce; ++k) {
          sum = i + k == 0 ? next[0] : How::combine(sum, next[k]);
        }
      }
    } else {
      sum = row_at(tile, place, begin);
      TESSERA_UNROLL_TWICE
      for (int i = 1; i < static_cast<int>(left); ++i) sum = How::combine(sum, row_at(tile, place, begin + i));
    }
    return sum;
  }
  template <int step>
  static void join_blocks(int thread, int units_log, int count, Unit* blocks) {
    const int unit = thread & ((1 << units_log) - 1);
    const int first = (thread >> units_log) * 8 * step;
    if (first < count) join_apart<How, step>(blocks + unit, units_log, first, count);
  }
  static void finish(int thread, const ReduceColumnsTile& tile, const Own& place, Shared& shared) {
    if (thread >= 1 << tile.units_log || place.unit < 0) return;
    const int all = (tile.row_blocks + at_once(tile) - 1) / at_once(tile) - place.stretch * tile.turns;
    join_apart<How, 1>(shared.turns + thread, 5, 0, all < tile.turns ? all : tile.turns);
    T* const to = memory<T>(tile.to) + place.stretch * tile.results + place.to;
    TESSERA_UNROLL
    for (int k = 0; k < own; ++k) to[k] = shared.turns[thread].at[k];
  }
};

}  // namespace tessera::kernel
