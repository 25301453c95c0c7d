// What reductions along rows have in common: which rows, or which stretch of a row, a block of threads takes in a turn,
// and how what blocks of 128 elements give becomes results.
#pragma once

#include <cstdint>

#include "runtime/device/text/reduce_tile.hpp"
#include "runtime/device/text/row_reduction.hpp"
#include "runtime/device/text/rows.hpp"

namespace tessera::kernel {

// How a row's elements lie: side by side; in runs of whole blocks of 128; in any way.
enum class RowLie : unsigned char { dense, runs, any };

struct ReduceRowsTile {
  std::int64_t first_block;
  std::uint64_t from;
  std::uint64_t to;  // result r of stretch s goes to number s * results + r
  std::int64_t results;
  std::int64_t length;      // of a row
  std::int32_t row_blocks;  // blocks of 128 elements of a row
  std::int32_t slots_log;   // rows stand side by side in shared memory, so many slots for each
  std::int32_t turns;       // of a block of threads: for other rows, or for more of the same
  std::int32_t unused;
  Divisor stretches;  // of a row: more than one only where it has all slots
  ReduceWalk kept, reduced;
};

inline constexpr int kRowTurnsMost = 64;

// A turn: of rows from `first_row` on, the blocks from `first` on, in `count` slots for each.
struct RowTurn {
  std::uint64_t tile;  // its address
  std::int64_t first_row;
  std::int32_t stretch;
  std::int32_t first;
  std::int32_t count;
};

inline const ReduceRowsTile& tile_of(const RowTurn& turn) { return *memory<const ReduceRowsTile>(turn.tile); }

// A block of 128 elements of a row, the last of which may have less.
struct RowPart {
  std::int64_t row;
  std::int32_t block;
  std::int32_t count;  // of elements; 0: there is no such block
};

// `slots` blocks of 128 elements are reduced at a time.
template <class How, class T, int slots>
struct RowTurns {
  static constexpr int kLog = slots == 128 ? 7 : slots == 64 ? 6 : slots == 32 ? 5 : 8;
  struct Shared {
    T blocks[512];
    T turns[kRowTurnsMost];
  };

  static bool is_long(const ReduceRowsTile& tile) { return tile.row_blocks > slots; }

  static void begin(const At& at, RowTurn& turn) {
    const ReduceRowsTile& tile = tile_of(turn);
    auto number = static_cast<std::uint32_t>(at.block - tile.first_block);
    if (is_long(tile)) {
      turn.stretch = static_cast<std::int32_t>(divide(number, tile.stretches));
      turn.first_row = number;
      turn.first = (turn.stretch * tile.turns + static_cast<std::int32_t>(at.turn)) * slots;
      const std::int32_t left = tile.row_blocks - turn.first;
      turn.count = left < slots ? left : slots;
    } else {
      turn.stretch = 0;
      turn.first_row = (std::int64_t{number} * tile.turns + at.turn) << (kLog - tile.slots_log);
      turn.first = 0;
      turn.count = tile.row_blocks;
    }
  }
  static RowPart part_of(const RowTurn& turn, int slot) {
    const ReduceRowsTile& tile = tile_of(turn);
    const int of_row = slot & ((1 << tile.slots_log) - 1);
    RowPart part{turn.first_row + (slot >> tile.slots_log), turn.first + of_row, 0};
    if (part.row >= tile.results || of_row >= turn.count) return part;
    const std::int64_t left = tile.length - std::int64_t{part.block} * kRowBlock;
    part.count = left < kRowBlock ? static_cast<std::int32_t>(left) : kRowBlock;
    return part;
  }

  // Three levels of the tree over the blocks of a turn; of the first, the second and the third three.
  template <int step>
  static void join(int thread, Shared& shared, const RowTurn& turn) {
    const int first = thread * 8 * step;
    if (first < slots) join_eight<How, step>(shared.blocks, first, (1 << tile_of(turn).slots_log) - 1, turn.count);
  }
  static void finish_turn(const At& at, Shared& shared, const RowTurn& turn) {
    const ReduceRowsTile& tile = tile_of(turn);
    if (is_long(tile)) {
      if (at.thread == 0) shared.turns[at.turn] = shared.blocks[0];
      return;
    }
    const std::int64_t row = turn.first_row + at.thread;
    const int slot = at.thread << tile.slots_log;
    if (slot < slots && row < tile.results) memory<T>(tile.to)[row] = shared.blocks[slot];
  }
  // Of a long row, behind the last turn: what all turns give, in two phases.
  static bool ends_stretch(const At& at, const RowTurn& turn) {
    const ReduceRowsTile& tile = tile_of(turn);
    return is_long(tile) && at.turn + 1 == tile.turns;
  }
  template <int phase>
  static void finish_stretch(int thread, Shared& shared, const RowTurn& turn) {
    const ReduceRowsTile& tile = tile_of(turn);
    const int left = (tile.row_blocks + slots - 1) / slots - turn.stretch * tile.turns;
    const int count = left < tile.turns ? left : tile.turns;
    if constexpr (phase == 0) {
      if (thread < kRowTurnsMost / 8) join_eight<How, 1>(shared.turns, thread * 8, ~0, count);
    } else if (thread == 0) {
      join_eight<How, 8>(shared.turns, 0, ~0, count);
      memory<T>(tile.to)[turn.stretch * tile.results + turn.first_row] = shared.turns[0];
    }
  }
};

}  // namespace tessera::kernel
