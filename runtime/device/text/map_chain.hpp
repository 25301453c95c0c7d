// Elementwise steps that are taken together. `Chain` is written for them (write/map_text.hpp):
//
//     static constexpr int kWords, kSide, kRounds;   of a table's row; elements side by side; how often a thread takes
//     so many struct In;                                     what a thread reads for them static void read(const
//     TableRow&, std::uint32_t position, In&); static void write(const TableRow&, std::uint32_t position, const In&,
//     const Fault&);
//
// A row of the table is of a tile, of less than 2^31 elements: {first block, elements, ...}.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/fault.hpp"
#include "runtime/device/text/several.hpp"

namespace tessera::kernel {

template <class Chain, bool single>
struct MapChain : OnePhase<256> {
  struct Args {
    ChainTable<Chain::kWords, single> table;
    Fault fault;
  };

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    constexpr std::uint32_t kStep = kThreads * Chain::kSide;
    const TableRow row = args.table.row_of(at.block);
    if constexpr (Chain::kMayFail) {
      if (has_failed_before(args.fault)) return;
    }
    const auto count = static_cast<std::uint32_t>(row[1]);
    const auto block = static_cast<std::uint32_t>(at.block - row[0]);
    const std::uint32_t first = block * (kStep * Chain::kRounds) + static_cast<std::uint32_t>(at.thread * Chain::kSide);
    typename Chain::In in[Chain::kRounds];
    if (first + (Chain::kRounds - 1) * kStep < count) {
      take<false>(row, first, count, in, args.fault);
    } else {
      take<true>(row, first, count, in, args.fault);
    }
  }

 private:
  template <bool guarded>
  static void take(const TableRow& row, std::uint32_t first, std::uint32_t count, typename Chain::In* in,
                   const Fault& fault) {
    constexpr std::uint32_t kStep = kThreads * Chain::kSide;
    TESSERA_UNROLL
    for (int i = 0; i < Chain::kRounds; ++i) {
      const std::uint32_t at = first + static_cast<std::uint32_t>(i) * kStep;
      if (!guarded || at < count) Chain::read(row, at, in[i]);
    }
    TESSERA_UNROLL
    for (int i = 0; i < Chain::kRounds; ++i) {
      const std::uint32_t at = first + static_cast<std::uint32_t>(i) * kStep;
      if (!guarded || at < count) Chain::write(row, at, in[i], fault);
    }
  }
};

}  // namespace tessera::kernel
