// Loop nests over several arrays with strides: dimensions merged where all arrays allow it, then walked as runs of the
// innermost dimension.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

template <std::size_t N>
using Offsets = std::array<std::int64_t, N>;

// Rank is at least 1; the innermost dimension is the last. `count` elements in all, in row-major order of the shape the
// nest was made for.
template <std::size_t N>
struct Nest {
  std::size_t rank = 0;
  std::int64_t count = 1;
  std::array<std::int64_t, synth::kRankMax + 1> extents{};
  std::array<Offsets<N>, synth::kRankMax + 1> strides{};

  const Offsets<N>& inner_strides() const { return strides[rank - 1]; }
};

template <std::size_t N>
Nest<N> make_nest(const synth::Shape& shape, const std::array<synth::Shape, N>& strides) {
  Nest<N> nest;
  nest.count = count(shape);
  const auto add = [&](std::int64_t extent, const Offsets<N>& steps) {
    bool merges = nest.rank > 0;
    for (std::size_t k = 0; merges && k < N; ++k) merges = nest.strides[nest.rank - 1][k] == steps[k] * extent;
    if (!merges) nest.extents[nest.rank++] = 1;
    nest.extents[nest.rank - 1] *= extent;
    nest.strides[nest.rank - 1] = steps;
  };
  for (std::size_t d = 0; nest.count > 0 && d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    Offsets<N> steps{};
    for (std::size_t k = 0; k < N; ++k) steps[k] = strides[k][d];
    add(shape[d], steps);
  }
  if (nest.rank == 0) nest.extents[nest.rank++] = nest.count;
  return nest;
}

// Calls f(position, offsets, n) for the runs that make up positions [begin, end): n elements from `position` on lie
// along the innermost dimension, the first of them at offsets[k] in array k.
template <std::size_t N, class F>
void for_runs(const Nest<N>& nest, std::int64_t begin, std::int64_t end, F&& f) {
  if (begin >= end) return;
  const std::int64_t inner = nest.extents[nest.rank - 1];
  std::array<std::int64_t, synth::kRankMax + 1> index{};
  Offsets<N> offsets{};
  std::int64_t rest = begin;
  for (std::size_t d = nest.rank; d-- > 0;) {
    index[d] = rest % nest.extents[d];
    rest /= nest.extents[d];
    for (std::size_t k = 0; k < N; ++k) offsets[k] += index[d] * nest.strides[d][k];
  }
  std::int64_t position = begin;
  while (position < end) {
    const std::int64_t at = index[nest.rank - 1];
    const std::int64_t n = std::min(inner - at, end - position);
    f(position, offsets, n);
    position += n;
    index[nest.rank - 1] = 0;
    for (std::size_t k = 0; k < N; ++k) offsets[k] -= at * nest.strides[nest.rank - 1][k];
    for (std::size_t d = nest.rank - 1; d-- > 0;) {
      for (std::size_t k = 0; k < N; ++k) offsets[k] += nest.strides[d][k];
      if (++index[d] < nest.extents[d]) break;
      for (std::size_t k = 0; k < N; ++k) offsets[k] -= nest.extents[d] * nest.strides[d][k];
      index[d] = 0;
    }
  }
}

}  // namespace tessera::runtime
