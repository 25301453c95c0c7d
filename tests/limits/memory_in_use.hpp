// The memory that a piece of work takes from the heap, at most.
#pragma once

#include <cstdint>

namespace tessera::limits {

// Counts from its beginning on, in all threads; one at a time.
class MemoryInUse {
 public:
  MemoryInUse();
  MemoryInUse(const MemoryInUse&) = delete;
  MemoryInUse& operator=(const MemoryInUse&) = delete;

  // The most that was in use at once, beyond what was when this began.
  std::int64_t most() const;

 private:
  std::int64_t before_;
};

}  // namespace tessera::limits
