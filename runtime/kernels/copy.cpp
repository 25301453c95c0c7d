#include "runtime/kernels/copy.hpp"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/copy_loops.hpp"
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

// The nest without some of its dimensions.
template <class Keeps>
Nest<2> outer_nest(const Nest<2>& nest, const Keeps& keeps) {
  Nest<2> outer;
  for (std::size_t d = 0; d < nest.rank; ++d) {
    if (!keeps(d)) continue;
    outer.extents[outer.rank] = nest.extents[d];
    outer.strides[outer.rank++] = nest.strides[d];
    outer.count *= nest.extents[d];
  }
  if (outer.rank == 0) outer.extents[outer.rank++] = 1;
  return outer;
}

// All of the nest but the crossing and the innermost dimension is the outer loop; parts of rectangles are tasks.
template <class T>
void copy_transposing(const Nest<2>& nest, std::size_t crossing, const T* from, T* to, Writing writing) {
  const Nest<2> outer = outer_nest(nest, [&](std::size_t d) { return d != crossing && d + 1 != nest.rank; });
  const std::int64_t rows = nest.extents[crossing];
  const std::int64_t columns = nest.extents[nest.rank - 1];
  const std::int64_t high = std::min(rows, kSquare<T>);
  const std::int64_t wide = std::max<std::int64_t>(1, kGrain / (high * kSquare<T>)) * kSquare<T>;
  const std::int64_t strips = (rows + high - 1) / high;
  const std::int64_t across = (columns + wide - 1) / wide;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (high * std::min(columns, wide)));
  const bool past_caches = writing == Writing::past_caches;
  parallel_ranges(outer.count * strips * across, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t which = item / (strips * across);
      for_runs(outer, which, which + 1, [&](std::int64_t, const Offsets<2>& at, std::int64_t) {
        const Crossing<T> all{to + at[0], nest.strides[crossing][0], from + at[1], nest.inner_strides()[1], rows,
                              columns};
        copy_crossing(all.part(item / across % strips * high, item % across * wide, high, wide), past_caches);
      });
    }
    if (past_caches) finish_streaming();
  });
}

// Runs of a few elements, side by side on both sides.
template <class T>
void copy_short(const Nest<2>& nest, const T* from, T* to, Writing writing) {
  const Nest<2> runs = outer_nest(nest, [&](std::size_t d) { return d + 1 != nest.rank; });
  const std::int64_t length = nest.extents[nest.rank - 1];
  const Offsets<2> step = runs.inner_strides();
  const bool streams = writing == Writing::past_caches && step[0] == length;
  parallel_ranges(runs.count, 4 * kGrain / length, [&](std::int64_t begin, std::int64_t end) {
    for_runs(runs, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
      with_short_length(length, [&](auto constant) {
        if (streams)
          stream_short_runs<constant>(to + at[0], from + at[1], step[1], n);
        else
          copy_short_runs<constant>(to + at[0], step[0], from + at[1], step[1], n);
      });
    });
    if (streams) finish_streaming();
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
  if (crossing < nest.rank && nest.extents[crossing] > 1) return copy_transposing(nest, crossing, from, to, writing);
  const Offsets<2> inner = nest.inner_strides();
  if (nest.rank > 1 && inner == Offsets<2>{1, 1} && nest.extents[nest.rank - 1] <= kShortRun)
    return copy_short(nest, from, to, writing);
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

void copy_elements(const TileView& from, const TileTarget& to, Writing writing) {
  if (is_empty(from.shape)) return;
  const Nest<2> nest = copy_nest(from, to);
  // Elements go as they are, whatever they mean: bytes that were never a bool (from a file, say), too.
  synth::visit_bytes(from.element, [&](auto zero) { copy_as<decltype(zero)>(nest, from, to, writing); });
}

void copy_elements(const TileView& from, const TileOut& to, Writing writing) {
  copy_elements(from, TileTarget{dense_strides(to.shape), to.data}, writing);
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
