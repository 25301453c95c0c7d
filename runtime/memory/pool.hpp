// Where arenas come from. Their pages are committed when they are first touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::runtime {

class Pool {
 public:
  virtual ~Pool() = default;
  // Whole pages; nothing if there is no room. What they hold is unknown. Any thread may call these.
  virtual std::byte* take(std::int64_t bytes) = 0;
  // What was taken, as it was taken.
  virtual void give_back(std::byte* begin, std::int64_t bytes) = 0;
  // Gives whole pages back to the system; what they held is lost, the addresses stay taken.
  virtual void forget(std::byte* begin, std::int64_t bytes) const = 0;
};

}  // namespace tessera::runtime
