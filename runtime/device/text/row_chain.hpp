// Steps that are taken together on rows, reductions of a row to one value among them. A reduction has the order of the
// host's: blocks of 128 elements in eight lanes, which meet in pairs, then what is left over of the last eight; blocks
// are joined in pairs of equal size. Values that are missing to a whole block or to a power of two are those that
// change nothing, so that the order needs no cases. Lanes side by side are a thread's: it takes every eighth group of
// them.
//
// `Chain` is written for the steps (write/row_text.hpp). Level k is all that can be computed when the reductions of the
// levels before are known:
//
//     static constexpr int kWords, kSide;        of a table's row; lanes of a thread
//     static constexpr int kThreads, kOfRow;     of a block; of them for a row, a power of two
//     static constexpr int kLevels;              with reductions; then what is left is computed, and all is stored
//     static constexpr bool kKeeps;              a thread takes one block's lanes only, and keeps values of elements
//     static constexpr bool kHasRest;            rows whose length is no multiple of eight
//     static constexpr bool kIsFlat;             rows are pieces of kPiece elements of one sequence
//     static constexpr bool kStoresSide, kStoresRow;
//     struct Shared, Kept, Row, Bases;           totals; of a group of lanes; of a row; addresses of a row
//     static void locate(const TableRow&, std::uint32_t row, Bases&);
//     static void begin(const TableRow&, const Bases&, Row&);
//     static auto lanes(Level<k>);               what level k reduces
//     static void take(Level<k>, const TableRow&, const Bases&, const Row&, Kept&, std::uint32_t i, std::uint32_t n,
//     lanes&); static void finish(Level<k>, Shared&, const RowPlace&, Row&); static void store(const TableRow&, const
//     Bases&, const Row&);
//
// A row of the table is of a tile: {first block, rows, length of a row, ...}.
//
// Example: a row of 260 elements has three blocks, of which the third has four elements, too few for its lanes: they
// are added to that block's total one by one. Five values in eight places meet as ((a + b) + (c + d)) + e. Of 17 pieces
// one thread joins sixteen, the next the last, and then the two meet.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/several.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

inline constexpr int kReduceBlock = 128;
inline constexpr int kReduceLanes = 8;
inline constexpr int kReduceSteps = kReduceBlock / kReduceLanes;
inline constexpr std::int64_t kPiece = 4096;
// Blocks that one thread joins.
inline constexpr int kJoined = 16;
inline constexpr int kBlocksMax = 512;

template <int k>
struct Level {};

struct RowPlace {
  std::uint32_t row;  // of the tile
  int of_row;         // the thread's number in its row
  int in_block;       // the row's number in its block
  std::uint32_t n;    // elements of the row
  int blocks() const { return static_cast<int>((n + kReduceBlock - 1) / kReduceBlock); }
};

// What the threads of a block know of a reduction.
template <class How, class T, class Chain>
struct Totals {
  static constexpr int kParts = kReduceLanes / Chain::kSide;  // threads of a block of 128
  static constexpr int kRows = Chain::kThreads / Chain::kOfRow;
  static constexpr int kOfRow = Chain::kKeeps ? Chain::kOfRow : kParts * kBlocksMax;
  static constexpr int kBlocks = kOfRow / kParts;
  static constexpr bool kHasGroups = kBlocks > kJoined;
  static constexpr int kGroups = (kBlocks + kJoined - 1) / kJoined;

  T parts[kRows * kOfRow];
  T groups[kRows * kGroups];
  T rest[Chain::kHasRest ? kRows * kReduceLanes : 1];
};

// n values, those from `count` on being what changes nothing.
template <class How, class T, int n, class Value>
T join_pairs(int count, const Value& value) {
  T values[n];
  TESSERA_UNROLL
  for (int i = 0; i < n; ++i) values[i] = i < count ? value(i) : How::identity();
  TESSERA_UNROLL
  for (int width = 1; width < n; width *= 2) {
    TESSERA_UNROLL
    for (int i = 0; i + width < n; i += 2 * width) values[i] = How::combine(values[i], values[i + width]);
  }
  return values[0];
}

template <class How, class T, class Chain>
T total_of_block(const Totals<How, T, Chain>& totals, const RowPlace& place, int block) {
  using All = Totals<How, T, Chain>;
  const T* const parts = totals.parts + place.in_block * All::kOfRow + block * All::kParts;
  T total = join_pairs<How, T, All::kParts>(All::kParts, [&](int i) { return parts[i]; });
  if constexpr (Chain::kHasRest) {
    if (block + 1 == place.blocks()) {
      const int rest = static_cast<int>(place.n % kReduceLanes);
      for (int i = 0; i < rest; ++i) total = How::combine(total, totals.rest[place.in_block * kReduceLanes + i]);
    }
  }
  return total;
}

// Groups of blocks, each by a thread.
template <class How, class T, class Chain>
void join_groups(Totals<How, T, Chain>& totals, const RowPlace& place) {
  using All = Totals<How, T, Chain>;
  const int blocks = place.blocks();
  for (int group = place.of_row; group * kJoined < blocks; group += Chain::kOfRow) {
    totals.groups[place.in_block * All::kGroups + group] =
        join_pairs<How, T, kJoined>(std::min(kJoined, blocks - group * kJoined),
                                    [&](int i) { return total_of_block(totals, place, group * kJoined + i); });
  }
}

// What the whole row gives; every thread of it may ask.
template <class How, class T, class Chain>
T whole(const Totals<How, T, Chain>& totals, const RowPlace& place) {
  using All = Totals<How, T, Chain>;
  if constexpr (All::kHasGroups) {
    return join_pairs<How, T, All::kGroups>((place.blocks() + kJoined - 1) / kJoined,
                                            [&](int i) { return totals.groups[place.in_block * All::kGroups + i]; });
  } else {
    return join_pairs<How, T, All::kBlocks>(place.blocks(), [&](int i) { return total_of_block(totals, place, i); });
  }
}

// False where there is no row any more.
template <class Chain>
bool find_row(const TableRow& table, const At& at, RowPlace& place) {
  constexpr int kRows = Chain::kThreads / Chain::kOfRow;
  place.of_row = at.thread % Chain::kOfRow;
  place.in_block = at.thread / Chain::kOfRow;
  place.row = static_cast<std::uint32_t>(at.block - table[0]) * kRows + static_cast<std::uint32_t>(place.in_block);
  if (place.row >= static_cast<std::uint32_t>(table[1])) return false;
  const std::int64_t before = Chain::kIsFlat ? std::int64_t{place.row} * kPiece : 0;
  place.n = static_cast<std::uint32_t>(table[2] - before);
  if (Chain::kIsFlat && table[2] - before > kPiece) place.n = kPiece;
  return true;
}

template <class Chain, bool single>
struct RowChain {
  struct Args {
    ChainTable<Chain::kWords, single> table;
  };
  using Shared = typename Chain::Shared;
  struct Own {
    typename Chain::Bases bases;
    typename Chain::Row row;
    typename Chain::Kept kept[Chain::kKeeps ? kReduceSteps : 1];
  };
  static constexpr int kThreads = Chain::kThreads;
  static constexpr int kParts = kReduceLanes / Chain::kSide;
  static constexpr int kStages = Chain::kKeeps && Chain::kOfRow / kParts <= kJoined ? 1 : 2;
  static constexpr int kLast = Chain::kLevels * kStages;
  static constexpr int kPhases = kLast + 1 + (Chain::kStoresRow ? 1 : 0);
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    const TableRow table = args.table.row_of(at.block);
    RowPlace place;
    if (!find_row<Chain>(table, at, place)) return;
    if constexpr (phase == 0) {
      Chain::locate(table, place.row, own.bases);
      Chain::begin(table, own.bases, own.row);
    }
    if constexpr (phase < kLast && phase % kStages == 1) {
      using Lanes = decltype(Chain::lanes(Level<phase / kStages>{}));
      Lanes::each(shared, [&](auto& totals) { join_groups(totals, place); });
    } else if constexpr (phase <= kLast) {
      constexpr int level = phase / kStages;
      if constexpr (level > 0) Chain::finish(Level<level - 1>{}, shared, place, own.row);
      if constexpr (level < Chain::kLevels || Chain::kStoresSide) take<level>(table, place, shared, own);
    } else if (place.of_row == 0) {
      Chain::store(table, own.bases, own.row);
    }
  }

 private:
  template <int level>
  static void take(const TableRow& table, const RowPlace& place, Shared& shared, Own& own) {
    const int part = place.of_row % kParts;
    if constexpr (Chain::kKeeps) {
      take_block<level>(table, place, place.of_row / kParts, part, shared, own);
    } else {
      const int blocks = place.blocks();
      for (int block = place.of_row / kParts; block < blocks; block += Chain::kOfRow / kParts)
        take_block<level>(table, place, block, part, shared, own);
    }
  }

  template <int level>
  static void take_block(const TableRow& table, const RowPlace& place, int block, int part, Shared& shared, Own& own) {
    const auto first = static_cast<std::uint32_t>(block * kReduceBlock + part * Chain::kSide);
    auto all = Chain::lanes(Level<level>{});
    if constexpr (Chain::kKeeps) {
      TESSERA_UNROLL
      for (int step = 0; step < kReduceSteps; ++step)
        take_lanes<level>(table, place, first + static_cast<std::uint32_t>(step) * kReduceLanes, shared, own,
                          own.kept[step], all);
    } else {
      for (int step = 0; step < kReduceSteps; ++step)
        take_lanes<level>(table, place, first + static_cast<std::uint32_t>(step) * kReduceLanes, shared, own,
                          own.kept[0], all);
    }
    all.with(all, shared, [&](auto how, auto& lanes, auto&, auto& totals) {
      using How = decltype(how);
      using T = decltype(How::identity());
      totals.parts[place.in_block * totals.kOfRow + block * kParts + part] =
          join_pairs<How, T, Chain::kSide>(Chain::kSide, [&](int i) { return lanes[i]; });
    });
  }

  template <int level, class Lanes>
  static void take_lanes(const TableRow& table, const RowPlace& place, std::uint32_t i, Shared& shared, const Own& own,
                         typename Chain::Kept& kept, Lanes& all) {
    if (i >= place.n) return;
    Lanes next;
    Chain::take(Level<level>{}, table, own.bases, own.row, kept, i, place.n, next);
    all.with(next, shared, [&](auto how, auto& lanes, auto& added, auto& totals) {
      using How = decltype(how);
      const std::uint32_t in_lanes = place.n / kReduceLanes * kReduceLanes;
      TESSERA_UNROLL
      for (int k = 0; k < Chain::kSide; ++k) {
        const std::uint32_t at = i + static_cast<std::uint32_t>(k);
        if (!Chain::kHasRest || at < in_lanes)
          lanes[k] = How::combine(lanes[k], added[k]);
        else if (at < place.n)
          totals.rest[place.in_block * kReduceLanes + static_cast<int>(at - in_lanes)] = added[k];
      }
    });
  }
};

// The last step of a sequence that is reduced in pieces: what they give is joined, sixteen for a thread, 16,384 for a
// block, until one value is left.
template <class How, class T>
struct JoinPieces {
  struct Args {
    std::uint64_t pieces;
    std::uint64_t to;
    std::int64_t count;
  };
  static constexpr int kThreads = 1024;
  struct Shared {
    T values[kThreads];
    T groups[kThreads / kJoined];
  };
  struct Own {};
  static constexpr int kPhases = 3;
  static constexpr int kOfBlock = kThreads * kJoined;
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own&) {
    if constexpr (phase == 0) {
      const std::int64_t first = at.block * kOfBlock + at.thread * kJoined;
      const std::int64_t rest = args.count - first;
      const int count = static_cast<int>(rest < 0 ? 0 : (rest < kJoined ? rest : kJoined));
      const T* const pieces = memory<const T>(args.pieces) + first;
      shared.values[at.thread] = join_pairs<How, T, kJoined>(count, [&](int i) { return pieces[i]; });
    } else if constexpr (phase == 1) {
      if (at.thread >= kThreads / kJoined) return;
      const T* const values = shared.values + at.thread * kJoined;
      shared.groups[at.thread] = join_pairs<How, T, kJoined>(kJoined, [&](int i) { return values[i]; });
    } else if (at.thread == 0) {
      memory<T>(args.to)[at.block] =
          join_pairs<How, T, kThreads / kJoined>(kThreads / kJoined, [&](int i) { return shared.groups[i]; });
    }
  }
};

}  // namespace tessera::kernel
