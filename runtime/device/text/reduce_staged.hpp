// Rows of elements of 4 or 8 bytes that lie in runs, reduced as in reduce_rows.hpp. The threads of a warp read a block
// of 128 elements side by side; lanes, which are eight elements apart, are then taken from shared memory.
#pragma once

#include <cstdint>

#include "runtime/device/text/row_turns.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

// `together`: elements that are read at once, which divide the length and all steps of rows.
template <synth::ReduceKind kind, class T, int together, RowLie lie>
struct ReduceStagedRows {
  using How = runtime::Combine<kind, T>;
  struct Args {
    Table tiles;
    std::int64_t turns;  // the most of all tiles
  };
  static constexpr int kThreads = 256;
  static constexpr int kSlots = 256 / static_cast<int>(sizeof(T));  // blocks of 128 elements at a time
  static constexpr int kPitch = kRowBlock + 8;      // so that lanes of neighbouring blocks are in other banks
  static constexpr int kParts = kThreads / kSlots;  // threads of a block of 128 elements
  static constexpr int kOwn = kRowLanes / kParts;   // lanes of a thread
  static constexpr int kPhases = 9;
  using Turns = RowTurns<How, T, kSlots>;
  struct Shared {
    alignas(16) T elements[kSlots * kPitch];
    T parts[kThreads];
    std::int64_t places[kSlots];  // of blocks of elements
    std::int32_t counts[kSlots];  // of their elements
    typename Turns::Shared all;
  };
  struct Own {
    RowTurn turn;
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
      locate(at.thread, shared, kept.turn);
    } else if constexpr (phase == 1) {
      bring(at.thread, shared, memory<const T>(tile_of(kept.turn).from));
    } else if constexpr (phase == 2) {
      take(at.thread, shared);
    } else if constexpr (phase == 3) {
      join_parts(at.thread, shared);
    } else if constexpr (phase <= 5) {
      Turns::template join<phase == 4 ? 1 : 8>(at.thread, shared.all, kept.turn);
    } else if constexpr (phase == 6) {
      Turns::finish_turn(at, shared.all, kept.turn);
    } else if (Turns::ends_stretch(at, kept.turn)) {
      Turns::template finish_stretch<phase - 7>(at.thread, shared.all, kept.turn);
    }
  }

 private:
  static constexpr int kOfBlock = kRowBlock / together;  // units of a block of 128 elements
  static constexpr int kAtOnce = kThreads / kOfBlock;    // blocks that all threads read at once
  static constexpr int kReads = 4;                       // of a thread, on their way together
  using Unit = ReadTogether<T, together>;

  static void locate(int thread, Shared& shared, const RowTurn& turn) {
    if (thread >= kSlots) return;
    const ReduceRowsTile& tile = tile_of(turn);
    const RowPart part = Turns::part_of(turn, thread);
    shared.counts[thread] = part.count;
    if (part.count == 0) return;
    const std::int64_t begin = std::int64_t{part.block} * kRowBlock;
    shared.places[thread] =
        place_along(tile.kept, static_cast<std::uint32_t>(part.row)) +
        (lie == RowLie::dense ? begin : place_along(tile.reduced, static_cast<std::uint32_t>(begin)));
  }
  // Some at once: those of one thread lie `kAtOnce` blocks apart.
  static void bring(int thread, Shared& shared, const T* from) {
    const int unit = thread % kOfBlock * together;
    const int own = thread / kOfBlock;
    for (int first = 0; first < kSlots; first += kReads * kAtOnce) {
      Unit units[kReads];
      TESSERA_UNROLL
      for (int k = 0; k < kReads; ++k) {
        const int slot = first + k * kAtOnce + own;
        if (unit < shared.counts[slot]) units[k] = *reinterpret_cast<const Unit*>(from + shared.places[slot] + unit);
      }
      TESSERA_UNROLL
      for (int k = 0; k < kReads; ++k)
        *reinterpret_cast<Unit*>(shared.elements + (first + k * kAtOnce + own) * kPitch + unit) = units[k];
    }
  }

  // A block of 128 elements in shared memory.
  struct Elements {
    const T* from;

    Elements from_on(int i) const { return {from + i}; }
    template <int n>
    void take(int i, T (&values)[n]) const {
      read_together(from + i, values);
    }
  };
  static void take(int thread, Shared& shared) {
    const int slot = thread / kParts;
    const int groups = shared.counts[slot] / kRowLanes;
    if (groups == 0) return;
    shared.parts[thread] =
        reduce_lanes<How, kOwn, 8, T>(Elements{shared.elements + slot * kPitch}, thread % kParts * kOwn, groups);
  }
  static void join_parts(int thread, Shared& shared) {
    if (thread >= kSlots) return;
    const int count = shared.counts[thread];
    if (count == 0) return;
    T values[kParts];
    TESSERA_UNROLL
    for (int k = 0; k < kParts; ++k) values[k] = shared.parts[thread * kParts + k];
    meet_in_pairs<How>(values);
    const int rest = count % kRowLanes;
    RowRest<T> last;
    if (rest > 0) take_rest(Elements{shared.elements + thread * kPitch}, count - rest, rest, last);
    shared.all.blocks[thread] = rest == 0 ? values[0] : with_rest<How>(count >= kRowLanes, values[0], last, rest);
  }
};

}  // namespace tessera::kernel
