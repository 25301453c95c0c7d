// Where the greatest (least) element of each line is: the first of equals, and no number before all. Since of two
// elements it is known which one comes first, they may meet in any order.
//
// Example: of 2 at position 5 and 2 at position 3 the latter is the greatest, in either order; NaN at 7 comes before
// both; where a thread has found nothing, with a position below 0, the other's counts.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/reduce_tile.hpp"
#include "runtime/device/text/row_reduction.hpp"
#include "runtime/device/text/rows.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

// `units` of own neighbouring lines are found side by side, 2^units_log of them by a block of threads; of lines that
// lie densely, one. A line is cut in stretches.
struct ArgTile {
  std::int64_t first_block;
  std::uint64_t from;
  std::uint64_t to;  // positions; result r of stretch s goes to number s * results + r
  std::int64_t results;
  std::int64_t length;          // of a line
  std::int64_t stretch;         // elements of a stretch, a multiple of own
  std::int64_t unit_stride;     // in elements
  std::int64_t element_stride;  // along a line that lies evenly
  std::int32_t units;           // of a group of lines
  std::int32_t units_log;       // of lines in rows: of how many rows a block of threads has
  Divisor stretches, strips;
  ReduceWalk kept, reduced;
};

template <class T>
struct Candidate {
  T value;
  std::int64_t position;  // negative: none
};

template <bool max, class T>
struct BetterCandidate {
  static bool beats(T candidate, T best) {
    if constexpr (runtime::Float<T>)
      return !(max ? candidate <= best : candidate >= best) && best == best;
    else
      return max ? candidate > best : candidate < best;
  }
  // Member by member: a choice between places keeps compilers for GPUs busy without end.
  static Candidate<T> combine(Candidate<T> a, Candidate<T> b) {
    const bool is_same = !beats(b.value, a.value) && !beats(a.value, b.value);
    const bool is_second = is_same ? b.position < a.position : beats(b.value, a.value);
    const bool takes_second = b.position >= 0 && (a.position < 0 || is_second);
    return {takes_second ? b.value : a.value, takes_second ? b.position : a.position};
  }
  static void take(Candidate<T>& best, T value, std::int64_t position) {
    const bool is_better = best.position < 0 || beats(value, best.value);
    best.value = is_better ? value : best.value;
    best.position = is_better ? position : best.position;
  }
};

// Lines that lie densely, in runs of `own` elements: 2^(8 - units_log) threads for a line.
template <bool max, class T, int own>
struct ArgRows {
  using Better = BetterCandidate<max, T>;
  struct Args {
    Table tiles;
  };
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 5;
  static constexpr int kAtOnce = 4;
  struct Shared {
    Candidate<T> best[512];
  };
  struct Own {};
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own&) {
    const auto& tile = row_of_block<ArgTile>(args.tiles, at.block);
    const int lanes = kThreads >> tile.units_log;
    auto number = static_cast<std::uint32_t>(at.block - tile.first_block);
    const std::int64_t stretch = divide(number, tile.stretches);
    const std::int64_t first = std::int64_t{number} << tile.units_log;
    if constexpr (phase == 0) {
      const std::int64_t line = first + at.thread / lanes;
      shared.best[at.thread] = {T{}, -1};
      if (line < tile.results) shared.best[at.thread] = find(tile, line, stretch, at.thread % lanes, lanes);
    } else if constexpr (phase < 4) {
      constexpr int kStep = phase == 1 ? 1 : phase == 2 ? 8 : 64;
      const int eight = at.thread * 8 * kStep;
      if (eight < kThreads) join_eight<Better, kStep>(shared.best, eight, lanes - 1, lanes);
    } else if (at.thread < 1 << tile.units_log && first + at.thread < tile.results) {
      memory<std::int64_t>(tile.to)[stretch * tile.results + first + at.thread] =
          shared.best[at.thread * lanes].position;
    }
  }

 private:
  static void take(Candidate<T>& best, const T (&values)[own], std::int64_t position) {
    TESSERA_UNROLL
    for (int k = 0; k < own; ++k) Better::take(best, values[k], position + k);
  }
  static Candidate<T> find(const ArgTile& tile, std::int64_t line, std::int64_t stretch, int lane, int lanes) {
    const T* const from = memory<const T>(tile.from) + place_along(tile.kept, static_cast<std::uint32_t>(line));
    const std::int64_t begin = stretch * tile.stretch;
    const std::int64_t end = begin + tile.stretch < tile.length ? begin + tile.stretch : tile.length;
    const std::int32_t step = lanes * own;
    Candidate<T> best{T{}, -1};
    std::int64_t i = begin + lane * own;
    for (; i + (kAtOnce - 1) * step < end; i += kAtOnce * step) {
      T values[kAtOnce][own];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) read_together(from + i + k * step, values[k]);
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) take(best, values[k], i + k * step);
    }
    for (; i < end; i += step) {
      T values[own];
      read_together(from + i, values);
      take(best, values, i);
    }
    return best;
  }
};

// Lines that lie in any way, of which `own` lie side by side.
template <bool max, class T, int own, bool even>
struct ArgColumns {
  struct Better {
    struct Unit {
      Candidate<T> at[own];
    };
    static Unit combine(const Unit& a, const Unit& b) {
      Unit unit;
      TESSERA_UNROLL
      for (int k = 0; k < own; ++k) unit.at[k] = BetterCandidate<max, T>::combine(a.at[k], b.at[k]);
      return unit;
    }
  };
  using Unit = typename Better::Unit;
  struct Args {
    Table tiles;
  };
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 5;
  static constexpr int kAtOnce = 4;
  struct Shared {
    Unit best[kThreads];  // those of a unit `1 << units_log` apart
  };
  struct Own {};
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own&) {
    const auto& tile = row_of_block<ArgTile>(args.tiles, at.block);
    auto number = static_cast<std::uint32_t>(at.block - tile.first_block);
    const auto strip = static_cast<std::int32_t>(divide(number, tile.strips));
    const std::int64_t stretch = divide(number, tile.stretches);
    const std::int32_t own_unit = at.thread & ((1 << tile.units_log) - 1);
    const std::int32_t unit = (strip << tile.units_log) + own_unit;
    const int lanes = kThreads >> tile.units_log;
    const int lane = at.thread >> tile.units_log;
    if constexpr (phase == 0) {
      TESSERA_UNROLL
      for (int k = 0; k < own; ++k) shared.best[at.thread].at[k] = {T{}, -1};
      if (unit < tile.units) find(tile, number, unit, stretch, lane, lanes, shared.best[at.thread]);
    } else if constexpr (phase < 4) {
      constexpr int kStep = phase == 1 ? 1 : phase == 2 ? 8 : 64;
      const int first = lane * 8 * kStep;
      if (first < lanes) join_apart<Better, kStep>(shared.best + own_unit, tile.units_log, first, lanes);
    } else if (lane == 0 && unit < tile.units) {
      auto* const to =
          memory<std::int64_t>(tile.to) + stretch * tile.results + (std::int64_t{number} * tile.units + unit) * own;
      TESSERA_UNROLL
      for (int k = 0; k < own; ++k) to[k] = shared.best[at.thread].at[k].position;
    }
  }

 private:
  static std::int64_t place(const ArgTile& tile, std::int64_t position) {
    return even ? position * tile.element_stride : place_along(tile.reduced, static_cast<std::uint32_t>(position));
  }
  static void take(Unit& best, const T (&values)[own], std::int64_t position) {
    TESSERA_UNROLL
    for (int k = 0; k < own; ++k) BetterCandidate<max, T>::take(best.at[k], values[k], position);
  }
  static void find(const ArgTile& tile, std::uint32_t group, std::int32_t unit, std::int64_t stretch, int lane,
                   int lanes, Unit& found) {
    const T* const from = memory<const T>(tile.from) + place_along(tile.kept, group) + unit * tile.unit_stride;
    const std::int64_t begin = stretch * tile.stretch;
    const std::int64_t end = begin + tile.stretch < tile.length ? begin + tile.stretch : tile.length;
    Unit best = found;
    std::int64_t i = begin + lane;
    for (; i + (kAtOnce - 1) * lanes < end; i += kAtOnce * lanes) {
      T values[kAtOnce][own];
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) read_together(from + place(tile, i + k * lanes), values[k]);
      TESSERA_UNROLL
      for (int k = 0; k < kAtOnce; ++k) take(best, values[k], i + k * lanes);
    }
    for (; i < end; i += lanes) {
      T values[own];
      read_together(from + place(tile, i), values);
      take(best, values, i);
    }
    found = best;
  }
};

}  // namespace tessera::kernel
