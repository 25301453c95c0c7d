// The index of a loop, counted up where it lies, so that every turn launches the same.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"

namespace tessera::kernel {

// One block. The counter becomes `value`, or one more than it was, and so do all places.
struct Count {
  struct Args {
    std::uint64_t counter;
    std::uint64_t places;  // addresses
    std::int64_t count;    // of places
    std::int64_t value;
    std::int64_t is_set;
  };
  struct Shared {
    std::int64_t value;
  };
  struct Own {};
  static constexpr int kThreads = 128;
  static constexpr int kPhases = 2;
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own&) {
    if constexpr (phase == 0) {
      if (at.thread != 0) return;
      std::int64_t* const counter = memory<std::int64_t>(args.counter);
      shared.value = args.is_set != 0 ? args.value : *counter + 1;
      *counter = shared.value;
    } else {
      const std::uint64_t* const places = memory<std::uint64_t>(args.places);
      for (std::int64_t i = at.thread; i < args.count; i += kThreads) *memory<std::int64_t>(places[i]) = shared.value;
    }
  }
};

}  // namespace tessera::kernel
