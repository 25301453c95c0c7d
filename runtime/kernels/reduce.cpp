#include "runtime/kernels/reduce.hpp"

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

constexpr std::int64_t kBlock = 128;
constexpr std::int64_t kLanes = 8;
// Complete stretches of this many blocks leave the cascade as one value, so stretches may be reduced apart (in
// parallel) without changing the order.
constexpr std::int64_t kStretch = kBlock * 1024;

// Joins a sequence of values in pairs of equal size, like a binary counter: level l holds the join of 2^l values.
template <class How, class T>
class Cascade {
 public:
  void push(T value) {
    std::size_t level = 0;
    for (std::uint64_t bits = pushed_; (bits & 1U) != 0; bits >>= 1U, ++level) {
      value = How::combine(levels_[level], value);
    }
    levels_[level] = value;
    ++pushed_;
  }
  // The levels in use, oldest (highest) outermost; `last` is what comes after all that was pushed, if anything does.
  T join(const T* last = nullptr) const {
    T value = last != nullptr ? *last : How::identity();
    bool any = last != nullptr;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((pushed_ >> level & 1U) == 0) continue;
      value = any ? How::combine(levels_[level], value) : levels_[level];
      any = true;
    }
    return value;
  }

 private:
  std::array<T, 56> levels_{};
  std::uint64_t pushed_ = 0;
};

template <class How, class T>
T reduce_block(const T* x, std::int64_t n) {
  std::int64_t i = 1;
  T value = x[0];
  if (n >= kLanes) {
    std::array<T, kLanes> lanes;
    for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = x[k];
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = How::combine(lanes[k], x[i + k]);
    }
    for (std::int64_t width = 1; width < kLanes; width *= 2) {
      for (std::int64_t k = 0; k < kLanes; k += 2 * width) lanes[k] = How::combine(lanes[k], lanes[k + width]);
    }
    value = lanes[0];
  }
  for (; i < n; ++i) value = How::combine(value, x[i]);
  return value;
}

// Elements [begin, end), in row-major order, of the view whose nest this is.
template <class How, class T>
T reduce_sequence(const Nest<1>& nest, const T* first, std::int64_t begin, std::int64_t end) {
  if (begin == end) return How::identity();
  Cascade<How, T> cascade;
  std::array<T, kBlock> gathered;
  const bool consecutive = nest.rank == 1 && nest.inner_strides()[0] == 1;
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = std::min(kBlock, end - at);
    const T* block = first + at;
    if (!consecutive) {
      const std::int64_t stride = nest.inner_strides()[0];
      for_runs(nest, at, at + n, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) gathered[position - at + i] = first[offsets[0] + i * stride];
      });
      block = gathered.data();
    }
    cascade.push(reduce_block<How, T>(block, n));
  }
  return cascade.join();
}

struct Groups {
  TileView kept;
  TileView reduced;
  Nest<1> kept_nest;
  Nest<1> reduced_nest;

  Groups(const TileView& operand, std::span<const std::uint8_t> dimensions) {
    const auto others = other_dimensions(operand.shape.size(), dimensions);
    kept = chosen_dimensions(operand, std::span(others.begin(), others.size()));
    reduced = chosen_dimensions(operand, dimensions);
    kept_nest = make_nest<1>(kept.shape, {kept.strides});
    reduced_nest = make_nest<1>(reduced.shape, {reduced.strides});
  }
  // Where the sequence behind the result's element o starts.
  std::int64_t start(std::int64_t o) const {
    std::int64_t offset = 0;
    for (std::size_t d = kept_nest.rank; d-- > 0; o /= kept_nest.extents[d]) {
      offset += o % kept_nest.extents[d] * kept_nest.strides[d][0];
    }
    return offset;
  }
};

// The innermost dimension is reduced: one sequence for each element of the result, cut in stretches.
template <class How, class T>
void reduce_inner(const Groups& groups, const T* first, T* out) {
  const std::int64_t length = groups.reduced_nest.count;
  const std::int64_t stretches = std::max<std::int64_t>(1, (length + kStretch - 1) / kStretch);
  const std::int64_t results = groups.kept_nest.count;
  const auto stretch = [&](std::int64_t item) {
    const std::int64_t begin = item % stretches * kStretch;
    const T* sequence = first + groups.start(item / stretches);
    return reduce_sequence<How, T>(groups.reduced_nest, sequence, begin, std::min(length, begin + kStretch));
  };
  const auto parts = std::make_unique<T[]>(stretches == 1 ? 0 : static_cast<std::size_t>(results * stretches));
  T* const targets = stretches == 1 ? out : parts.get();
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, std::min(length, kStretch)));
  parallel_ranges(results * stretches, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) targets[item] = stretch(item);
  });
  for (std::int64_t o = 0; stretches > 1 && o < results; ++o) {
    Cascade<How, T> cascade;
    for (std::int64_t s = 0; s + 1 < stretches; ++s) cascade.push(parts[o * stretches + s]);
    out[o] = cascade.join(&parts[(o + 1) * stretches - 1]);
  }
}

// Reduces rows of `width` columns into `out`, 128 rows at a time.
template <class How, class T>
class RowReducer {
 public:
  RowReducer(std::int64_t width, std::int64_t column_stride)
      : width_(width), stride_(column_stride), block_(std::make_unique<T[]>(static_cast<std::size_t>(width))) {}

  void add(const T* row) {
    if (rows_ == kBlock) flush();
    if (rows_ == 0) {
      for (std::int64_t c = 0; c < width_; ++c) block_[c] = row[c * stride_];
    } else if (stride_ == 1) {
      for (std::int64_t c = 0; c < width_; ++c) block_[c] = How::combine(block_[c], row[c]);
    } else {
      for (std::int64_t c = 0; c < width_; ++c) block_[c] = How::combine(block_[c], row[c * stride_]);
    }
    ++rows_;
  }
  void finish(T* out) {
    if (cascades_.empty()) {  // one block or less
      for (std::int64_t c = 0; c < width_; ++c) out[c] = rows_ == 0 ? How::identity() : block_[c];
      return;
    }
    flush();
    for (std::int64_t c = 0; c < width_; ++c) out[c] = cascades_[c].join();
  }

 private:
  void flush() {
    if (cascades_.empty()) cascades_.resize(static_cast<std::size_t>(width_));
    for (std::int64_t c = 0; c < width_; ++c) cascades_[c].push(block_[c]);
    rows_ = 0;
  }
  std::int64_t width_;
  std::int64_t stride_;
  std::int64_t rows_ = 0;
  std::unique_ptr<T[]> block_;
  std::vector<Cascade<How, T>> cascades_;
};

// The innermost dimension is kept: rows of it are added up, in strips of columns.
template <class How, class T>
void reduce_outer(const Groups& groups, const T* first, T* out) {
  constexpr std::int64_t kStrip = 256;
  const std::int64_t columns = groups.kept.shape.back();
  const std::int64_t stride = groups.kept.strides.back();
  const std::int64_t strips = (columns + kStrip - 1) / kStrip;
  const std::int64_t lines = groups.kept_nest.count / columns;
  const std::int64_t work = std::max<std::int64_t>(1, groups.reduced_nest.count * std::min(columns, kStrip));
  parallel_ranges(lines * strips, std::max<std::int64_t>(1, kGrain / work), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t column = item % strips * kStrip;
      const std::int64_t o = item / strips * columns + column;
      const T* start = first + groups.start(o);
      const std::int64_t inner = groups.reduced_nest.inner_strides()[0];
      RowReducer<How, T> rows(std::min(kStrip, columns - column), stride);
      for_runs(groups.reduced_nest, 0, groups.reduced_nest.count,
               [&](std::int64_t, const Offsets<1>& at, std::int64_t n) {
                 for (std::int64_t i = 0; i < n; ++i) rows.add(start + at[0] + i * inner);
               });
      rows.finish(out + o);
    }
  });
}

template <class T>
void reduce_typed(synth::ReduceKind kind, const TileView& operand, std::span<const std::uint8_t> dimensions,
                  const TileOut& out) {
  const Groups groups(operand, dimensions);
  if (groups.kept_nest.count == 0) return;
  const std::size_t rank = operand.shape.size();
  const bool inner = rank == 0 || (!dimensions.empty() && dimensions.back() + 1U == rank);
  visit_combine<T>(kind, [&](auto how) {
    using How = decltype(how);
    if (inner)
      reduce_inner<How>(groups, typed<T>(operand), typed<T>(out));
    else
      reduce_outer<How>(groups, typed<T>(operand), typed<T>(out));
  });
}

}  // namespace

void reduce(synth::ReduceKind kind, const TileView& operand, std::span<const std::uint8_t> dimensions,
            const TileOut& out) {
  TESSERA_CHECK(operand.element == out.element, "a reduction changes the element type");
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    reduce_typed<T>(kind, operand, dimensions, out);
  });
}

}  // namespace tessera::runtime
