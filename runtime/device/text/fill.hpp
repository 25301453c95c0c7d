// Dense runs that one value fills, in units of 1 to 16 bytes.
#pragma once

#include <cstdint>

#include "runtime/device/text/copy.hpp"
#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/rows.hpp"

namespace tessera::kernel {

struct FilledRun {
  std::int64_t first_block;
  std::uint64_t to;
  std::int64_t count;  // of units
};

template <int bytes>
struct FillRuns : OnePhase<256> {
  struct Args {
    Table runs;
    std::uint64_t value;  // again and again, in all 8 bytes
  };
  static constexpr int kEach = 8;

  template <int>
  static void run(const Args& args, const At& at, Shared&, Own&) {
    const FilledRun& run = row_of_block<FilledRun>(args.runs, at.block);
    const std::int64_t first = (at.block - run.first_block) * (kThreads * kEach) + at.thread;
    Unit<bytes>* const to = memory<Unit<bytes>>(run.to) + first;
    const std::int64_t left = run.count - first;
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      if (k * kThreads < left) to[k * kThreads] = unit(args.value);
    }
  }

 private:
  static Unit<bytes> unit(std::uint64_t value) {
    if constexpr (bytes == 16)
      return {value, value};
    else
      return static_cast<Unit<bytes>>(value);
  }
};

}  // namespace tessera::kernel
