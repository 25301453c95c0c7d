// Rows added to those that ids name, in the order of the ids. The ids are sorted with their positions, stably; then
// every row has its own side by side, and threads add them up, each in some columns.
#pragma once

#include <cstdint>

#include "runtime/device/text/take.hpp"
#include "runtime/device/text/walk.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

// Ids and where they stand in the list that is sorted.
struct RowKeyTile {
  std::int64_t first_block = 0;
  std::uint64_t keys = 0;
  std::uint64_t positions = 0;
  std::int64_t first_position = 0;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t number = 0;  // of the list, for failures
  IdList ids;
};

// The key of an id is the number of its row in the result's tile; of another tile's row it is the greatest.
// Fails where an id is out of range.
struct RowKeys : OnePhase<256> {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
    Fault fault;
  };

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const RowKeyTile>(args.tiles);
    const RowKeyTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t number = (at.block - tile.first_block) * kThreads + at.thread;
    if (number >= tile.ids.count) return;
    const std::int64_t id = id_at(tile.ids, number);
    const std::int64_t row = row_of_id(tile.ids, id) - tile.first_row;
    const bool is_good = is_in_range(tile.ids, id);
    if (!is_good && !has_failed_before(args.fault)) fail(args.fault, tile.number, number);
    const bool is_held = is_good && row >= 0 && row < tile.rows;
    const std::int64_t to = tile.first_position + number;
    memory<std::uint32_t>(tile.keys)[to] = static_cast<std::uint32_t>(is_held ? row : tile.rows);
    memory<std::uint32_t>(tile.positions)[to] = static_cast<std::uint32_t>(to);
  }
};

struct RowStartTile {
  std::int64_t first_block = 0;
  std::uint64_t keys = 0;
  std::uint64_t starts = 0;
  std::int64_t count = 0;  // of keys
  std::int64_t rows = 0;
};

// Where each row's keys begin, and where the last one's end.
struct RowStarts : OnePhase<256> {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
  };

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const RowStartTile>(args.tiles);
    const RowStartTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t row = (at.block - tile.first_block) * kThreads + at.thread;
    if (row > tile.rows) return;
    const auto* keys = memory<const std::uint32_t>(tile.keys);
    std::int64_t begin = 0;
    for (std::int64_t left = tile.count; left > 0;) {
      const std::int64_t half = left / 2;
      const bool is_before = keys[begin + half] < row;
      begin = is_before ? begin + half + 1 : begin;
      left = is_before ? left - half - 1 : half;
    }
    memory<std::uint32_t>(tile.starts)[row] = static_cast<std::uint32_t>(begin);
  }
};

// Rows that are added: those of the ids from `first_position` on.
struct RowsAdded {
  std::uint64_t address = 0;
  std::int64_t first_position = 0;
  Walk<1> rows;  // along the ids
  Walk<1> row;   // along a row
};
struct AddRowsTile {
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::uint64_t positions = 0;  // sorted
  std::uint64_t starts = 0;
  std::uint64_t sources = 0;  // a list of RowsAdded, ascending
  std::int64_t source_count = 0;
  std::int64_t rows = 0;
  std::int64_t length = 0;       // of a row
  std::uint64_t plain_from = 0;  // of the one source, if its rows lie so
  std::int64_t plain_step = 0;
};

// How the rows that are added lie: anyhow, element by element; in whole aligned packs of 16 bytes; or such rows a step
// apart, all in one source.
enum class Lie : int { anyhow, packed, plain };

// A thread has an element of some rows, or those of 16 bytes.
template <class T, Lie lie>
struct AddRows : OnePhase<128> {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
  };
  static constexpr int kPack = lie == Lie::anyhow ? 1 : Pack<T>::kSize;
  static constexpr int kRows = lie == Lie::plain ? 4 : 1;    // of a thread
  static constexpr int kAtOnce = lie == Lie::plain ? 4 : 1;  // of what is added to one
  struct alignas(kPack * sizeof(T)) Some {
    T at[kPack];
  };

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const AddRowsTile>(args.tiles);
    const AddRowsTile tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const Quotient spot = divided((at.block - tile.first_block) * kThreads + at.thread, tile.length / kPack);
    const std::int64_t first = spot.value * kRows;
    if (first >= tile.rows) return;
    const auto* starts = memory<const std::uint32_t>(tile.starts) + first;
    const std::int64_t column = spot.rest * kPack;
    const auto rows = static_cast<int>(tile.rows - first < kRows ? tile.rows - first : kRows);
    std::uint32_t begin[kRows + 1];
    TESSERA_UNROLL
    for (int r = 0; r <= kRows; ++r) begin[r] = starts[r < rows ? r : rows];
    // The first of each row at once: most rows have few.
    Some sums[kRows];
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      sums[r] = Some{};
      if (begin[r] < begin[r + 1]) sums[r] = row_at(tile, begin[r], column);
    }
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      if (begin[r] < begin[r + 1]) sums[r] = sum(Some{}, sums[r]);
      add_rest(tile, begin[r] + 1, begin[r + 1], column, sums[r]);
      if (r < rows) *reinterpret_cast<Some*>(memory<T>(tile.out) + (first + r) * tile.length + column) = sums[r];
    }
  }

 private:
  static Some sum(Some a, const Some& b) {
    TESSERA_UNROLL
    for (int i = 0; i < kPack; ++i) a.at[i] = runtime::plus(a.at[i], b.at[i]);
    return a;
  }
  static void add_rest(const AddRowsTile& tile, std::uint32_t next, std::uint32_t end, std::int64_t column, Some& to) {
    TESSERA_ROLLED
    for (; next + kAtOnce <= end; next += kAtOnce) {
      Some added[kAtOnce];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) added[k] = row_at(tile, next + static_cast<std::uint32_t>(k), column);
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) to = sum(to, added[k]);
    }
    TESSERA_ROLLED
    for (; next < end; ++next) to = sum(to, row_at(tile, next, column));
  }
  static Some row_at(const AddRowsTile& tile, std::uint32_t number, std::int64_t column) {
    const std::int64_t position = memory<const std::uint32_t>(tile.positions)[number];
    if constexpr (lie == Lie::plain) {
      return *reinterpret_cast<const Some*>(memory<const T>(tile.plain_from) + position * tile.plain_step + column);
    } else {
      const auto* sources = memory<const RowsAdded>(tile.sources);
      std::int64_t which = tile.source_count - 1;
      TESSERA_ROLLED
      while (which > 0 && sources[which].first_position > position) --which;
      const RowsAdded& source = sources[which];
      const std::int64_t at = place(source.rows, position - source.first_position) + place(source.row, column);
      return *reinterpret_cast<const Some*>(memory<const T>(source.address) + at);
    }
  }
};

}  // namespace tessera::kernel
