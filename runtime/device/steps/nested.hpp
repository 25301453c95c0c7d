// The dimensions that several arrays of one shape are walked along: in the order of the first, and as few as possible.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "synth/layout/shape.hpp"

namespace tessera::device {

// strides[k][d]: the step of array k along dimension d; the innermost is the last. No dimension has extent 1.
struct Nested {
  synth::Shape extents;
  std::vector<synth::Shape> strides;

  std::size_t rank() const { return extents.size(); }
  std::int64_t count() const {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>{});
  }
};

// Neighbours along which all arrays go on as if they were one dimension become one.
inline Nested merged(const Nested& nest) {
  Nested result;
  result.strides.resize(nest.strides.size());
  const auto joins = [&](std::size_t d) {
    if (result.extents.empty()) return false;
    for (std::size_t k = 0; k < nest.strides.size(); ++k) {
      if (result.strides[k].back() != nest.strides[k][d] * nest.extents[d]) return false;
    }
    return true;
  };
  for (std::size_t d = 0; d < nest.rank(); ++d) {
    if (nest.extents[d] == 1) continue;
    if (!joins(d)) {
      result.extents.push_back(nest.extents[d]);
      for (std::size_t k = 0; k < nest.strides.size(); ++k) result.strides[k].push_back(nest.strides[k][d]);
      continue;
    }
    result.extents.back() *= nest.extents[d];
    for (std::size_t k = 0; k < nest.strides.size(); ++k) result.strides[k].back() = nest.strides[k][d];
  }
  return result;
}

// The same with the first array's largest steps outermost.
inline Nested sorted(const Nested& nest) {
  std::vector<std::size_t> order(nest.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(nest.strides[0][a]) > std::abs(nest.strides[0][b]);
  });
  Nested result;
  result.strides.resize(nest.strides.size());
  for (const std::size_t d : order) {
    result.extents.push_back(nest.extents[d]);
    for (std::size_t k = 0; k < nest.strides.size(); ++k) result.strides[k].push_back(nest.strides[k][d]);
  }
  return result;
}

// Kernels count with 32 bits: the dimension to cut in halves if there are too many elements, or if those of an array
// lie too far apart.
inline std::optional<std::size_t> dimension_to_cut(const Nested& nest) {
  constexpr std::int64_t kLess = (std::int64_t{1} << 31U) - 1;
  const auto reach = [&](std::size_t k, std::size_t d) { return std::abs(nest.strides[k][d]) * (nest.extents[d] - 1); };
  bool is_too_wide = nest.count() >= kLess;
  std::size_t widest = 0;
  std::int64_t most = -1;
  for (std::size_t k = 0; k < nest.strides.size(); ++k) {
    std::int64_t span = 0;
    for (std::size_t d = 0; d < nest.rank(); ++d) span += reach(k, d);
    is_too_wide = is_too_wide || span >= kLess;
    for (std::size_t d = 0; d < nest.rank(); ++d) {
      const std::int64_t own = std::max(reach(k, d), nest.extents[d]);
      if (own > most) widest = d;
      most = std::max(most, own);
    }
  }
  return is_too_wide ? std::optional(widest) : std::nullopt;
}

}  // namespace tessera::device
