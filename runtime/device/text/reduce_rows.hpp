// Reductions over dimensions of which the innermost is one: a row of elements for each result, in the order of
// runtime/kernels/reduce.hpp. A block of threads takes several short rows at a time, or a stretch of a long one, whose
// stretches are joined by another kernel (join_leaves.hpp). Elements of 4 and 8 bytes that lie in runs are read side by
// side into shared memory first (reduce_staged.hpp).
#pragma once

#include <cstdint>

#include "runtime/device/text/row_turns.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

// Lanes of a thread: as many as are read at once, or 1.
template <synth::ReduceKind kind, class T, int own, RowLie lie>
struct ReduceRows {
  using How = runtime::Combine<kind, T>;
  struct Args {
    Table tiles;
    std::int64_t turns;  // the most of all tiles
  };
  static constexpr int kThreads = 256;
  static constexpr int kParts = kRowLanes / own;    // threads for a block of 128 elements
  static constexpr int kSlots = kThreads / kParts;  // such blocks at a time
  static constexpr int kPhases = 8;
  static constexpr int kAtOnce = lie == RowLie::any ? 4 : 16;
  using Turns = RowTurns<How, T, kSlots>;
  struct Shared {
    T parts[kThreads];
    typename Turns::Shared all;
  };
  struct Own {
    RowTurn turn;
    RowRest<T> rest;
  };
  static std::int64_t turns(const Args& args, std::int64_t) { return args.turns; }

  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own& kept) {
    if constexpr (phase == 0) {
      if (at.turn == 0) kept.turn.tile = row_address<ReduceRowsTile>(args.tiles, at.block);
    }
    if (at.turn >= tile_of(kept.turn).turns) return;
    if constexpr (phase == 0) {
      Turns::begin(at, kept.turn);
      take(at.thread, shared, kept);
    } else if constexpr (phase == 1) {
      join_parts(at.thread, shared, kept);
    } else if constexpr (phase <= 4) {
      Turns::template join<phase == 2 ? 1 : phase == 3 ? 8 : 64>(at.thread, shared.all, kept.turn);
    } else if constexpr (phase == 5) {
      Turns::finish_turn(at, shared.all, kept.turn);
    } else if (Turns::ends_stretch(at, kept.turn)) {
      Turns::template finish_stretch<phase - 6>(at.thread, shared.all, kept.turn);
    }
  }

 private:
  // A row, from one of its blocks on.
  struct Elements {
    const T* from;
    const ReduceWalk* reduced;
    std::uint32_t first;  // of the block in the row

    Elements from_on(int i) const {
      if constexpr (lie == RowLie::any)
        return {from, reduced, first + static_cast<std::uint32_t>(i)};
      else
        return {from + i, reduced, first};
    }
    template <int n>
    void take(int i, T (&values)[n]) const {
      if constexpr (lie == RowLie::any)
        values[0] = from[place_along(*reduced, first + static_cast<std::uint32_t>(i))];
      else
        read_together(from + i, values);
    }
  };

  static Elements elements_of(const ReduceRowsTile& tile, const RowPart& part) {
    const std::int64_t begin = std::int64_t{part.block} * kRowBlock;
    Elements elements;
    elements.from = memory<const T>(tile.from) + place_along(tile.kept, static_cast<std::uint32_t>(part.row));
    elements.reduced = &tile.reduced;
    elements.first = static_cast<std::uint32_t>(begin);
    if constexpr (lie == RowLie::dense) elements.from += begin;
    if constexpr (lie == RowLie::runs) elements.from += place_along(tile.reduced, elements.first);
    return elements;
  }
  static void take(int thread, Shared& shared, Own& kept) {
    const RowPart part = Turns::part_of(kept.turn, thread / kParts);
    if (part.count == 0) return;
    const Elements elements = elements_of(tile_of(kept.turn), part);
    const int groups = part.count / kRowLanes;
    const int lane = thread % kParts;
    if (lane == 0 && part.count % kRowLanes != 0)
      take_rest(elements, groups * kRowLanes, part.count % kRowLanes, kept.rest);
    if (groups > 0) shared.parts[thread] = reduce_lanes<How, own, kAtOnce, T>(elements, lane * own, groups);
  }
  // By the first thread of a block of elements.
  static void join_parts(int thread, Shared& shared, const Own& kept) {
    if (thread % kParts != 0) return;
    const int slot = thread / kParts;
    const RowPart part = Turns::part_of(kept.turn, slot);
    if (part.count == 0) return;
    T values[kParts];
    TESSERA_UNROLL
    for (int k = 0; k < kParts; ++k) values[k] = shared.parts[thread + k];
    meet_in_pairs<How>(values);
    const int rest = part.count % kRowLanes;
    shared.all.blocks[slot] =
        rest == 0 ? values[0] : with_rest<How>(part.count >= kRowLanes, values[0], kept.rest, rest);
  }
};

}  // namespace tessera::kernel
