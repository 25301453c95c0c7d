// Ranges of an engine's memory, and the host's memory that stands for them while a step is taken that looks into tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/check.hpp"

namespace tessera::runtime {

class CopiedRanges {
 public:
  struct Range {
    const std::byte* begin = nullptr;
    std::int64_t bytes = 0;
    std::byte* host = nullptr;
  };
  // Disjoint ranges, ascending.
  void set(std::vector<Range> ranges) { ranges_ = std::move(ranges); }

  std::byte* host(const std::byte* address) const {
    std::byte* const found = find(address);
    TESSERA_CHECK(found != nullptr, "a tile is looked into that is not in host memory");
    return found;
  }
  // Null where no range holds the address.
  std::byte* find(const std::byte* address) const {
    const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                       [](const std::byte* a, const Range& r) { return std::less<>{}(a, r.begin); });
    if (next == ranges_.begin()) return nullptr;
    const Range& range = *(next - 1);
    return address - range.begin < range.bytes ? range.host + (address - range.begin) : nullptr;
  }

 private:
  std::vector<Range> ranges_;
};

}  // namespace tessera::runtime
