// A row of elements reduced by the threads of a block, in the order of runtime/kernels/reduce.hpp: blocks of 128
// elements in eight lanes, which meet in pairs; then the blocks meet in pairs of equal size. What is left over at the
// end of a level goes to the next as it is.
//
// A row is anything that gives its elements: `row.template take<n>(i, values)` puts those from i on into T values[n];
// n is the number of a thread's lanes, where i is a multiple of it, or 1. `row.from_on(i)` is the row from there on.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"

namespace tessera::kernel {

inline constexpr int kRowBlock = 128;
inline constexpr int kRowLanes = 8;

// The first of `count` values becomes what all give; count is a power of two.
template <class How, int count, class T>
void meet_in_pairs(T (&values)[count]) {
  TESSERA_UNROLL
  for (int width = 1; width < count; width *= 2) {
    TESSERA_UNROLL
    for (int k = 0; k < count; k += 2 * width) values[k] = How::combine(values[k], values[k + width]);
  }
}

// What `own` lanes of a block, from the row's element `begin` on, give: that element and its own - 1 neighbours, those
// eight behind, and so on, `groups` times. `at_once` of them are on their way together.
template <class How, int own, int at_once, class T, class Row>
T reduce_lanes(const Row& whole, int begin, int groups) {
  const Row row = whole.from_on(begin);
  T lanes[own];
  if (groups == kRowBlock / kRowLanes) {
    TESSERA_UNROLL
    for (int i = 0; i < kRowBlock / kRowLanes; i += at_once) {
      T next[at_once][own];
      TESSERA_UNROLL
      for (int k = 0; k < at_once; ++k) row.template take<own>((i + k) * kRowLanes, next[k]);
      TESSERA_UNROLL
      for (int k = 0; k < at_once; ++k) {
        TESSERA_UNROLL
        for (int l = 0; l < own; ++l) lanes[l] = i + k == 0 ? next[0][l] : How::combine(lanes[l], next[k][l]);
      }
    }
  } else {
    row.template take<own>(0, lanes);
    TESSERA_UNROLL
    for (int i = 1; i < groups; ++i) {
      T next[own];
      row.template take<own>(i * kRowLanes, next);
      TESSERA_UNROLL
      for (int l = 0; l < own; ++l) lanes[l] = How::combine(lanes[l], next[l]);
    }
  }
  meet_in_pairs<How>(lanes);
  return lanes[0];
}

// The elements of a last block that fill no group of eight: `count` of them, less than eight, from `begin` on.
template <class T>
struct RowRest {
  T values[kRowLanes - 1];
};
template <class T, class Row>
void take_rest(const Row& row, int begin, int count, RowRest<T>& rest) {
  TESSERA_UNROLL
  for (int k = 0; k < kRowLanes - 1; ++k) {
    if (k >= count) continue;
    T one[1];
    row.template take<1>(begin + k, one);
    rest.values[k] = one[0];
  }
}
// They come after what the groups give, if there are any.
template <class How, class T>
T with_rest(bool has_groups, T value, const RowRest<T>& rest, int count) {
  if (!has_groups) value = rest.values[0];
  TESSERA_UNROLL
  for (int k = 0; k < kRowLanes - 1; ++k) {
    if (k < count && (has_groups || k > 0)) value = How::combine(value, rest.values[k]);
  }
  return value;
}

// Three levels of a tree over eight values, of which `count` there are (more count as eight): the first becomes what
// they give.
template <class How, class T>
void join_first(T (&values)[8], int count) {
  TESSERA_UNROLL
  for (int width = 1; width < 8; width *= 2) {
    TESSERA_UNROLL
    for (int j = 0; j < 8; j += 2 * width) {
      if (j + width < count) values[j] = How::combine(values[j], values[j + width]);
    }
  }
}

// The same over values[first + j * step], j < 8, of several sequences: each has `count` values and begins where a
// number has none of the bits of `mask`, which is one less than a power of two.
template <class How, int step, class T>
void join_eight(T* values, int first, int mask, int count) {
  T eight[8];
  TESSERA_UNROLL
  for (int j = 0; j < 8; ++j) eight[j] = values[first + j * step];
  TESSERA_UNROLL
  for (int width = 1; width < 8; width *= 2) {
    TESSERA_UNROLL
    for (int j = 0; j < 8; j += 2 * width) {
      const int number = (first + j * step) & mask;
      if (number + width * step < count) eight[j] = How::combine(eight[j], eight[j + width]);
    }
  }
  TESSERA_UNROLL
  for (int j = 0; j < 8; j += 2) values[first + j * step] = eight[j];
}

// Of one sequence of `count` values, the number n at values[n << apart]: those from `first` on, `step` apart, are
// joined.
template <class How, int step, class T>
void join_apart(T* values, int apart, int first, int count) {
  T eight[8];
  TESSERA_UNROLL
  for (int j = 0; j < 8; ++j) {
    const int number = first + j * step;
    eight[j] = values[(number < count ? number : first) << apart];
  }
  const int left = (count - first + step - 1) / step;
  join_first<How>(eight, left);
  values[first << apart] = eight[0];
}

}  // namespace tessera::kernel
