// A vector of at most N trivially copyable items, held in place: shapes, boxes and offsets never allocate.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/check.hpp"

namespace tessera::base {

template <class T, std::size_t N>
class FixedVector {
 public:
  FixedVector() = default;
  FixedVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  explicit FixedVector(std::size_t count, T item = T{}) {
    for (std::size_t i = 0; i < count; ++i) push_back(item);
  }
  template <class It>
  FixedVector(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }

  void push_back(T item) {
    TESSERA_CHECK(size_ < N, "a FixedVector is full");
    items_[size_++] = item;
  }
  void pop_back() {
    TESSERA_CHECK(size_ > 0, "pop_back of an empty FixedVector");
    --size_;
  }
  void insert(std::size_t at, T item) {
    push_back(item);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    TESSERA_CHECK(at < size_, "erase past the end of a FixedVector");
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) {
    TESSERA_CHECK(i < size_, "a FixedVector index is out of range");
    return items_[i];
  }
  const T& operator[](std::size_t i) const {
    TESSERA_CHECK(i < size_, "a FixedVector index is out of range");
    return items_[i];
  }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

  friend bool operator==(const FixedVector& a, const FixedVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const FixedVector& a, const FixedVector& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<T, N> items_{};
  std::uint32_t size_ = 0;
};

}  // namespace tessera::base
