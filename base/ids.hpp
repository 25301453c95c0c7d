// Typed 32-bit ids and the stores they index. An id means something only together with the store that gave it out.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace tessera::base {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  constexpr bool valid() const { return value != kNone; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

// Append-only: ids stay good for the life of the store.
template <class T, class IdType>
class Store {
 public:
  IdType add(T item) {
    items_.push_back(std::move(item));
    return IdType{static_cast<std::uint32_t>(items_.size() - 1)};
  }
  const T& operator[](IdType id) const {
    TESSERA_CHECK(id.value < items_.size(), "an id is used with a store it does not belong to");
    return items_[id.value];
  }
  T& operator[](IdType id) {
    TESSERA_CHECK(id.value < items_.size(), "an id is used with a store it does not belong to");
    return items_[id.value];
  }
  std::size_t size() const { return items_.size(); }
  const std::vector<T>& items() const { return items_; }

 private:
  std::vector<T> items_;
};

}  // namespace tessera::base
