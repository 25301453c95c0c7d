// Values joined in pairs of equal size, like a binary counter: how floats are added up wherever there are many of them.
// Sequences are cut in stretches, which leave such a join as one value each, so they may be reduced apart (in parallel)
// without changing the order; only a round of them is remembered at a time, however long the sequences are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/packs.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce_blocks.hpp"

namespace tessera::runtime {

// Elements of a stretch: whole blocks, a power of two of them.
inline constexpr std::int64_t kReduceStretch = kReduceBlock * 1024;

// Level l holds the join of 2^l values. `combine` joins two, the earlier first.
template <class T>
class PairwiseJoin {
 public:
  template <class F>
  void push(T value, const F& combine) {
    std::size_t level = 0;
    for (std::uint64_t bits = pushed_; (bits & 1U) != 0; bits >>= 1U, ++level) value = combine(levels_[level], value);
    levels_[level] = value;
    ++pushed_;
  }
  // The levels in use, oldest (highest) outermost.
  template <class F>
  T join(T identity, const F& combine) const {
    T value = identity;
    bool any = false;
    for (std::size_t level = 0; pushed_ >> level != 0; ++level) {
      if ((pushed_ >> level & 1U) == 0) continue;
      value = any ? combine(levels_[level], value) : levels_[level];
      any = true;
    }
    return value;
  }

 private:
  std::array<T, 63> levels_;  // those that `pushed_` names are in use
  std::uint64_t pushed_ = 0;
};

// Reduces n >= kReduceLanes elements, all whole groups of so many; lane k has those at k, k + kReduceLanes, ...
template <class How, Float T>
std::array<T, kReduceLanes> reduce_to_lanes(const T* x, std::int64_t n) {
  Lanes<T, kReduceLanes> lanes(x);
  for (std::int64_t i = kReduceLanes; i + kReduceLanes <= n; i += kReduceLanes) lanes.template combine<How>(x + i);
  return lanes.values();
}

// n > 0 elements, of floats a block at most: eight lanes, which meet in pairs, then what is left over.
template <class How, class T>
T reduce_block(const T* x, std::int64_t n) {
  T value = x[0];
  if constexpr (Float<T>) {
    std::int64_t i = 1;
    if (n >= kReduceLanes) {
      std::array<T, kReduceLanes> lanes = reduce_to_lanes<How>(x, n);
      for (std::int64_t width = 1; width < kReduceLanes; width *= 2) {
        for (std::int64_t k = 0; k < kReduceLanes; k += 2 * width) lanes[k] = How::combine(lanes[k], lanes[k + width]);
      }
      value = lanes[0];
      i = n / kReduceLanes * kReduceLanes;
    }
    for (; i < n; ++i) value = How::combine(value, x[i]);
  } else {
    exact_reduction<T>(How::of_kind)(x, n, &value);
  }
  return value;
}

// Blocks of n elements side by side, the last of which may be shorter.
template <class How, class T>
void push_blocks(PairwiseJoin<T>& cascade, const T* x, std::int64_t n) {
  std::int64_t at = 0;
  if constexpr (Float<T>) {
    constexpr std::int64_t kAtOnce = 64;
    std::array<T, kAtOnce> some;
    const BlocksFunction<T> function = blocks_function<T>(How::of_kind);
    for (std::int64_t blocks = n / kReduceBlock; blocks > 0; blocks -= kAtOnce) {
      const std::int64_t now = std::min(kAtOnce, blocks);
      function(some.data(), now, x + at);
      for (std::int64_t b = 0; b < now; ++b) cascade.push(some[static_cast<std::size_t>(b)], How::combine);
      at += now * kReduceBlock;
    }
  }
  if (at < n) cascade.push(reduce_block<How, T>(x + at, n - at), How::combine);
}

// How sequences are cut: each into so many stretches, which give `width` values (for as many results) each.
struct Stretches {
  std::int64_t sequences, stretches, width;
};

// part(sequence, stretch, to) gives the values of a stretch; done(sequence, values) takes what a sequence's give
// joined.
template <class T, class Joined, class Part, class Done>
void reduce_in_stretches(const Stretches& cut, T identity, const Joined& combine, const Part& part, const Done& done) {
  constexpr std::int64_t kRound = 4096;
  const std::int64_t items = cut.sequences * cut.stretches;
  const auto width = static_cast<std::size_t>(cut.width);
  const auto parts = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(std::min(items, kRound)) * width);
  std::vector<PairwiseJoin<T>> joins(width);
  const auto values = std::make_unique<T[]>(width);
  for (std::int64_t first = 0; first < items && !is_given_up(); first += kRound) {
    const std::int64_t n = std::min(kRound, items - first);
    parallel_each(n, [&](std::int64_t i) {
      part((first + i) / cut.stretches, (first + i) % cut.stretches, parts.get() + i * cut.width);
    });
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::size_t w = 0; w < width; ++w) joins[w].push(parts[static_cast<std::size_t>(i) * width + w], combine);
      if ((first + i + 1) % cut.stretches != 0) continue;
      for (std::size_t w = 0; w < width; ++w) values[w] = std::exchange(joins[w], {}).join(identity, combine);
      done((first + i) / cut.stretches, values.get());
    }
  }
}

}  // namespace tessera::runtime
