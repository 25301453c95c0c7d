// A pool gives memory to arenas. Its pages are committed when they are first touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tessera::runtime {

class Engine;

class Pool {
 public:
  virtual ~Pool() = default;
  // Whole pages; nothing if there is no room. What they hold is unknown. Any thread may call these.
  virtual std::byte* take(std::int64_t bytes) = 0;
  // Takes a range back, exactly as it was given.
  virtual void give_back(std::byte* begin, std::int64_t bytes) = 0;
  // Takes back whole pages of a range that are not needed any more; their contents are lost. True if the pool has taken
  // back the addresses, too: then the rest of the range is given back without them. False if they stay taken.
  virtual bool give_back_early(std::byte* begin, std::int64_t bytes) = 0;
  // The engine that alone can look into this memory; none: it is the host's.
  virtual std::shared_ptr<Engine> engine() const { return nullptr; }
};

}  // namespace tessera::runtime
