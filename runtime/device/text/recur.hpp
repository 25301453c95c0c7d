// Recurrences, y[i] = a[i] * y[i-1] + b[i], along lines that are whole.
//
// A thread goes along a line, one position after the other, as kernels/recur.cpp does. What lies in rows comes through
// shared memory, in strips.
//
// Example: of 3 x 40 values along the rows, a block has three lines, and goes along them in strips of 16, 16 and 8.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/device/text/walk.hpp"
#include "runtime/elements/running.hpp"

namespace tessera::kernel {

struct RecurTile {
  std::uint64_t a = 0;  // of the first line's first position, in the direction of the recurrence
  std::uint64_t b = 0;
  std::uint64_t y = 0;
  std::int64_t first_block = 0;
  std::int64_t lines = 0;
  std::int64_t length = 0;
  std::int64_t a_step = 0;  // along a line; 0 where it repeats
  std::int64_t b_step = 0;
  std::int64_t y_step = 0;
  Walk<3> line_walk;  // of the three arrays
};
struct RecurArgs {
  std::uint64_t tiles;
  std::int64_t tile_count;
};

// `by_lines`: neighbouring threads' lines lie side by side.
template <class T, bool by_lines>
struct RunRecurrence {
  using Args = RecurArgs;
  static constexpr int kThreads = 64;
  static constexpr int kPhases = by_lines ? 1 : 3;
  static constexpr int kStrip = 16;
  struct Strips {
    std::int64_t a[kThreads];
    std::int64_t b[kThreads];
    std::int64_t y[kThreads];
    T factors[kThreads][kStrip + 1];
    T values[kThreads][kStrip + 1];  // those of b, which become those of y
  };
  struct Nothing {};
  using Shared = std::conditional_t<by_lines, Nothing, Strips>;
  struct Own {
    const RecurTile* tile;
    std::int64_t line;
    std::int64_t a, b, y;
    T last;
  };

  static const RecurTile& tile_of(const Args& args, std::int64_t block) {
    const auto* tiles = memory<const RecurTile>(args.tiles);
    return tiles[row_of(tiles, static_cast<int>(args.tile_count), block)];
  }
  static std::int64_t turns(const Args& args, std::int64_t block) {
    return by_lines ? 1 : (tile_of(args, block).length + kStrip - 1) / kStrip + 1;
  }

  // In turn 0 lines are found; then one strip after the other is read, gone along, and written.
  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if (phase == 0 && at.turn == 0) find(own, tile_of(args, at.block), at);
    if constexpr (by_lines) {
      if (own.line < own.tile->lines) run_alone(own);
    } else if (at.turn == 0) {
      if (phase == 0) tell(own, at.thread, shared);
    } else {
      const std::int64_t begin = (at.turn - 1) * kStrip;
      if constexpr (phase == 0)
        move<true>(own, at.thread, begin, shared);
      else if constexpr (phase == 1)
        run_strip(own, at.thread, begin, shared);
      else
        move<false>(own, at.thread, begin, shared);
    }
  }

 private:
  static void find(Own& own, const RecurTile& tile, At at) {
    own.tile = &tile;
    own.line = (at.block - tile.first_block) * kThreads + at.thread;
    if (own.line >= tile.lines) return;
    const Places<3> line = places(tile.line_walk, own.line);
    own.a = line.at[0];
    own.b = line.at[1];
    own.y = line.at[2];
  }

  static void run_alone(const Own& own) {
    const RecurTile& tile = *own.tile;
    const T* const a = memory<const T>(tile.a) + own.a;
    const T* const b = memory<const T>(tile.b) + own.b;
    T* const y = memory<T>(tile.y) + own.y;
    constexpr int kAtOnce = 8;
    T last = b[0];
    y[0] = last;
    std::int64_t i = 1;
    for (; i + kAtOnce <= tile.length; i += kAtOnce) {
      T factors[kAtOnce];
      T values[kAtOnce];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        factors[k] = a[(i + k) * tile.a_step];
        values[k] = b[(i + k) * tile.b_step];
      }
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        last = runtime::next_of(factors[k], last, values[k]);
        y[(i + k) * tile.y_step] = last;
      }
    }
    TESSERA_ROLLED
    for (; i < tile.length; ++i) {
      last = runtime::next_of(a[i * tile.a_step], last, b[i * tile.b_step]);
      y[i * tile.y_step] = last;
    }
  }

  static void tell(const Own& own, int thread, Strips& shared) {
    shared.a[thread] = own.a;
    shared.b[thread] = own.b;
    shared.y[thread] = own.y;
  }
  // Neighbouring threads read or write neighbouring positions.
  template <bool reads>
  static void move(const Own& own, int thread, std::int64_t begin, Strips& shared) {
    constexpr int kAtOnce = kThreads / kStrip;
    const RecurTile& tile = *own.tile;
    const std::int64_t position = begin + thread % kStrip;
    if (position >= tile.length) return;
    TESSERA_UNROLL
    for (int r = 0; r < kThreads; r += kAtOnce) {
      const int line = r + thread / kStrip;
      if (own.line - thread + line >= tile.lines) continue;
      T& value = shared.values[line][thread % kStrip];
      if constexpr (reads) {
        shared.factors[line][thread % kStrip] = memory<const T>(tile.a)[shared.a[line] + position * tile.a_step];
        value = memory<const T>(tile.b)[shared.b[line] + position * tile.b_step];
      } else {
        memory<T>(tile.y)[shared.y[line] + position * tile.y_step] = value;
      }
    }
  }
  static void run_strip(Own& own, int thread, std::int64_t begin, Strips& shared) {
    if (own.line >= own.tile->lines) return;
    const std::int64_t left = own.tile->length - begin;
    const int count = left < kStrip ? static_cast<int>(left) : kStrip;
    T last = own.last;
    for (int i = 0; i < count; ++i) {
      T& value = shared.values[thread][i];
      last = begin + i == 0 ? value : runtime::next_of(shared.factors[thread][i], last, value);
      value = last;
    }
    own.last = last;
  }
};

}  // namespace tessera::kernel
