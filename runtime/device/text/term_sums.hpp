// Einstein sums that are no products of matrices. The terms of an element are reduced as kernels/term_sums.hpp does it:
// in blocks of 128, each in eight lanes that meet in pairs with what is left over behind them; blocks meet in pairs.
// Terms are cut in parts of a power of two of blocks, of which each gives a value; JoinParts joins them.
//
// Values in pairs: 0 and 1, 2 and 3, ..., then 01 and 23, ...; one without a partner stays as it is. So any group of a
// power of two of them may be joined apart.
//
// Example: the values 1, 1e8, -1e8, 1 give (1 + 1e8) + (-1e8 + 1), in f32 0; one after the other they would give 1.
#pragma once

#include <cstdint>

#include "runtime/device/text/walk.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

inline constexpr int kTermOperands = 4;
inline constexpr int kTermBlock = 128;
inline constexpr int kTermLanes = 8;

struct TermTile {
  std::uint64_t operands[kTermOperands] = {};
  std::uint64_t out = 0;  // values of part p at p * results
  std::int64_t first_block = 0;
  std::int64_t results = 0;
  std::int64_t terms = 0;
  std::int64_t parts = 0;
  std::int64_t part_terms = 0;
  std::int64_t at_once = 1;     // results of a block of threads, of TermsInRow: a power of two
  std::int64_t are_packed = 0;  // do terms lie side by side, in whole aligned packs?
  Walk<kTermOperands> result_walk;
  Walk<kTermOperands> term_walk;
};

struct TermArgs {
  std::uint64_t tiles;
  std::int64_t tile_count;
};

template <class T>
T joined(T a, T b) {
  return runtime::plus(a, b);
}

// The operands of one result, from their first terms on.
template <class T, int operands>
struct ResultTerms {
  const T* first[operands];

  ResultTerms(const TermTile& tile, std::int64_t number) {
    const Places<kTermOperands> begin = places(tile.result_walk, number);
    TESSERA_UNROLL
    for (int k = 0; k < operands; ++k) first[k] = memory<const T>(tile.operands[k]) + begin.at[k];
  }
  T at(const Places<kTermOperands>& term) const {
    T value = first[0][term.at[0]];
    TESSERA_UNROLL
    for (int k = 1; k < operands; ++k) value = runtime::times(value, first[k][term.at[k]]);
    return value;
  }
};

// Terms of one result after the other: a thread takes as many lanes of a block as 16 bytes have.
template <class T, int operands>
struct TermsInRow {
  using Args = TermArgs;
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 6;
  static constexpr int kPack = Pack<T>::kSize < kTermLanes ? Pack<T>::kSize : kTermLanes;
  static constexpr int kThreadsOfBlock = kTermLanes / kPack;
  static constexpr int kBlocks = kThreads / kThreadsOfBlock;  // of terms, of all results at once
  static constexpr std::int64_t kPartTerms = std::int64_t{kBlocks} * kTermBlock;
  struct Shared {
    T lanes[kThreads];
    T blocks[kBlocks];
  };
  // What a block of threads has of a tile.
  struct Own {
    const TermTile* tile;
    std::int64_t result, part;  // its first result
    std::int64_t terms;         // of the part
    int each;                   // blocks of terms that there is room for in a result's section
    int blocks;                 // and that there are
  };

  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if constexpr (phase == 0) {
      begin(args, at, own);
      shared.lanes[at.thread] = lanes(own, at.thread / kThreadsOfBlock, at.thread % kThreadsOfBlock * kPack);
    } else if constexpr (phase == 1) {
      if (at.thread < kBlocks) finish_block(own, at.thread, shared);
    } else if constexpr (phase == 2) {
      join(own, at.thread, 1, shared);
    } else if constexpr (phase == 3) {
      join(own, at.thread, 8, shared);
    } else if constexpr (phase == 4) {
      join(own, at.thread, 64, shared);
    } else {
      const std::int64_t result = own.result + at.thread;
      if (at.thread < own.tile->at_once && result < own.tile->results)
        memory<T>(own.tile->out)[own.part * own.tile->results + result] = shared.blocks[at.thread * own.each];
    }
  }

 private:
  static void begin(const Args& args, At at, Own& own) {
    const auto* tiles = memory<const TermTile>(args.tiles);
    own.tile = &tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t at_once = own.tile->at_once;
    const Quotient of = divided(at.block - own.tile->first_block, (own.tile->results + at_once - 1) / at_once);
    own.result = of.rest * at_once;
    own.part = of.value;
    own.each = kBlocks / static_cast<int>(at_once);
    const std::int64_t left = own.tile->terms - own.part * own.tile->part_terms;
    own.terms = left < own.tile->part_terms ? left : own.tile->part_terms;
    own.blocks = static_cast<int>((own.terms + kTermBlock - 1) / kTermBlock);
  }

  // A block of terms, by its number among those of all results; beyond the last result it is that one's.
  struct Block {
    std::int64_t result, begin;
    int count;
  };
  static Block block_of(const Own& own, int number) {
    const std::int64_t result = own.result + number / own.each;
    const std::int64_t begin = std::int64_t{number % own.each} * kTermBlock;
    const std::int64_t left = own.terms - begin;
    return {result < own.tile->results ? result : own.tile->results - 1, own.part * own.tile->part_terms + begin,
            left < 0            ? 0
            : left < kTermBlock ? static_cast<int>(left)
                                : kTermBlock};
  }

  // What the lanes from `lane` on give, in pairs.
  static T lanes(const Own& own, int number, int lane) {
    const Block block = block_of(own, number);
    T values[kPack] = {};
    if (block.count < kTermLanes) return values[0];
    const ResultTerms<T, operands> terms(*own.tile, block.result);
    const bool are_packed = own.tile->are_packed != 0;
    if (are_packed && block.count == kTermBlock)
      add_packed(terms, block.begin + lane, values);
    else
      add_each(*own.tile, terms, block.begin + lane, block.count / kTermLanes, values);
    TESSERA_UNROLL
    for (int width = 1; width < kPack; width *= 2) {
      TESSERA_UNROLL
      for (int k = 0; k < kPack; k += 2 * width) values[k] = joined(values[k], values[k + width]);
    }
    return values[0];
  }
  static void add_packed(const ResultTerms<T, operands>& terms, std::int64_t begin, T (&values)[kPack]) {
    struct alignas(sizeof(T) * kPack) Some {
      T at[kPack];
    };
    constexpr int kAll = kTermBlock / kTermLanes;
    TESSERA_UNROLL
    for (int j = 0; j < kAll; ++j) {
      Some product = *reinterpret_cast<const Some*>(terms.first[0] + begin + j * kTermLanes);
      TESSERA_UNROLL
      for (int k = 1; k < operands; ++k) {
        const Some factor = *reinterpret_cast<const Some*>(terms.first[k] + begin + j * kTermLanes);
        TESSERA_UNROLL
        for (int i = 0; i < kPack; ++i) product.at[i] = runtime::times(product.at[i], factor.at[i]);
      }
      TESSERA_UNROLL
      for (int i = 0; i < kPack; ++i) values[i] = j == 0 ? product.at[i] : runtime::plus(values[i], product.at[i]);
    }
  }
  static void add_each(const TermTile& tile, const ResultTerms<T, operands>& terms, std::int64_t begin, int rounds,
                       T (&values)[kPack]) {
    TESSERA_ROLLED
    for (int j = 0; j < rounds; ++j) {
      TESSERA_UNROLL
      for (int i = 0; i < kPack; ++i) {
        const T term = terms.at(places(tile.term_walk, begin + j * kTermLanes + i));
        values[i] = j == 0 ? term : runtime::plus(values[i], term);
      }
    }
  }

  // The lanes together, and what is left over behind them.
  static void finish_block(const Own& own, int number, Shared& shared) {
    const Block block = block_of(own, number);
    if (block.count == 0) return;
    T values[kThreadsOfBlock];
    TESSERA_UNROLL
    for (int k = 0; k < kThreadsOfBlock; ++k) values[k] = shared.lanes[number * kThreadsOfBlock + k];
    TESSERA_UNROLL
    for (int width = 1; width < kThreadsOfBlock; width *= 2) {
      TESSERA_UNROLL
      for (int k = 0; k < kThreadsOfBlock; k += 2 * width) values[k] = joined(values[k], values[k + width]);
    }
    T value = values[0];
    if (block.count % kTermLanes != 0) {
      const ResultTerms<T, operands> terms(*own.tile, block.result);
      TESSERA_ROLLED
      for (int t = block.count / kTermLanes * kTermLanes; t < block.count; ++t) {
        const T term = terms.at(places(own.tile->term_walk, block.begin + t));
        value = t == 0 ? term : runtime::plus(value, term);
      }
    }
    shared.blocks[number] = value;
  }

  // Of values that lie `scale` apart a thread joins eight, in each result's section.
  static void join(const Own& own, int thread, int scale, Shared& shared) {
    constexpr int kOfThread = 8;
    const int first = thread * kOfThread * scale;
    if (first >= kBlocks) return;
    TESSERA_UNROLL
    for (int width = 1; width < kOfThread; width *= 2) {
      TESSERA_UNROLL
      for (int k = 0; k < kOfThread; k += 2 * width) {
        const int to = first + k * scale;
        const int from = to + width * scale;
        if (from < kBlocks && width * scale < own.each && to % own.each + width * scale < own.blocks)
          shared.blocks[to] = joined(shared.blocks[to], shared.blocks[from]);
      }
    }
  }
};

// A join of values in pairs, in columns of shared memory that each belong to a thread.
template <class T, int threads, int levels>
struct JoinLevels {
  T at[levels][threads];

  // `pushed` values are there already.
  void push(int thread, std::uint32_t pushed, T value) {
    int level = 0;
    for (; (pushed >> level & 1U) != 0; ++level) value = joined(at[level][thread], value);
    at[level][thread] = value;
  }
  T join(int thread, std::uint32_t pushed) const {
    T value{};
    bool any = false;
    for (int level = 0; pushed >> level != 0; ++level) {
      if ((pushed >> level & 1U) == 0) continue;
      value = any ? joined(at[level][thread], value) : at[level][thread];
      any = true;
    }
    return value;
  }
};

// Several results at once: a thread takes the terms of one, of a part.
template <class T, int operands>
struct TermsAcross {
  using Args = TermArgs;
  static constexpr int kThreads = 128;
  static constexpr int kPhases = 2;
  static constexpr int kLevels = 20;
  static constexpr std::int64_t kPartTerms = std::int64_t{kTermBlock} << (kLevels - 1);
  struct Shared {
    Places<operands> terms[kTermBlock];
    JoinLevels<T, kThreads, kLevels> levels;
  };
  struct Own {
    const TermTile* tile;
    std::int64_t result, part;
    std::int64_t terms;  // of the part
    const T* first[operands];
  };

  static const TermTile& tile_of(const Args& args, std::int64_t block) {
    const auto* tiles = memory<const TermTile>(args.tiles);
    return tiles[row_of(tiles, static_cast<int>(args.tile_count), block)];
  }
  static std::int64_t groups(const TermTile& tile) { return (tile.results + kThreads - 1) / kThreads; }
  static std::int64_t terms_of(const TermTile& tile, std::int64_t part) {
    const std::int64_t left = tile.terms - part * tile.part_terms;
    return left < tile.part_terms ? left : tile.part_terms;
  }
  static std::int64_t turns(const Args& args, std::int64_t block) {
    const TermTile& tile = tile_of(args, block);
    const std::int64_t part = divided(block - tile.first_block, groups(tile)).value;
    return (terms_of(tile, part) + kTermBlock - 1) / kTermBlock;
  }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if constexpr (phase == 0) {
      if (at.turn == 0) begin(args, at, own);
      const std::int64_t term = at.turn * kTermBlock + at.thread;
      if (term >= own.terms) return;
      const Places<kTermOperands> found = places(own.tile->term_walk, own.part * own.tile->part_terms + term);
      TESSERA_UNROLL
      for (int k = 0; k < operands; ++k) shared.terms[at.thread].at[k] = found.at[k];
    } else {
      if (own.result >= own.tile->results) return;
      const std::int64_t left = own.terms - at.turn * kTermBlock;
      const int count = left < kTermBlock ? static_cast<int>(left) : kTermBlock;
      shared.levels.push(at.thread, static_cast<std::uint32_t>(at.turn), block(own, shared, count));
      if (left <= kTermBlock)
        memory<T>(own.tile->out)[own.part * own.tile->results + own.result] =
            shared.levels.join(at.thread, static_cast<std::uint32_t>(at.turn + 1));
    }
  }

 private:
  static void begin(const Args& args, At at, Own& own) {
    own.tile = &tile_of(args, at.block);
    const Quotient of = divided(at.block - own.tile->first_block, groups(*own.tile));
    own.result = of.rest * kThreads + at.thread;
    own.part = of.value;
    own.terms = terms_of(*own.tile, own.part);
    const std::int64_t last = own.tile->results - 1;
    const ResultTerms<T, operands> terms(*own.tile, own.result < last ? own.result : last);
    TESSERA_UNROLL
    for (int k = 0; k < operands; ++k) own.first[k] = terms.first[k];
  }
  static T term(const Own& own, const Shared& shared, int number) {
    T value = own.first[0][shared.terms[number].at[0]];
    TESSERA_UNROLL
    for (int k = 1; k < operands; ++k) value = runtime::times(value, own.first[k][shared.terms[number].at[k]]);
    return value;
  }
  static T block(const Own& own, const Shared& shared, int count) {
    T lanes[kTermLanes] = {};
    const int whole = count / kTermLanes * kTermLanes;
    TESSERA_UNROLL
    for (int lane = 0; lane < kTermLanes; ++lane) {
      if (whole > 0) lanes[lane] = term(own, shared, lane);
    }
    TESSERA_ROLLED
    for (int t = kTermLanes; t < whole; t += kTermLanes) {
      TESSERA_UNROLL
      for (int lane = 0; lane < kTermLanes; ++lane)
        lanes[lane] = runtime::plus(lanes[lane], term(own, shared, t + lane));
    }
    TESSERA_UNROLL
    for (int width = 1; width < kTermLanes; width *= 2) {
      TESSERA_UNROLL
      for (int k = 0; k < kTermLanes; k += 2 * width) lanes[k] = joined(lanes[k], lanes[k + width]);
    }
    T value = lanes[0];
    TESSERA_ROLLED
    for (int t = whole; t < count; ++t)
      value = t == 0 ? term(own, shared, t) : runtime::plus(value, term(own, shared, t));
    return value;
  }
};

// The values of a result's parts, joined.
struct PartsTile {
  std::uint64_t parts = 0;  // part p at p * results
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::int64_t results = 0;
  std::int64_t count = 0;
};

template <class T>
struct JoinParts {
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
  };
  static constexpr int kThreads = 128;
  static constexpr int kPhases = 1;
  static constexpr int kLevels = 30;
  struct Shared {
    JoinLevels<T, kThreads, kLevels> levels;
  };
  struct Own {};
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own&) {
    const auto* tiles = memory<const PartsTile>(args.tiles);
    const PartsTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const std::int64_t result = (at.block - tile.first_block) * kThreads + at.thread;
    if (result >= tile.results) return;
    const T* const from = memory<const T>(tile.parts) + result;
    for (std::int64_t part = 0; part < tile.count; ++part)
      shared.levels.push(at.thread, static_cast<std::uint32_t>(part), from[part * tile.results]);
    memory<T>(tile.out)[result] = shared.levels.join(at.thread, static_cast<std::uint32_t>(tile.count));
  }
};

}  // namespace tessera::kernel
