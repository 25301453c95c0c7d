// The memory a run's values live in: one range of addresses for all devices of this rank, or for each place that its
// devices are dealt to; parts of a range are aligned to 64 bytes. Pages are committed when they are first touched;
// nothing is filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/memory/pool.hpp"

namespace tessera::runtime {

class Arena {
 public:
  // Parts of so many bytes, one behind the other; without a pool, in memory that is kept for nobody.
  static base::Result<std::shared_ptr<Arena>> reserve(std::span<const std::int64_t> bytes,
                                                      std::shared_ptr<Pool> pool = nullptr);
  // Parts of so many bytes, each from the pool of its number.
  static base::Result<std::shared_ptr<Arena>> reserve(std::span<const std::int64_t> bytes,
                                                      std::span<const std::shared_ptr<Pool>> pools);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* part(std::size_t number) const { return parts_[number]; }
  std::size_t parts() const { return parts_.size(); }
  // Where the first part comes from; and all, where each has its own.
  const std::shared_ptr<Pool>& pool() const { return taken_.front().pool; }
  std::vector<std::shared_ptr<Pool>> pools() const;
  // Gives the whole pages inside [begin, begin + bytes) back to the pool; their contents are lost. Any thread may call
  // this.
  void release(const std::byte* begin, std::int64_t bytes) const;
  // The same for everything that lies outside the (disjoint) ranges.
  using Range = std::pair<const std::byte*, std::int64_t>;
  void release_all_but(std::vector<Range> kept) const;

 private:
  // A range that a pool has given; parts take `used` bytes of it.
  struct Taken {
    std::byte* begin = nullptr;
    std::int64_t bytes = 0;
    std::int64_t used = 0;
    std::shared_ptr<Pool> pool;
  };
  Arena() = default;
  base::Status take(std::int64_t bytes, std::shared_ptr<Pool> pool);
  void release_in(const Taken& taken, const std::byte* begin, std::int64_t bytes) const;

  std::vector<Taken> taken_;
  std::vector<std::byte*> parts_;
  mutable std::mutex mutex_;         // of gone_
  mutable std::vector<Range> gone_;  // disjoint pages that their pool has taken back already
};

// A hold on some ranges of an arena: their pages are given back when the last copy of the returned pointer is gone.
std::shared_ptr<const Arena> lease(std::shared_ptr<const Arena> arena, std::vector<Arena::Range> ranges);

}  // namespace tessera::runtime
