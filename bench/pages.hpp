// Memory for yardsticks, from where a session's arrays have theirs: the same sizes of pages, or ratios would flatter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "runtime/memory/arena.hpp"

namespace tessera::bench {

// `size` elements, all `value`.
template <class T>
class Pages {
 public:
  explicit Pages(std::size_t size, T value = T{}) : size_(size) {
    const std::array<std::int64_t, 1> bytes = {static_cast<std::int64_t>(size * sizeof(T))};
    arena_ = runtime::Arena::reserve(bytes).value();
    std::fill_n(data(), size_, value);
  }
  T* data() const { return reinterpret_cast<T*>(arena_->part(0)); }
  std::size_t size() const { return size_; }
  T operator[](std::size_t i) const { return data()[i]; }

 private:
  std::size_t size_;
  std::shared_ptr<runtime::Arena> arena_;
};

}  // namespace tessera::bench
