// Keys sorted with their positions, stably, seven bits after seven bits from the lowest. Of each pass a block of
// threads counts the digits of its keys; these counts are added up over the blocks, digit by digit; and each key goes
// behind all keys of lower digits and those of its own digit before it.
//
// Example: the lowest digits of 300, 5 and 130 are 44, 5 and 2, so that the first pass gives 130, 5, 300; the next ones
// are 1, 0 and 2, so that the second gives 5, 130, 300, from the positions 1, 2 and 0.
#pragma once

#include <cstdint>

#include "runtime/device/text/walk.hpp"

namespace tessera::kernel {

inline constexpr int kRadixBits = 7;
inline constexpr int kDigits = 1 << kRadixBits;
inline constexpr int kRadixThreads = 128;
inline constexpr int kRadixOwn = 16;  // keys of a thread, side by side
inline constexpr std::int64_t kRadixKeys = std::int64_t{kRadixThreads} * kRadixOwn;
static_assert(kDigits == kRadixThreads, "a thread takes a digit");

// Keys that are sorted by themselves.
struct RadixTile {
  std::uint64_t keys = 0;
  std::uint64_t positions = 0;
  std::uint64_t keys_to = 0;
  std::uint64_t positions_to = 0;
  std::uint64_t counts = 0;  // of each digit those of every block; then of each digit all
  std::int64_t first_block = 0;
  std::int64_t count = 0;
  std::int64_t blocks = 0;
};
struct RadixArgs {
  std::uint64_t tiles;
  std::int64_t tile_count;
  std::int64_t shift;
};

inline const RadixTile& radix_tile(const RadixArgs& args, std::int64_t block) {
  const auto* tiles = memory<const RadixTile>(args.tiles);
  return tiles[row_of(tiles, static_cast<int>(args.tile_count), block)];
}
inline std::uint32_t* digit_counts(const RadixTile& tile, int digit) {
  return memory<std::uint32_t>(tile.counts) + digit * tile.blocks;
}
inline std::uint32_t* digit_sums(const RadixTile& tile) { return digit_counts(tile, kDigits); }

// What a thread has, from `first` on.
template <class Item>
struct OwnItems {
  Item at[kRadixOwn];

  OwnItems(std::uint64_t address, std::int64_t first, std::int64_t count) {
    const Item* const from = memory<const Item>(address) + first;
    if (first + kRadixOwn <= count) {
      constexpr int kPack = Pack<Item>::kSize;
      TESSERA_UNROLL
      for (int i = 0; i < kRadixOwn; i += kPack) {
        const Pack<Item> pack = *reinterpret_cast<const Pack<Item>*>(from + i);
        TESSERA_UNROLL
        for (int k = 0; k < kPack; ++k) at[i + k] = pack.at[k];
      }
      return;
    }
    TESSERA_UNROLL
    for (int i = 0; i < kRadixOwn; ++i) at[i] = first + i < count ? from[i] : Item{};
  }
};

// Of every thread's keys, how many have each digit; then, how many of the threads' before it.
struct DigitCounts {
  std::uint16_t at[kRadixThreads][kDigits];

  template <class Key>
  void count(const OwnItems<Key>& keys, std::int64_t there, std::int64_t shift, int thread) {
    auto* const own = reinterpret_cast<std::uint64_t*>(at[thread]);
    TESSERA_UNROLL
    for (int i = 0; i < kDigits / 4; ++i) own[i] = 0;
    TESSERA_UNROLL
    for (int i = 0; i < kRadixOwn; ++i) {
      if (i < there) ++at[thread][digit_of(keys.at[i], shift)];
    }
  }
  // A digit's counts of all threads, of which the sum is returned.
  std::uint32_t add_up(int digit) {
    std::uint32_t sum = 0;
    for (int thread = 0; thread < kRadixThreads; ++thread) {
      const std::uint32_t own = at[thread][digit];
      at[thread][digit] = static_cast<std::uint16_t>(sum);
      sum += own;
    }
    return sum;
  }
  template <class Key>
  static int digit_of(Key key, std::int64_t shift) {
    return static_cast<int>(key >> shift & static_cast<Key>(kDigits - 1));
  }
};

template <class Key>
struct CountDigits {
  using Args = RadixArgs;
  struct Shared {
    alignas(16) DigitCounts counts;
  };
  struct Own {};
  static constexpr int kThreads = kRadixThreads;
  static constexpr int kPhases = 2;
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own&) {
    const RadixTile& tile = radix_tile(args, at.block);
    const std::int64_t block = at.block - tile.first_block;
    if constexpr (phase == 0) {
      const std::int64_t first = block * kRadixKeys + std::int64_t{at.thread} * kRadixOwn;
      shared.counts.count(OwnItems<Key>(tile.keys, first, tile.count), tile.count - first, args.shift, at.thread);
    } else {
      digit_counts(tile, at.thread)[block] = shared.counts.add_up(at.thread);
    }
  }
};

// So many numbers, each of which becomes the sum of those in front of it, in three phases. sums[0 .. groups) are of
// groups of numbers.
struct PrefixSums {
  static constexpr int kGroup = 16;
  static constexpr int kGroups = kRadixThreads / kGroup;
  std::uint32_t at[kRadixThreads];
  std::uint32_t groups[kGroups];
  std::uint32_t all;

  template <int phase>
  void run(int thread) {
    if (thread >= (phase == 1 ? 1 : kGroups)) return;
    if constexpr (phase == 0) {
      std::uint32_t sum = 0;
      for (int i = 0; i < kGroup; ++i) sum += at[thread * kGroup + i];
      groups[thread] = sum;
    } else if constexpr (phase == 1) {
      std::uint32_t sum = 0;
      for (std::uint32_t& group : groups) {
        const std::uint32_t own = group;
        group = sum;
        sum += own;
      }
      all = sum;
    } else {
      std::uint32_t sum = groups[thread];
      for (int i = 0; i < kGroup; ++i) {
        const std::uint32_t own = at[thread * kGroup + i];
        at[thread * kGroup + i] = sum;
        sum += own;
      }
    }
  }
};

// The counts of a digit become the sums of those of the blocks before; a block of threads for each digit of each tile.
struct AddCounts {
  using Args = RadixArgs;
  struct Shared {
    PrefixSums sums;
  };
  struct Own {};
  static constexpr int kThreads = kRadixThreads;
  static constexpr int kPhases = 5;
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own&) {
    const RadixTile& tile = memory<const RadixTile>(args.tiles)[at.block / kDigits];
    const auto digit = static_cast<int>(at.block % kDigits);
    const std::int64_t each = (tile.blocks + kThreads - 1) / kThreads;
    const std::int64_t begin = each * at.thread < tile.blocks ? each * at.thread : tile.blocks;
    const std::int64_t end = begin + each < tile.blocks ? begin + each : tile.blocks;
    std::uint32_t* const counts = digit_counts(tile, digit);
    if constexpr (phase == 0) {
      std::uint32_t sum = 0;
      for (std::int64_t i = begin; i < end; ++i) sum += counts[i];
      shared.sums.at[at.thread] = sum;
    } else if constexpr (phase < 4) {
      shared.sums.run<phase - 1>(at.thread);
    } else {
      std::uint32_t sum = shared.sums.at[at.thread];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint32_t own = counts[i];
        counts[i] = sum;
        sum += own;
      }
      if (at.thread == 0) digit_sums(tile)[digit] = shared.sums.all;
    }
  }
};

template <class Key>
struct PlaceKeys {
  using Args = RadixArgs;
  struct Shared {
    alignas(16) DigitCounts counts;
    PrefixSums digits;  // where the keys of a digit begin
  };
  struct Own {};
  static constexpr int kThreads = kRadixThreads;
  static constexpr int kPhases = 5;
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own&) {
    const RadixTile& tile = radix_tile(args, at.block);
    const std::int64_t block = at.block - tile.first_block;
    const std::int64_t first = block * kRadixKeys + std::int64_t{at.thread} * kRadixOwn;
    if constexpr (phase == 0) {
      shared.counts.count(OwnItems<Key>(tile.keys, first, tile.count), tile.count - first, args.shift, at.thread);
      shared.digits.at[at.thread] = digit_sums(tile)[at.thread];
    } else if constexpr (phase < 4) {
      if constexpr (phase == 1) shared.counts.add_up(at.thread);
      shared.digits.template run<phase - 1>(at.thread);
    } else {
      const OwnItems<Key> keys(tile.keys, first, tile.count);
      const OwnItems<std::uint32_t> positions(tile.positions, first, tile.count);
      TESSERA_UNROLL
      for (int i = 0; i < kRadixOwn; ++i) {
        if (first + i >= tile.count) continue;
        const int digit = DigitCounts::digit_of(keys.at[i], args.shift);
        const std::uint32_t to =
            shared.digits.at[digit] + digit_counts(tile, digit)[block] + shared.counts.at[at.thread][digit]++;
        memory<Key>(tile.keys_to)[to] = keys.at[i];
        memory<std::uint32_t>(tile.positions_to)[to] = positions.at[i];
      }
    }
  }
};

}  // namespace tessera::kernel
