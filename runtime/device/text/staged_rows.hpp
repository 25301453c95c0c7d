// Rows that fit into the shared memory of a block, reduced there: neighbouring threads take neighbouring elements, and
// what is reduced goes through Shared to threads that take a block of 128 each, in the order of row_chain.hpp. Its
// `Chain` has, beside or in place of what is said there:
//
//     static constexpr int kSteps;    groups of elements of a thread
//     struct Shared { alignas(16) unsigned char stage[...]; StagedTotals ...; };
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/device/text/row_chain.hpp"

namespace tessera::kernel {

// Where an element of a row lies among others that are staged: sixteen bytes behind every block are left out, so that
// threads that read a block each come to different banks.
template <class T>
constexpr int staged_place(int i) {
  constexpr int kGap = 16 / static_cast<int>(sizeof(T));
  return i + i / kReduceBlock * kGap;
}
// Places of a row of so many elements: an odd number of sixteen bytes.
template <class T>
constexpr int staged_places(int n) {
  constexpr int kUnit = 16 / static_cast<int>(sizeof(T));
  const int units = (staged_place<T>(n - 1) + kUnit) / kUnit;
  return (units + 1 - units % 2) * kUnit;
}

// Blocks that one thread joins.
inline constexpr int kStagedJoined = 8;

// What the threads of a block know of a reduction: what blocks give, and groups of them where there are many.
template <class How, class T, class Chain, int begin>
struct StagedTotals {
  static constexpr int kRows = Chain::kThreads / Chain::kOfRow;
  static constexpr int kLongest = Chain::kSteps * Chain::kOfRow * Chain::kSide;
  static constexpr int kPlaces = staged_places<T>(kLongest);
  static constexpr int kBlocks = (kLongest + kReduceBlock - 1) / kReduceBlock;
  static constexpr bool kHasGroups = kBlocks > kStagedJoined;
  static constexpr int kGroups = (kBlocks + kStagedJoined - 1) / kStagedJoined;

  T blocks[kRows * kBlocks];
  T groups[kHasGroups ? kRows * kGroups : 1];

  // The row's elements as they are staged.
  static T* row_in(unsigned char* stage, const RowPlace& place) {
    return reinterpret_cast<T*>(stage + begin) + place.in_block * kPlaces;
  }
};

// n elements of a block, 128 at most: eight lanes, which meet in pairs, then what is left over.
template <class How, class T>
T reduce_staged_block(const T* x, int n) {
  T lanes[kReduceLanes];
  TESSERA_UNROLL
  for (int k = 0; k < kReduceLanes; ++k) lanes[k] = How::identity();
  constexpr int kUnit =
      16 / static_cast<int>(sizeof(T)) < kReduceLanes ? 16 / static_cast<int>(sizeof(T)) : kReduceLanes;
  const auto take = [&](int i) {
    TESSERA_UNROLL
    for (int unit = 0; unit < kReduceLanes; unit += kUnit) {
      const auto some = *reinterpret_cast<const Several<T, kUnit>*>(x + i + unit);
      TESSERA_UNROLL
      for (int k = 0; k < kUnit; ++k) lanes[unit + k] = How::combine(lanes[unit + k], some[k]);
    }
  };
  if (n == kReduceBlock) {
    TESSERA_UNROLL
    for (int i = 0; i < kReduceBlock; i += kReduceLanes) take(i);
  } else {
    for (int i = 0; i + kReduceLanes <= n; i += kReduceLanes) take(i);
  }
  T total = join_pairs<How, T, kReduceLanes>(kReduceLanes, [&](int k) { return lanes[k]; });
  for (int i = n / kReduceLanes * kReduceLanes; i < n; ++i) total = How::combine(total, x[i]);
  return total;
}

template <class How, class T, class Chain, int begin>
void join_groups(StagedTotals<How, T, Chain, begin>& totals, const RowPlace& place) {
  using All = StagedTotals<How, T, Chain, begin>;
  const int blocks = place.blocks();
  const T* const own = totals.blocks + place.in_block * All::kBlocks;
  for (int group = place.of_row; group * kStagedJoined < blocks; group += Chain::kOfRow) {
    totals.groups[place.in_block * All::kGroups + group] = join_pairs<How, T, kStagedJoined>(
        std::min(kStagedJoined, blocks - group * kStagedJoined), [&](int i) { return own[group * kStagedJoined + i]; });
  }
}

template <class How, class T, class Chain, int begin>
T whole(const StagedTotals<How, T, Chain, begin>& totals, const RowPlace& place) {
  using All = StagedTotals<How, T, Chain, begin>;
  constexpr int kAll = All::kHasGroups ? All::kGroups : All::kBlocks;
  const T* const own = (All::kHasGroups ? totals.groups : totals.blocks) + place.in_block * kAll;
  const int count = All::kHasGroups ? (place.blocks() + kStagedJoined - 1) / kStagedJoined : place.blocks();
  return join_pairs<How, T, kAll>(count, [&](int i) { return own[i]; });
}

template <class Chain, bool single>
struct StagedRows {
  struct Args {
    ChainTable<Chain::kWords, single> table;
  };
  using Shared = typename Chain::Shared;
  struct Own {
    typename Chain::Bases bases;
    typename Chain::Row row;
    typename Chain::Kept kept[Chain::kSteps];
  };
  static constexpr int kThreads = Chain::kThreads;
  static constexpr int kLongest = Chain::kSteps * Chain::kOfRow * Chain::kSide;
  static constexpr int kStages = kLongest > kStagedJoined* kReduceBlock ? 3 : 2;
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
    if constexpr (phase < kLast && phase % kStages != 0) {
      using Lanes = decltype(Chain::lanes(Level<phase / kStages>{}));
      if constexpr (phase % kStages == 1)
        Lanes::reduced(shared, [&](auto how, auto& totals) { reduce_blocks(how, shared, totals, place); });
      else
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
  template <class How, class Totals>
  static void reduce_blocks(How, Shared& shared, Totals& totals, const RowPlace& place) {
    using T = decltype(How::identity());
    const T* const row = Totals::row_in(shared.stage, place);
    for (int block = place.of_row; block < place.blocks(); block += Chain::kOfRow) {
      const int n = std::min(kReduceBlock, static_cast<int>(place.n) - block * kReduceBlock);
      totals.blocks[place.in_block * Totals::kBlocks + block] =
          reduce_staged_block<How, T>(row + staged_place<T>(block * kReduceBlock), n);
    }
  }

  template <int level>
  static void take(const TableRow& table, const RowPlace& place, Shared& shared, Own& own) {
    TESSERA_UNROLL
    for (int step = 0; step < Chain::kSteps; ++step) {
      const auto i = static_cast<std::uint32_t>((step * Chain::kOfRow + place.of_row) * Chain::kSide);
      if (i < place.n) take_group<level>(table, place, i, shared, own, own.kept[step]);
    }
  }
  template <int level>
  static void take_group(const TableRow& table, const RowPlace& place, std::uint32_t i, Shared& shared, const Own& own,
                         typename Chain::Kept& kept) {
    decltype(Chain::lanes(Level<level>{})) next;
    Chain::take(Level<level>{}, table, own.bases, own.row, kept, i, place.n, next);
    next.with(next, shared, [&](auto how, auto& group, auto&, auto& totals) {
      using T = decltype(decltype(how)::identity());
      T* const row = totals.row_in(shared.stage, place);
      *reinterpret_cast<Several<T, Chain::kSide>*>(row + staged_place<T>(static_cast<int>(i))) = group;
    });
  }
};

}  // namespace tessera::kernel
