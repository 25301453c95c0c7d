// Rows sorted, or their greatest elements. An element is a key, a whole number: NaN is the greatest, and -0 comes
// before 0, or is equal to it where positions are asked for. Where the greatest come first, all bits of a key are
// turned. Equal keys are ordered by their positions.
//
// Short rows are sorted in shared memory: runs of 2, 4, 8, ... keys, up and down by turns, are merged. Long ones are
// sorted as lists (radix.hpp).
//
// Example: in ascending order -1 comes before -0, 0, 3 and NaN. The row 3, 1, 2 gets a fourth key, the greatest there
// is; 3 and 1 are merged upwards, 2 and the fourth downwards, then both runs. The positions are 1, 2, 0.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "runtime/device/text/walk.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

template <class T>
using SortKey = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T, bool positions, bool descending>
struct SortOrder {
  using Key = SortKey<T>;
  static constexpr Key kTop = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));

  static Key key_of(T element) {
    Key key{};
    if constexpr (std::is_same_v<T, bool>) {
      key = element ? 1 : 0;
    } else {
      const Key bits = std::bit_cast<Key>(element);
      if constexpr (runtime::Float<T>) {
        const bool is_zero = positions && element == T{};
        key = runtime::is_nan(element) ? ~Key{} : is_zero ? kTop : (bits & kTop) != 0 ? ~bits : bits | kTop;
      } else {
        key = bits ^ kTop;
      }
    }
    return descending ? ~key : key;
  }
  static T element_of(Key key) {
    const Key own = descending ? ~key : key;
    if constexpr (std::is_same_v<T, bool>)
      return own != 0;
    else if constexpr (runtime::Float<T>)
      return std::bit_cast<T>((own & kTop) != 0 ? own ^ kTop : ~own);
    else
      return std::bit_cast<T>(own ^ kTop);
  }
};

struct SortTile {
  std::uint64_t from = 0;
  std::uint64_t out = 0;
  std::uint64_t places = 0;   // i64: what to write for a position, or 0
  std::uint64_t keys = 0;     // of long rows, one behind the other
  std::uint64_t numbers = 0;  // and their positions
  std::int64_t first_block = 0;
  std::int64_t rows = 0;
  std::int64_t length = 0;
  std::int64_t count = 0;  // that are written of a row
  std::int64_t first = 0;  // the position of a row's first element
  std::int64_t from_step = 0;
  std::int64_t place_step = 0;
  Walk<2> row_walk;  // of `from` and `places`
};
struct SortArgs {
  std::uint64_t tiles;
  std::int64_t tile_count;
};

// What is written of a row at this place.
template <class T, bool positions, bool descending>
void put_sorted(const SortTile& tile, std::int64_t row, std::int64_t row_places, std::int64_t at, SortKey<T> key,
                std::uint32_t position) {
  const std::int64_t to = row * tile.count + at;
  if constexpr (positions) {
    std::int64_t value = position + tile.first;
    if (tile.places != 0) value = memory<const std::int64_t>(tile.places)[row_places + value * tile.place_step];
    memory<std::int64_t>(tile.out)[to] = value;
  } else {
    memory<T>(tile.out)[to] = SortOrder<T, positions, descending>::element_of(key);
  }
}

// Of the least power of two that is not less.
inline int bits_for(std::int64_t number) {
  int bits = 0;
  while (std::int64_t{1} << bits < number) ++bits;
  return bits;
}

// A row of at most kLength elements, a power of two, for each block of threads.
template <class T, int kLength, bool positions, bool descending>
struct SortRow {
  using Args = SortArgs;
  using Order = SortOrder<T, positions, descending>;
  using Key = SortKey<T>;
  struct WithPositions {
    Key keys[kLength];
    std::uint32_t numbers[kLength];
  };
  struct KeysAlone {
    Key keys[kLength];
  };
  using Shared = std::conditional_t<positions, WithPositions, KeysAlone>;
  struct Own {
    const SortTile* tile;
    std::int64_t row;
    std::int64_t from, places;  // where the row begins in both arrays
    int bits;                   // of its length
  };
  static constexpr int kThreads = kLength / 2 < 256 ? kLength / 2 : 256;
  static constexpr int kPhases = 1;
  static std::int64_t turns(const Args& args, std::int64_t block) {
    const int bits = bits_for(tile_of(args, block).length);
    return bits * (bits + 1) / 2 + 2;
  }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if (at.turn == 0) {
      own.tile = &tile_of(args, at.block);
      own.row = at.block - own.tile->first_block;
      const Places<2> begin = places(own.tile->row_walk, own.row);
      own.from = begin.at[0];
      own.places = begin.at[1];
      own.bits = bits_for(own.tile->length);
      load(at, own, shared);
      return;
    }
    // What is merged, and how far apart is what is compared now.
    int run_bits = 1;
    int step_bits = static_cast<int>(at.turn) - 1;
    TESSERA_ROLLED
    for (; step_bits >= run_bits; ++run_bits) step_bits -= run_bits;
    step_bits = run_bits - 1 - step_bits;
    if (run_bits <= own.bits) {
      TESSERA_ROLLED
      for (int pair = at.thread; pair < 1 << own.bits >> 1; pair += kThreads)
        compare(pair, run_bits, step_bits, shared);
    } else {
      store(at, own, shared);
    }
  }

 private:
  static const SortTile& tile_of(const Args& args, std::int64_t block) {
    const auto* tiles = memory<const SortTile>(args.tiles);
    return tiles[row_of(tiles, static_cast<int>(args.tile_count), block)];
  }
  static void load(At at, const Own& own, Shared& shared) {
    const T* const from = memory<const T>(own.tile->from) + own.from;
    TESSERA_ROLLED
    for (int i = at.thread; i < 1 << own.bits; i += kThreads) {
      const bool is_there = i < own.tile->length;
      shared.keys[i] = is_there ? Order::key_of(from[i * own.tile->from_step]) : ~Key{};
      if constexpr (positions) shared.numbers[i] = is_there ? static_cast<std::uint32_t>(i) : ~std::uint32_t{};
    }
  }
  static void compare(int pair, int run_bits, int step_bits, Shared& shared) {
    const int step = 1 << step_bits;
    const int low = (pair >> step_bits << (step_bits + 1)) + (pair & (step - 1));
    const int high = low + step;
    const bool upwards = (low >> run_bits & 1) == 0;
    bool is_behind = shared.keys[high] < shared.keys[low];
    bool is_before = shared.keys[low] < shared.keys[high];
    if constexpr (positions) {
      const bool are_equal = !is_behind && !is_before;
      is_behind = is_behind || (are_equal && shared.numbers[high] < shared.numbers[low]);
      is_before = is_before || (are_equal && shared.numbers[low] < shared.numbers[high]);
    }
    if (!(upwards ? is_behind : is_before)) return;
    const Key key = shared.keys[low];
    shared.keys[low] = shared.keys[high];
    shared.keys[high] = key;
    if constexpr (positions) {
      const std::uint32_t number = shared.numbers[low];
      shared.numbers[low] = shared.numbers[high];
      shared.numbers[high] = number;
    }
  }
  static void store(At at, const Own& own, const Shared& shared) {
    TESSERA_ROLLED
    for (int i = at.thread; i < own.tile->count; i += kThreads) {
      std::uint32_t number = 0;
      if constexpr (positions) number = shared.numbers[i];
      put_sorted<T, positions, descending>(*own.tile, own.row, own.places, i, shared.keys[i], number);
    }
  }
};

// The keys of long rows, with their positions.
template <class T, bool positions, bool descending>
struct MakeKeys : OnePhase<256> {
  using Args = SortArgs;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const SortTile>(args.tiles);
    const SortTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t i = (at.block - tile.first_block) * kThreads + at.thread;
    if (i >= tile.length) return;
    const T element = memory<const T>(tile.from)[i * tile.from_step];
    memory<SortKey<T>>(tile.keys)[i] = SortOrder<T, positions, descending>::key_of(element);
    memory<std::uint32_t>(tile.numbers)[i] = static_cast<std::uint32_t>(i);
  }
};

// What is written of rows whose keys are sorted.
template <class T, bool positions, bool descending>
struct PutSorted : OnePhase<256> {
  using Args = SortArgs;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const SortTile>(args.tiles);
    const SortTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t i = (at.block - tile.first_block) * kThreads + at.thread;
    if (i >= tile.count) return;
    put_sorted<T, positions, descending>(tile, 0, 0, i, memory<const SortKey<T>>(tile.keys)[i],
                                         memory<const std::uint32_t>(tile.numbers)[i]);
  }
};

}  // namespace tessera::kernel
