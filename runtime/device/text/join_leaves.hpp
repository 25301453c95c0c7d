// What stretches of rows or of columns gave, joined in pairs of equal size: up to 64 of a result by a thread, where
// results are many, or up to 2,048 by a block of threads.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/division.hpp"
#include "runtime/device/text/row_reduction.hpp"
#include "runtime/device/text/rows.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

// Leaf l of result r has the number l * results + r, and so has what 64, or 2,048, leaves give.
struct LeavesTile {
  std::int64_t first_block;
  std::uint64_t from, to;
  std::int64_t results;
  std::int64_t leaves;
};

template <synth::ReduceKind kind, class T>
struct JoinLeaves : OnePhase<128> {
  using How = runtime::Combine<kind, T>;
  struct Args {
    Table tiles;
  };
  static constexpr int kLeaves = 64;

  template <int>
  static void run(const Args& args, const At& at, Shared&, Own&) {
    const auto& tile = row_of_block<LeavesTile>(args.tiles, at.block);
    // Blocks of threads are numbered through the results, and then through groups of leaves.
    const auto strips = static_cast<std::uint32_t>((tile.results + kThreads - 1) / kThreads);
    const auto number = static_cast<std::uint32_t>(at.block - tile.first_block);
    const std::int64_t group = number / strips;
    const std::int64_t result = std::int64_t{number % strips} * kThreads + at.thread;
    if (result >= tile.results) return;
    const std::int64_t left = tile.leaves - group * kLeaves;
    const T* const from = memory<const T>(tile.from) + group * kLeaves * tile.results + result;
    memory<T>(tile.to)[group * tile.results + result] =
        joined(from, tile.results, left < kLeaves ? static_cast<int>(left) : kLeaves);
  }

 private:
  static T joined(const T* from, std::int64_t step, int count) {
    T groups[8];
    TESSERA_UNROLL
    for (int g = 0; g < 8; ++g) {
      if (g * 8 >= count) continue;
      T eight[8];
      TESSERA_UNROLL
      for (int j = 0; j < 8; ++j) {
        const int number = g * 8 + j;
        eight[j] = from[(number < count ? number : count - 1) * step];
      }
      join_first<How>(eight, count - g * 8);
      groups[g] = eight[0];
    }
    join_first<How>(groups, (count + 7) / 8);
    return groups[0];
  }
};

template <synth::ReduceKind kind, class T>
struct JoinManyLeaves {
  using How = runtime::Combine<kind, T>;
  struct Args {
    Table tiles;
  };
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 5;
  static constexpr int kLeaves = 8 * kThreads;
  struct Shared {
    T eights[kThreads];
  };
  struct Own {};
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  // Blocks of threads are numbered through the results, and then through groups of leaves.
  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own&) {
    const auto& tile = row_of_block<LeavesTile>(args.tiles, at.block);
    const auto number = static_cast<std::uint32_t>(at.block - tile.first_block);
    const std::int64_t group = number / static_cast<std::uint32_t>(tile.results);
    const std::int64_t result = number % static_cast<std::uint32_t>(tile.results);
    const std::int64_t left = tile.leaves - group * kLeaves;
    const int count = left < kLeaves ? static_cast<int>(left) : kLeaves;
    const int eights = (count + 7) / 8;
    if constexpr (phase == 0) {
      const T* const from = memory<const T>(tile.from) + group * kLeaves * tile.results + result;
      if (at.thread < eights) shared.eights[at.thread] = joined(from, tile.results, at.thread * 8, count);
    } else if constexpr (phase < 4) {
      constexpr int kStep = phase == 1 ? 1 : phase == 2 ? 8 : 64;
      const int first = at.thread * 8 * kStep;
      if (first < eights) join_apart<How, kStep>(shared.eights, 0, first, eights);
    } else if (at.thread == 0) {
      memory<T>(tile.to)[group * tile.results + result] = shared.eights[0];
    }
  }

 private:
  static T joined(const T* from, std::int64_t step, int first, int count) {
    T eight[8];
    TESSERA_UNROLL
    for (int j = 0; j < 8; ++j) eight[j] = from[(first + j < count ? first + j : first) * step];
    join_first<How>(eight, count - first);
    return eight[0];
  }
};

}  // namespace tessera::kernel
