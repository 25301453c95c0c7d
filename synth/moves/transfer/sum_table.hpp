// Private to synth: the contributions that every member of a group has of every chunk while a reduction program is
// followed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::synth {

// The members whose contributions a value has, a bit for each.
using Sums = std::span<const std::uint64_t>;
using OwnSums = std::vector<std::uint64_t>;

// Adds `more`; false if a contribution is there already.
inline bool add(OwnSums& sums, Sums more) {
  bool disjoint = true;
  for (std::size_t word = 0; word < sums.size(); ++word) {
    disjoint = disjoint && (sums[word] & more[word]) == 0;
    sums[word] |= more[word];
  }
  return disjoint;
}
inline bool contains(Sums sums, Sums part) {
  for (std::size_t word = 0; word < sums.size(); ++word) {
    if ((part[word] & ~sums[word]) != 0) return false;
  }
  return true;
}
inline bool are_equal(Sums a, Sums b) { return std::equal(a.begin(), a.end(), b.begin()); }

// The sums that every member has of every chunk; in one piece, because there may be hundreds of both.
class SumTable {
 public:
  explicit SumTable(std::int64_t members)
      : members_(static_cast<std::size_t>(members)),
        words_((members_ + 63) / 64),
        bits_(members_ * members_ * words_, 0),
        held_(members_ * members_, 0) {}

  std::size_t words() const { return words_; }
  Sums of(std::int32_t member, std::int32_t chunk) const { return {bits_.data() + at(member, chunk) * words_, words_}; }
  bool is_held(std::int32_t member, std::int32_t chunk) const { return held_[at(member, chunk)] != 0; }

  void put(std::int32_t member, std::int32_t chunk, Sums sums) {
    const std::size_t here = at(member, chunk);
    held_[here] = 1;
    std::copy(sums.begin(), sums.end(), bits_.begin() + static_cast<std::ptrdiff_t>(here * words_));
  }
  void drop(std::int32_t member, std::int32_t chunk) {
    const std::size_t here = at(member, chunk);
    held_[here] = 0;
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(here * words_), words_, 0);
  }

 private:
  std::size_t at(std::int32_t member, std::int32_t chunk) const {
    return static_cast<std::size_t>(member) * members_ + static_cast<std::size_t>(chunk);
  }

  std::size_t members_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<char> held_;
};

}  // namespace tessera::synth
