// The memory a run's values live in: one range of addresses for all devices of this rank, each device's part aligned to
// 64 bytes. Pages are committed when they are first touched; nothing is filled.
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
  // Room for bytes[d] on each device d; without a pool, in memory that is kept for nobody.
  static base::Result<std::shared_ptr<Arena>> reserve(std::span<const std::int64_t> bytes,
                                                      std::shared_ptr<Pool> pool = nullptr);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* part(std::size_t device) const { return base_ + begins_[device]; }
  std::size_t devices() const { return begins_.size() - 1; }
  std::int64_t bytes() const { return begins_.back(); }
  const std::shared_ptr<Pool>& pool() const { return pool_; }
  // Gives the whole pages inside [begin, begin + bytes) back to the pool; their contents are lost. Any thread may call
  // this.
  void release(const std::byte* begin, std::int64_t bytes) const;
  // The same for everything that lies outside the (disjoint) ranges.
  using Range = std::pair<const std::byte*, std::int64_t>;
  void release_all_but(std::vector<Range> kept) const;

 private:
  Arena(std::byte* base, std::vector<std::int64_t> begins, std::shared_ptr<Pool> pool)
      : base_(base), begins_(std::move(begins)), pool_(std::move(pool)) {}
  std::byte* base_;
  std::vector<std::int64_t> begins_;  // of every device's part, and the end
  std::shared_ptr<Pool> pool_;        // that the range is taken from
  mutable std::mutex mutex_;          // of gone_
  mutable std::vector<Range> gone_;   // disjoint pages that the pool has taken back already
};

// A hold on some ranges of an arena: their pages are given back when the last copy of the returned pointer is gone.
std::shared_ptr<const Arena> lease(std::shared_ptr<const Arena> arena, std::vector<Arena::Range> ranges);

}  // namespace tessera::runtime
