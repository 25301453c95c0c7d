// Rows that ids name, where there is one table whose rows lie side by side, and the ids are a step apart.
#pragma once

#include <cstdint>

#include "runtime/device/text/take.hpp"

namespace tessera::kernel {

struct PlainTile {
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::uint64_t ids = 0;
  std::int64_t id_step = 0;
  std::int64_t id_count = 0;
  std::int64_t low = 0;  // of the ids that are allowed, as in IdList
  std::int64_t high = 0;
  std::int64_t wraps = 0;
  RowSource table;
  std::int64_t length = 0;  // words of a row
  TakeBlocks blocks;
  std::int64_t is_wide = 0;
};

template <class Word>
struct TakePlain : OnePhase<256> {
  using Args = typename Take<Word>::Args;
  static constexpr int kAtOnce = kTakeWords / kThreads;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const PlainTile>(args.tiles);
    const int number = row_of(tiles, static_cast<int>(args.tile_count), at.block);
    const PlainTile tile = tiles[number];
    const bool is_over = has_failed_before(args.fault);
    const TakenWords taken = taken_words(tile.blocks, tile.id_count, at.block - tile.first_block);
    std::uint32_t row[kAtOnce];
    std::int64_t along[kAtOnce];
    std::int64_t id[kAtOnce];
    bool is_there[kAtOnce];
    TESSERA_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      row[k] = static_cast<std::uint32_t>(k * kThreads + at.thread);
      along[k] = taken.begin + divide(row[k], tile.blocks.by_row);
      is_there[k] = row[k] < taken.rows && along[k] < tile.length;
      const std::int64_t place = (taken.first + row[k]) * tile.id_step;
      id[k] = 0;
      if (!is_there[k]) continue;
      id[k] =
          tile.is_wide != 0 ? memory<const std::int64_t>(tile.ids)[place] : memory<const std::int32_t>(tile.ids)[place];
    }
    Word found[kAtOnce];
    TESSERA_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      const std::int64_t in_table = id[k] + (id[k] < 0 ? tile.wraps : 0) - tile.table.first_row;
      const bool is_held = in_table >= 0 && in_table < tile.table.rows;
      found[k] = args.missing;
      if (is_there[k] && is_held)
        found[k] = memory<const Word>(tile.table.address)[in_table * tile.table.row_step + along[k]];
    }
    if (is_over) return;
    TESSERA_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (!is_there[k]) continue;
      memory<Word>(tile.out)[(taken.first + row[k]) * tile.length + along[k]] = found[k];
      if (id[k] < tile.low || id[k] >= tile.high) fail(args.fault, number, taken.first + row[k]);
    }
  }
};

}  // namespace tessera::kernel
