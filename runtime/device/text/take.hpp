// Rows that ids name: taken from tables, counted up, and looked for.
//
// Example: a table of three rows lies in two pieces, rows 0 and 1, and row 2. The ids -1 and 0 are in range, from -3 up
// to 2: -1 wraps to row 2, which is the first of the second piece.
#pragma once

#include <cstdint>

#include "runtime/device/text/division.hpp"
#include "runtime/device/text/fault.hpp"
#include "runtime/device/text/walk.hpp"

namespace tessera::kernel {

// Ids of a tile: where they are, and which numbers are allowed. Negative ones count from the end where `wraps` is the
// number of rows; else it is 0.
struct IdList {
  std::uint64_t address = 0;
  std::int64_t count = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t wraps = 0;
  std::int64_t is_wide = 0;  // i64, or i32
  Walk<1> walk;
};

inline std::int64_t id_at(const IdList& ids, std::int64_t position) {
  const std::int64_t at = place(ids.walk, position);
  return ids.is_wide != 0 ? memory<const std::int64_t>(ids.address)[at] : memory<const std::int32_t>(ids.address)[at];
}
inline bool is_in_range(const IdList& ids, std::int64_t id) { return id >= ids.low && id < ids.high; }
inline std::int64_t row_of_id(const IdList& ids, std::int64_t id) { return id < 0 ? id + ids.wraps : id; }

struct IdTile {
  std::int64_t first_block = 0;
  IdList ids;
};
struct IdArgs {
  std::uint64_t tiles;
  std::int64_t tile_count;
  Fault fault;
};

// Fails where an id is out of range.
struct CheckIds : OnePhase<256> {
  using Args = IdArgs;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const IdTile>(args.tiles);
    const int number = row_of(tiles, static_cast<int>(args.tile_count), at.block);
    const IdTile& tile = tiles[number];
    const std::int64_t position = (at.block - tile.first_block) * kThreads + at.thread;
    if (position >= tile.ids.count || is_in_range(tile.ids, id_at(tile.ids, position))) return;
    if (!has_failed_before(args.fault)) fail(args.fault, number, position);
  }
};

// Notes the id that has failed, if it was one of this launch's.
struct NoteId : OnePhase<1> {
  using Args = IdArgs;

  template <int phase>
  static void run(const Args& args, At, Shared&, Own&) {
    const auto* noted = memory<const volatile std::uint64_t>(args.fault.word);
    const std::uint64_t word = *noted;
    if (word == kNoFault || word >> kFaultLaunchBit != args.fault.launch) return;
    const IdTile& tile = memory<const IdTile>(args.tiles)[word >> kFaultRowBit & (kFaultRows - 1)];
    const auto position = static_cast<std::int64_t>(word & ((std::uint64_t{1} << kFaultRowBit) - 1));
    memory<std::int64_t>(args.fault.word)[1] = id_at(tile.ids, position);
  }
};

// Rows that lie together: those from `first_row` on, up to the next source's.
struct RowSource {
  std::uint64_t address = 0;  // of the first
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t row_step = 0;  // in words, as all steps here
};

// Words of a block of threads.
inline constexpr std::int64_t kTakeWords = 2'048;

// A block of threads has `block_rows` rows, or a stretch of a long one.
struct TakeBlocks {
  Divisor by_row;               // words of a row, or of a stretch
  std::int64_t block_rows = 1;  // rows of a block
  std::int64_t stretches = 1;   // of a row
  std::int64_t words = 1;       // of a row, or of a stretch; the last one of a row may be shorter
};
struct TakeTile {
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::uint64_t sources = 0;  // a list of RowSource, ascending
  std::int64_t source_count = 0;
  std::int64_t length = 0;  // words of a row
  TakeBlocks blocks;
  IdList ids;
  Walk<1> row;  // along a row of the sources
};

// What a block of threads takes: from row `first` on so many rows, of each the words from `begin` on.
struct TakenWords {
  std::int64_t first, begin;
  std::uint32_t rows;
};
inline TakenWords taken_words(const TakeBlocks& blocks, std::int64_t rows, std::int64_t block) {
  std::int64_t begin = 0;
  if (blocks.stretches > 1) {
    const Quotient stretch = divided(block, blocks.stretches);
    block = stretch.value;
    begin = stretch.rest * blocks.words;
  }
  const std::int64_t first = block * blocks.block_rows;
  return {first, begin,
          static_cast<std::uint32_t>(rows - first < blocks.block_rows ? rows - first : blocks.block_rows)};
}

// out[i] = the row that ids[i] names, as words; one that no source has is filled.
template <class Word>
struct Take : OnePhase<256> {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
    Fault fault;
    Word missing;
  };

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    if (has_failed_before(args.fault)) return;
    const auto* tiles = memory<const TakeTile>(args.tiles);
    const int number = row_of(tiles, static_cast<int>(args.tile_count), at.block);
    const TakeTile& tile = tiles[number];
    const TakenWords taken = taken_words(tile.blocks, tile.ids.count, at.block - tile.first_block);
    TESSERA_ROLLED
    for (int word = at.thread; word < kTakeWords; word += kThreads) {
      auto row = static_cast<std::uint32_t>(word);
      const std::int64_t along = taken.begin + divide(row, tile.blocks.by_row);
      if (row >= taken.rows || along >= tile.length) continue;
      const std::int64_t position = taken.first + row;
      const std::int64_t id = id_at(tile.ids, position);
      if (is_in_range(tile.ids, id))
        memory<Word>(tile.out)[position * tile.length + along] = word_of(args, tile, row_of_id(tile.ids, id), along);
      else
        fail(args.fault, number, position);
    }
  }

 private:
  static Word word_of(const Args& args, const TakeTile& tile, std::int64_t row, std::int64_t along) {
    const RowSource& source = source_of(tile, row);
    const std::int64_t in_source = row - source.first_row;
    if (in_source < 0 || in_source >= source.rows) return args.missing;
    return memory<const Word>(source.address)[in_source * source.row_step + place(tile.row, along)];
  }
  static const RowSource& source_of(const TakeTile& tile, std::int64_t row) {
    const auto* sources = memory<const RowSource>(tile.sources);
    std::int64_t begin = 0;
    for (std::int64_t left = tile.source_count; left > 1;) {
      const std::int64_t half = left / 2;
      const bool is_behind = sources[begin + half].first_row <= row;
      begin = is_behind ? begin + half : begin;
      left = is_behind ? left - half : half;
    }
    return sources[begin];
  }
};

struct OneHotTile {
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::int64_t extent = 0;
  IdList ids;
};

// out[i, j] = ids[i] == j, sixteen bytes a thread.
template <class T>
struct OneHot : OnePhase<256> {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
    Fault fault;
  };
  static constexpr int kPack = Pack<T>::kSize;
  static constexpr std::int64_t kElements = std::int64_t{kThreads} * kPack;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    if (has_failed_before(args.fault)) return;
    const auto* tiles = memory<const OneHotTile>(args.tiles);
    const OneHotTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t first = (at.block - tile.first_block) * kElements + std::int64_t{at.thread} * kPack;
    const std::int64_t all = tile.ids.count * tile.extent;
    if (first >= all) return;
    Quotient spot = divided(first, tile.extent);
    std::int64_t id = id_at(tile.ids, spot.value);
    Pack<T> pack;
    TESSERA_UNROLL
    for (int i = 0; i < kPack; ++i) {
      pack.at[i] = static_cast<T>(id == spot.rest ? 1 : 0);
      if (++spot.rest == tile.extent && first + i + 1 < all) {
        spot.rest = 0;
        id = id_at(tile.ids, ++spot.value);
      }
    }
    T* const to = memory<T>(tile.out) + first;
    if (is_aligned(tile.out) && first + kPack <= all) {
      *reinterpret_cast<Pack<T>*>(to) = pack;
      return;
    }
    TESSERA_UNROLL
    for (int i = 0; i < kPack; ++i) {
      if (first + i < all) to[i] = pack.at[i];
    }
  }
};

struct SearchTile {
  std::uint64_t edges = 0;
  std::uint64_t values = 0;
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::int64_t edge_count = 0;
  std::int64_t edge_step = 0;
  std::int64_t count = 0;
  Walk<1> value_walk;
};

// How many edges are in front of each value: those less than it or, with `right`, not greater. NaN is the greatest.
template <class T, bool right>
struct Search : OnePhase<256> {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
  };

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const SearchTile>(args.tiles);
    const SearchTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t number = (at.block - tile.first_block) * kThreads + at.thread;
    if (number >= tile.count) return;
    const T value = memory<const T>(tile.values)[place(tile.value_walk, number)];
    const T* const edges = memory<const T>(tile.edges);
    std::int64_t begin = 0;
    for (std::int64_t left = tile.edge_count; left > 0;) {
      const std::int64_t half = left / 2;
      const T edge = edges[(begin + half) * tile.edge_step];
      const bool is_in_front = right ? !is_before(value, edge) : is_before(edge, value);
      begin = is_in_front ? begin + half + 1 : begin;
      left = is_in_front ? left - half - 1 : half;
    }
    memory<std::int64_t>(tile.out)[number] = begin;
  }

 private:
  static bool is_before(T a, T b) { return a < b || (b != b && a == a); }
};

}  // namespace tessera::kernel
