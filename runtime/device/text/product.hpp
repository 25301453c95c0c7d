// Products of matrices in order: the terms of every element are summed one after the other in blocks of 128, and the
// blocks' sums likewise, as kernels/matmul.hpp does it. A block of threads has a part of the result in its registers,
// and walks the terms in tiles, which come through shared memory; the next tile is on its way meanwhile.
//
// Example: a tile of 64 rows by 16 terms is 8 items for each of 128 threads. The first item of thread 17 is term 1 of
// row 1 where neighbours take terms; where they take rows it is term 0 of row 17, and its second one term 2.
#pragma once

#include <cstdint>

#include "runtime/device/text/walk.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

struct ProductTile {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  std::uint64_t out = 0;
  std::int64_t first_block = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t terms = 0;
  std::int64_t column_blocks = 0;
  std::int64_t blocks = 0;  // of one product of a batch
  Walk<2> row_walk;         // of the left operand and the result
  Walk<2> column_walk;      // of the right operand and the result
  Walk<2> term_walk;        // of both operands
  Walk<3> batch_walk;       // of all three
};

// How an operand is read: neighbouring threads take neighbouring terms, or neighbouring rows (columns), one element or
// 16 bytes each. Packed: those neighbours lie side by side, in whole packs, which are aligned.
enum class Way : int { terms, lanes, terms_packed, lanes_packed };

inline constexpr int kProductThreads = 128;
inline constexpr int kProductDepth = 16;          // terms of a tile
inline constexpr int kProductTilesOfBlock = 8;    // of terms that are summed apart
inline constexpr int kProductRowThreads = 8;      // a block of threads is so many by
inline constexpr int kProductColumnThreads = 16;  // so many

// One operand of a block: kLanes rows, or columns, of a tile of terms.
template <class T, int kLanes, Way way>
struct ProductSide {
  static constexpr bool kByTerms = way == Way::terms || way == Way::terms_packed;
  static constexpr bool kIsPacked = way == Way::terms_packed || way == Way::lanes_packed;
  static constexpr int kPack = kIsPacked ? Pack<T>::kSize : 1;
  static constexpr int kItems = kLanes * kProductDepth / kProductThreads / kPack;
  static constexpr int kPitch = kLanes + Pack<T>::kSize;
  static_assert(kItems > 0);
  struct Place {
    int lane, term;
  };
  using Items = T[kItems * kPack];
  using Tile = T[kProductDepth][kPitch];

  static Place place_of(int item, int thread) {
    const int id = item * kProductThreads + thread;
    constexpr int kAcross = (kByTerms ? kProductDepth : kLanes) / kPack;
    return kByTerms ? Place{id / kAcross, id % kAcross * kPack} : Place{id % kAcross * kPack, id / kAcross};
  }
  // Terms from `count` on are zero.
  static void load(Items& items, std::uint64_t first, const std::int64_t* lane_at, const std::int64_t* term_at,
                   int count, int thread) {
    TESSERA_UNROLL
    for (int item = 0; item < kItems; ++item) {
      const Place place = place_of(item, thread);
      const bool is_term = place.term < count;
      const T* const from = memory<const T>(first) + lane_at[place.lane] + (is_term ? term_at[place.term] : 0);
      if constexpr (kIsPacked) {
        Pack<T> pack{};
        if (is_term) pack = *reinterpret_cast<const Pack<T>*>(from);
        TESSERA_UNROLL
        for (int i = 0; i < kPack; ++i) items[item * kPack + i] = pack.at[i];
      } else {
        items[item] = is_term ? *from : T{};
      }
    }
  }
  static void store(const Items& items, Tile& tile, int thread) {
    TESSERA_UNROLL
    for (int item = 0; item < kItems; ++item) {
      const Place place = place_of(item, thread);
      if constexpr (way == Way::lanes_packed) {
        Pack<T> pack;
        TESSERA_UNROLL
        for (int i = 0; i < kPack; ++i) pack.at[i] = items[item * kPack + i];
        *reinterpret_cast<Pack<T>*>(&tile[place.term][place.lane]) = pack;
      } else {
        TESSERA_UNROLL
        for (int i = 0; i < kPack; ++i) tile[place.term + i][place.lane] = items[item * kPack + i];
      }
    }
  }
};

// A thread has kRows x kColumns elements of the result.
template <class T, int kRows, int kColumns, Way left_way, Way right_way>
struct Product {
  static constexpr int kThreads = kProductThreads;
  static constexpr int kPhases = 2;
  static constexpr int kBlockRows = kRows * kProductRowThreads;
  static constexpr int kBlockColumns = kColumns * kProductColumnThreads;
  // Neighbours that a thread has, and that come from shared memory at once.
  static constexpr int kRowPack = kRows < Pack<T>::kSize ? kRows : Pack<T>::kSize;
  static constexpr int kColumnPack = kColumns < Pack<T>::kSize ? kColumns : Pack<T>::kSize;
  using Left = ProductSide<T, kBlockRows, left_way>;
  using Right = ProductSide<T, kBlockColumns, right_way>;
  using Sum = runtime::Combine<synth::ReduceKind::sum, T>;

  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
  };
  struct alignas(16) Shared {
    alignas(16) typename Left::Tile left;
    alignas(16) typename Right::Tile right;
    std::int64_t row_at[kBlockRows];
    std::int64_t column_at[kBlockColumns];
    std::int64_t left_term_at[kProductDepth];
    std::int64_t right_term_at[kProductDepth];
  };
  struct Own {
    const ProductTile* tile;
    std::uint64_t left, right, out;
    std::int64_t row, column;
    T sums[kRows][kColumns];
    T apart[kRows][kColumns];
    typename Left::Items left_next;
    typename Right::Items right_next;
  };

  static const ProductTile& tile_of(const Args& args, std::int64_t block) {
    const auto* tiles = memory<const ProductTile>(args.tiles);
    return tiles[row_of(tiles, static_cast<int>(args.tile_count), block)];
  }
  static std::int64_t turns(const Args& args, std::int64_t block) {
    return (tile_of(args, block).terms + kProductDepth - 1) / kProductDepth + 1;
  }

  // In turn t tile t is on its way, and tile t - 1 is taken.
  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if constexpr (phase == 0) {
      if (at.turn == 0) begin(args, at, own);
      const bool is_last = terms_from(own, at.turn) <= 0;
      if (at.turn == 0 || is_last) find_places(at.thread, is_last, shared, own);
      if (at.turn > 0) {
        Left::store(own.left_next, shared.left, at.thread);
        Right::store(own.right_next, shared.right, at.thread);
      }
      if (!is_last) find_terms(at, shared, own);
    } else {
      const std::int64_t coming = terms_from(own, at.turn);
      if (coming > 0) {
        const int count = coming < kProductDepth ? static_cast<int>(coming) : kProductDepth;
        Left::load(own.left_next, own.left, shared.row_at, shared.left_term_at, count, at.thread);
        Right::load(own.right_next, own.right, shared.column_at, shared.right_term_at, count, at.thread);
      }
      if (at.turn > 0) take_tile(at, shared, own);
      if (coming <= 0) put(at.thread, shared, own);
    }
  }

 private:
  // Terms that there are from a tile of them on.
  static std::int64_t terms_from(const Own& own, std::int64_t number) {
    return own.tile->terms - number * kProductDepth;
  }

  static void begin(const Args& args, At at, Own& own) {
    own.tile = &tile_of(args, at.block);
    const Quotient batch = divided(at.block - own.tile->first_block, own.tile->blocks);
    const Quotient block = divided(batch.rest, own.tile->column_blocks);
    const Places<3> first = places(own.tile->batch_walk, batch.value);
    own.left = own.tile->left + static_cast<std::uint64_t>(first.at[0]) * sizeof(T);
    own.right = own.tile->right + static_cast<std::uint64_t>(first.at[1]) * sizeof(T);
    own.out = own.tile->out + static_cast<std::uint64_t>(first.at[2]) * sizeof(T);
    own.row = block.value * kBlockRows;
    own.column = block.rest * kBlockColumns;
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int c = 0; c < kColumns; ++c) own.sums[r][c] = own.apart[r][c] = Sum::identity();
    }
  }

  // Where rows and columns begin, in the operands or at last in the result. For one beyond the end others are read.
  static void find_places(int thread, bool of_result, Shared& shared, const Own& own) {
    for (int r = thread; r < kBlockRows; r += kThreads) {
      const std::int64_t row = own.row + r < own.tile->rows ? own.row + r : r % Left::kPack;
      const Places<2> found = places(own.tile->row_walk, row);
      shared.row_at[r] = of_result ? found.at[1] : found.at[0];
    }
    for (int c = thread; c < kBlockColumns; c += kThreads) {
      const std::int64_t column = own.column + c < own.tile->columns ? own.column + c : c % Right::kPack;
      const Places<2> found = places(own.tile->column_walk, column);
      shared.column_at[c] = of_result ? found.at[1] : found.at[0];
    }
  }
  static void find_terms(At at, Shared& shared, const Own& own) {
    const std::int64_t term = at.turn * kProductDepth + at.thread;
    if (at.thread >= kProductDepth || term >= own.tile->terms) return;
    const Places<2> found = places(own.tile->term_walk, term);
    shared.left_term_at[at.thread] = found.at[0];
    shared.right_term_at[at.thread] = found.at[1];
  }

  // Warps are 4 by 8 threads, so that what their threads read of either side is few.
  static int row_thread(int thread) { return thread / 64 * 4 + thread % 32 / 8; }
  static int column_thread(int thread) { return thread / 32 % 2 * 8 + thread % 8; }
  static int row_of_thread(int thread, int r) {
    return (r / kRowPack * kProductRowThreads + row_thread(thread)) * kRowPack + r % kRowPack;
  }
  static int column_of_thread(int thread, int c) {
    return (c / kColumnPack * kProductColumnThreads + column_thread(thread)) * kColumnPack + c % kColumnPack;
  }

  static void take_tile(At at, const Shared& shared, Own& own) {
    const std::int64_t left_over = terms_from(own, at.turn - 1);
    if (left_over >= kProductDepth) {
      constexpr int kAtOnce = 8;
      TESSERA_ROLLED
      for (int s = 0; s < kProductDepth; s += kAtOnce) {
        TESSERA_UNROLL
        for (int i = 0; i < kAtOnce; ++i) take_term(at.thread, s + i, shared, own);
      }
    } else {
      TESSERA_ROLLED
      for (int s = 0; s < static_cast<int>(left_over); ++s) take_term(at.thread, s, shared, own);
    }
    if (at.turn % kProductTilesOfBlock == 0 || left_over <= kProductDepth) join(own);
  }
  static void take_term(int thread, int term, const Shared& shared, Own& own) {
    T left[kRows];
    T right[kColumns];
    TESSERA_UNROLL
    for (int r = 0; r < kRows; r += kRowPack) read<kRowPack>(&shared.left[term][row_of_thread(thread, r)], &left[r]);
    TESSERA_UNROLL
    for (int c = 0; c < kColumns; c += kColumnPack)
      read<kColumnPack>(&shared.right[term][column_of_thread(thread, c)], &right[c]);
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int c = 0; c < kColumns; ++c)
        own.apart[r][c] = runtime::plus(own.apart[r][c], runtime::times(left[r], right[c]));
    }
  }
  template <int n>
  static void read(const T* from, T* to) {
    struct alignas(n * sizeof(T)) Some {
      T at[n];
    };
    const Some some = *reinterpret_cast<const Some*>(from);
    TESSERA_UNROLL
    for (int i = 0; i < n; ++i) to[i] = some.at[i];
  }
  static void join(Own& own) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      TESSERA_UNROLL
      for (int c = 0; c < kColumns; ++c) {
        own.sums[r][c] = runtime::plus(own.sums[r][c], own.apart[r][c]);
        own.apart[r][c] = Sum::identity();
      }
    }
  }

  static void put(int thread, const Shared& shared, const Own& own) {
    TESSERA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const int row = row_of_thread(thread, r);
      if (own.row + row >= own.tile->rows) continue;
      T* const to = memory<T>(own.out) + shared.row_at[row];
      TESSERA_UNROLL
      for (int c = 0; c < kColumns; c += kColumnPack)
        put_pack(own.tile->columns - own.column, column_of_thread(thread, c), shared, &own.sums[r][c], to);
    }
  }
  // Columns from `beyond` on are not there.
  static void put_pack(std::int64_t beyond, int column, const Shared& shared, const T* sums, T* to) {
    struct alignas(kColumnPack * sizeof(T)) Some {
      T at[kColumnPack];
    };
    T* const first = to + shared.column_at[column];
    const bool are_side_by_side =
        column + kColumnPack <= beyond &&
        shared.column_at[column + kColumnPack - 1] - shared.column_at[column] == kColumnPack - 1 &&
        reinterpret_cast<std::uint64_t>(first) % sizeof(Some) == 0;
    if (are_side_by_side) {
      Some some;
      TESSERA_UNROLL
      for (int i = 0; i < kColumnPack; ++i) some.at[i] = sums[i];
      *reinterpret_cast<Some*>(first) = some;
      return;
    }
    TESSERA_UNROLL
    for (int i = 0; i < kColumnPack; ++i) {
      if (column + i < beyond) to[shared.column_at[column + i]] = sums[i];
    }
  }
};

}  // namespace tessera::kernel
