// Offsets handed out and taken back; the lowest that fits first.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

// Sizes are rounded up to the alignment; every offset is a multiple of it.
class FreeList {
 public:
  std::int64_t take(std::int64_t bytes) {
    const std::int64_t size = aligned(bytes);
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < size) continue;
      const auto [begin, room] = *gap;
      gaps_.erase(gap);
      if (room > size) gaps_.emplace(add_bytes(begin, size), room - size);
      return begin;
    }
    const std::int64_t begin = end_;
    end_ = add_bytes(end_, size);
    return begin;
  }

  void give_back(std::int64_t begin, std::int64_t bytes) {
    std::int64_t size = aligned(bytes);
    if (size == 0) return;
    auto after = gaps_.lower_bound(begin);
    if (after != gaps_.end() && after->first == add_bytes(begin, size)) {
      size = add_bytes(size, after->second);
      after = gaps_.erase(after);
    }
    if (after != gaps_.begin()) {
      const auto before = std::prev(after);
      if (add_bytes(before->first, before->second) == begin) {
        before->second = add_bytes(before->second, size);
        return;
      }
    }
    gaps_.emplace(begin, size);
  }

 private:
  std::map<std::int64_t, std::int64_t> gaps_;  // begin, size; no two touch
  std::int64_t end_ = 0;
};

}  // namespace tessera::runtime
