// Floats of 32 bits that came from 16 bits, as these again: nothing is rounded.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "synth/layout/halves.hpp"

namespace tessera::kernel {

// Eight elements a thread, from aligned memory to aligned memory; the last ones one by one.
template <bool is_brain>
struct Narrow : OnePhase<256> {
  struct Args {
    std::uint64_t from;
    std::uint64_t to;
    std::int64_t count;
  };
  static constexpr int kEach = 8;

  struct alignas(16) Singles {
    float values[4];
  };
  struct alignas(16) Halves {
    std::uint16_t values[kEach];
  };
  static std::uint16_t narrowed(float value) {
    if constexpr (is_brain) {
      return synth::bf16_of_f32(value);
    } else {
      return synth::f16_of_f32(value);
    }
  }

  template <int phase>
  static void run(const Args& args, const At& at, Shared&, Own&) {
    const std::int64_t first = (at.block * kThreads + at.thread) * kEach;
    if (first + kEach <= args.count) {
      const Singles low = memory<const Singles>(args.from)[first / 4];
      const Singles high = memory<const Singles>(args.from)[first / 4 + 1];
      Halves halves;
      TESSERA_UNROLL
      for (int i = 0; i < 4; ++i) {
        halves.values[i] = narrowed(low.values[i]);
        halves.values[i + 4] = narrowed(high.values[i]);
      }
      memory<Halves>(args.to)[first / kEach] = halves;
    } else {
      for (std::int64_t i = first; i < args.count; ++i) {
        memory<std::uint16_t>(args.to)[i] = narrowed(memory<const float>(args.from)[i]);
      }
    }
  }
};

}  // namespace tessera::kernel
