#include "runtime/kernels/copy.hpp"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

struct Dimension {
  std::int64_t extent, to, from;
};

// The copy's dimensions in an order that suits the target: largest step first.
std::vector<Dimension> sorted_dimensions(const TileView& from, const TileTarget& to) {
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < from.shape.size(); ++d) {
    if (from.shape[d] != 1) dimensions.push_back({from.shape[d], to.strides[d], from.strides[d]});
  }
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [](const Dimension& a, const Dimension& b) { return a.to > b.to; });
  return dimensions;
}

// A copy as a nest; index 0 is the target, 1 the source.
Nest<2> copy_nest(const TileView& from, const TileTarget& to) {
  synth::Shape shape;
  std::array<synth::Shape, 2> strides;
  for (const Dimension& d : sorted_dimensions(from, to)) {
    shape.push_back(d.extent);
    strides[0].push_back(d.to);
    strides[1].push_back(d.from);
  }
  return make_nest(shape, strides);
}

template <class T>
void copy_run(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride, std::int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
  } else if (to_stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * from_stride];
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

// The dimension, other than the innermost, along which the source is consecutive, if the innermost strides there.
std::size_t crossing_dimension(const Nest<2>& nest) {
  if (nest.inner_strides()[1] == 1 || nest.inner_strides()[0] != 1) return nest.rank;
  for (std::size_t d = 0; d + 1 < nest.rank; ++d) {
    if (nest.strides[d][1] == 1) return d;
  }
  return nest.rank;
}

// Copies a rectangle whose rows the target walks and whose columns the source walks, in squares that fit the cache.
template <class T>
void copy_crossing(T* to, std::int64_t to_step, const T* from, std::int64_t from_step, std::int64_t rows,
                   std::int64_t columns) {
  constexpr std::int64_t kSquare = 32;
  for (std::int64_t c0 = 0; c0 < columns; c0 += kSquare) {
    const std::int64_t c1 = std::min(columns, c0 + kSquare);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = c0; c < c1; ++c) to[r * to_step + c] = from[r + c * from_step];
    }
  }
}

// All of the nest but the crossing and the innermost dimension is the outer loop; strips of the crossing one are tasks.
template <class T>
void copy_transposing(const Nest<2>& nest, std::size_t crossing, const T* from, T* to) {
  constexpr std::int64_t kStrip = 32;
  Nest<2> outer;
  for (std::size_t d = 0; d + 1 < nest.rank; ++d) {
    if (d == crossing) continue;
    outer.extents[outer.rank] = nest.extents[d];
    outer.strides[outer.rank++] = nest.strides[d];
    outer.count *= nest.extents[d];
  }
  if (outer.rank == 0) outer.extents[outer.rank++] = 1;
  const std::int64_t rows = nest.extents[crossing];
  const std::int64_t columns = nest.extents[nest.rank - 1];
  const std::int64_t strips = (rows + kStrip - 1) / kStrip;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (kStrip * columns));
  parallel_ranges(outer.count * strips, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t row = item % strips * kStrip;
      const std::int64_t which = item / strips;
      for_runs(outer, which, which + 1, [&](std::int64_t, const Offsets<2>& at, std::int64_t) {
        copy_crossing(to + at[0] + row * nest.strides[crossing][0], nest.strides[crossing][0], from + at[1] + row,
                      nest.inner_strides()[1], std::min(kStrip, rows - row), columns);
      });
    }
  });
}

// Asks for what a run reads that is `ahead` bytes further; behind the last run that is nothing, which does no harm. The
// processor sees by itself where long runs go on, but not where the next of many short ones begins.
template <class T>
void fetch_ahead(const T* from, std::int64_t n, std::int64_t ahead) {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kShortBytes = 1'024;
  const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(T));
  if (bytes > kShortBytes) return;
  const std::byte* const begin = reinterpret_cast<const std::byte*>(from) + ahead;
  for (std::int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(begin + at);
}

// Both sides consecutive along the innermost dimension.
template <class T>
void stream_runs(const Nest<2>& nest, const T* from, T* to) {
  constexpr std::int64_t kRunsAhead = 4;
  const std::int64_t step = nest.rank > 1 ? nest.strides[nest.rank - 2][1] : 0;
  const std::int64_t ahead = kRunsAhead * step * static_cast<std::int64_t>(sizeof(T));
  parallel_ranges(nest.count, 4 * kGrain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
      fetch_ahead(from + at[1], n, ahead);
      stream_copy(reinterpret_cast<std::byte*>(to + at[0]), reinterpret_cast<const std::byte*>(from + at[1]),
                  static_cast<std::size_t>(n) * sizeof(T));
    });
    finish_streaming();
  });
}

template <class T>
void copy_typed(const Nest<2>& nest, const T* from, T* to, Writing writing) {
  const std::size_t crossing = crossing_dimension(nest);
  if (crossing < nest.rank && nest.extents[crossing] > 1) return copy_transposing(nest, crossing, from, to);
  const Offsets<2> inner = nest.inner_strides();
  if (writing == Writing::past_caches && inner == Offsets<2>{1, 1}) return stream_runs(nest, from, to);
  parallel_ranges(nest.count, 4 * kGrain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
      copy_run(to + at[0], inner[0], from + at[1], inner[1], n);
    });
  });
}

template <class T>
void copy_as(const Nest<2>& nest, const TileView& from, const TileTarget& to, Writing writing) {
  copy_typed(nest, reinterpret_cast<const T*>(from.data), reinterpret_cast<T*>(to.data), writing);
}

}  // namespace

Writing writing_of(std::int64_t bytes) { return bytes > kStreamBytes ? Writing::past_caches : Writing::through_caches; }

void copy_elements(const TileView& from, const TileTarget& to, Writing writing) {
  if (is_empty(from.shape)) return;
  const Nest<2> nest = copy_nest(from, to);
  synth::visit_element(from.element, [&](auto zero) {
    // Bytes that were never a bool (from a file, say) may be copied as bytes only.
    if constexpr (std::same_as<decltype(zero), bool>)
      copy_as<unsigned char>(nest, from, to, writing);
    else
      copy_as<decltype(zero)>(nest, from, to, writing);
  });
}

void copy_elements(const TileView& from, const TileOut& to) {
  copy_elements(from, TileTarget{dense_strides(to.shape), to.data});
}

TileView transposed(const TileView& operand, std::span<const std::uint8_t> permutation) {
  TESSERA_CHECK(permutation.size() == operand.shape.size(), "a permutation has another rank");
  TileView view{operand.element, {}, {}, operand.data};
  for (const std::uint8_t d : permutation) {
    view.shape.push_back(operand.shape[d]);
    view.strides.push_back(operand.strides[d]);
  }
  return view;
}

}  // namespace tessera::runtime
