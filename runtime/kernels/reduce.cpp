#include "runtime/kernels/reduce.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/bring_in.hpp"
#include "runtime/kernels/packs.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce_blocks.hpp"

namespace tessera::runtime {

namespace {

constexpr std::int64_t kBlock = kReduceBlock;
constexpr std::int64_t kLanes = kReduceLanes;
// Complete stretches of this many blocks leave the cascade as one value, so stretches may be reduced apart (in
// parallel) without changing the order.
constexpr std::int64_t kStretch = kBlock * 1024;

// Joins a sequence of values in pairs of equal size, like a binary counter: level l holds the join of 2^l values.
template <class T>
class PairwiseJoin {
 public:
  template <class How>
  void push(T value) {
    std::size_t level = 0;
    for (std::uint64_t bits = pushed_; (bits & 1U) != 0; bits >>= 1U, ++level) {
      value = How::combine(levels_[level], value);
    }
    levels_[level] = value;
    ++pushed_;
  }
  // The levels in use, oldest (highest) outermost; `last` is what comes after all that was pushed, if anything does.
  template <class How>
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

// Reduces n >= kLanes elements, all whole groups of kLanes; lane k has those at k, k + kLanes, ...
template <class How, Float T>
std::array<T, kLanes> reduce_to_lanes(const T* x, std::int64_t n) {
  Lanes<T, kLanes> lanes(x);
  for (std::int64_t i = kLanes; i + kLanes <= n; i += kLanes) lanes.template combine<How>(x + i);
  return lanes.values();
}

template <class How, class T>
T reduce_block(const T* x, std::int64_t n) {
  T value = x[0];
  if constexpr (Float<T>) {
    std::int64_t i = 1;
    if (n >= kLanes) {
      std::array<T, kLanes> lanes = reduce_to_lanes<How>(x, n);
      for (std::int64_t width = 1; width < kLanes; width *= 2) {
        for (std::int64_t k = 0; k < kLanes; k += 2 * width) lanes[k] = How::combine(lanes[k], lanes[k + width]);
      }
      value = lanes[0];
      i = n / kLanes * kLanes;
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
    for (std::int64_t blocks = n / kBlock; blocks > 0; blocks -= kAtOnce) {
      const std::int64_t now = std::min(kAtOnce, blocks);
      function(x + at, now, some.data());
      for (std::int64_t b = 0; b < now; ++b) cascade.template push<How>(some[static_cast<std::size_t>(b)]);
      at += now * kBlock;
    }
  }
  if (at < n) cascade.template push<How>(reduce_block<How, T>(x + at, n - at));
}

template <class How>
struct CombineRows {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = How::combine(a[i], b[i]);
  }
};
template <class How>
struct CombineFourRows {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, const T* c, const T* d, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = How::combine(How::combine(How::combine(How::combine(out[i], a[i]), b[i]), c[i]), d[i]);
  }
};

// A kind of reduction as functions on elements: the loops around them are compiled once for a type, not for each kind.
template <class T>
struct Steps {
  T identity;
  T (*block)(const T* x, std::int64_t n);
  // Blocks side by side; of integers, as many elements as a block at most.
  void (*push_blocks)(PairwiseJoin<T>& cascade, const T* x, std::int64_t n);
  void (*push)(PairwiseJoin<T>& cascade, T value);
  T (*join)(const PairwiseJoin<T>& cascade, const T* last);
  // out[i] becomes a[i] and b[i] combined; `out` may be one of them.
  void (*rows)(const T* a, const T* b, T* out, std::int64_t n);
  // out[i] becomes itself and a[i] to d[i] combined, in turn.
  void (*four_rows)(const T* a, const T* b, const T* c, const T* d, T* out, std::int64_t n);
};

template <class T>
Steps<T> steps_of(synth::ReduceKind kind) {
  return visit_combine<T>(kind, [](auto how) {
    using How = decltype(how);
    using Rows = typename for_target<CombineRows<How>>::template with<const T*, const T*, T*, std::int64_t>;
    using FourRows = typename for_target<CombineFourRows<How>>::template with<const T*, const T*, const T*, const T*,
                                                                              T*, std::int64_t>;
    return Steps<T>{How::identity(),
                    reduce_block<How, T>,
                    push_blocks<How, T>,
                    [](PairwiseJoin<T>& cascade, T value) { cascade.template push<How>(value); },
                    [](const PairwiseJoin<T>& cascade, const T* last) { return cascade.template join<How>(last); },
                    Rows::of(widest_target()),
                    FourRows::of(widest_target())};
  });
}

// Elements [begin, end), in row-major order, of the view whose nest this is.
template <class T>
T reduce_sequence(const Steps<T>& steps, const Nest<1>& nest, const T* first, std::int64_t begin, std::int64_t end) {
  if (begin == end) return steps.identity;
  const bool consecutive = nest.rank == 1 && nest.inner_strides()[0] == 1;
  if (consecutive && (!Float<T> || end - begin <= kBlock)) return steps.block(first + begin, end - begin);
  PairwiseJoin<T> cascade;
  if (consecutive) {
    steps.push_blocks(cascade, first + begin, end - begin);
    return steps.join(cascade, nullptr);
  }
  std::array<T, kBlock> gathered;
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = std::min(kBlock, end - at);
    const std::int64_t stride = nest.inner_strides()[0];
    for_runs(nest, at, at + n, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) gathered[position - at + i] = first[offsets[0] + i * stride];
    });
    steps.push_blocks(cascade, gathered.data(), n);
  }
  return steps.join(cascade, nullptr);
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
  // The offset at which the sequence behind the result's element o starts.
  std::int64_t start(std::int64_t o) const {
    std::int64_t offset = 0;
    for (std::size_t d = kept_nest.rank; d-- > 0; o /= kept_nest.extents[d]) {
      offset += o % kept_nest.extents[d] * kept_nest.strides[d][0];
    }
    return offset;
  }
};

// The innermost dimension is reduced: one sequence for each element of the result, cut in stretches.
template <class T>
void reduce_inner(const Steps<T>& steps, const Groups& groups, const T* first, T* out) {
  const std::int64_t length = groups.reduced_nest.count;
  const std::int64_t stretches = std::max<std::int64_t>(1, (length + kStretch - 1) / kStretch);
  const std::int64_t results = groups.kept_nest.count;
  const auto stretch = [&](std::int64_t item) {
    const std::int64_t begin = item % stretches * kStretch;
    const T* sequence = first + groups.start(item / stretches);
    return reduce_sequence(steps, groups.reduced_nest, sequence, begin, std::min(length, begin + kStretch));
  };
  const auto parts = std::make_unique<T[]>(stretches == 1 ? 0 : static_cast<std::size_t>(results * stretches));
  T* const targets = stretches == 1 ? out : parts.get();
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, std::min(length, kStretch)));
  parallel_ranges(results * stretches, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) targets[item] = stretch(item);
  });
  for (std::int64_t o = 0; stretches > 1 && o < results; ++o) {
    PairwiseJoin<T> cascade;
    for (std::int64_t s = 0; s + 1 < stretches; ++s) steps.push(cascade, parts[o * stretches + s]);
    out[o] = steps.join(cascade, &parts[(o + 1) * stretches - 1]);
  }
}

// A PairwiseJoin for each of some columns.
template <class T>
class RowCascade {
 public:
  RowCascade(const Steps<T>& steps, std::int64_t width) : steps_(steps), width_(width) {}

  // `row` is changed.
  void push(T* row) {
    std::size_t level = 0;
    for (std::uint64_t bits = pushed_; (bits & 1U) != 0; bits >>= 1U, ++level) join_rows(levels_[level].get(), row);
    if (level == levels_.size()) levels_.push_back(std::make_unique<T[]>(static_cast<std::size_t>(width_)));
    std::copy_n(row, width_, levels_[level].get());
    ++pushed_;
  }
  // `last` comes after all that was pushed, and becomes what all are joined to.
  void join(T* last) {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((pushed_ >> level & 1U) != 0) join_rows(levels_[level].get(), last);
    }
  }

 private:
  void join_rows(const T* before, T* row) const { steps_.rows(before, row, row, width_); }
  const Steps<T>& steps_;
  std::int64_t width_;
  std::vector<std::unique_ptr<T[]>> levels_;
  std::uint64_t pushed_ = 0;
};

// Reduces rows of `width` columns into `out`: blocks of 128 rows, one row after the other, four in one pass.
template <class T>
class RowReducer {
 public:
  RowReducer(const Steps<T>& steps, std::int64_t width, std::int64_t column_stride, T* out)
      : steps_(steps), width_(width), stride_(column_stride), block_(out), cascade_(steps, width) {
    if (stride_ != 1) gathered_ = std::make_unique<T[]>(static_cast<std::size_t>(width * kRowsAtOnce));
  }

  void add(const T* row) {
    if (stride_ == 1) bring_in(row, width_);
    waiting_[waiting_count_] = stride_ == 1 ? row : gathered(row);
    if (++waiting_count_ == kRowsAtOnce) take_waiting();
  }
  void finish() {
    take_waiting();
    if (rows_ > 0)
      cascade_.join(block_);
    else
      std::fill_n(block_, width_, steps_.identity);
  }

 private:
  static constexpr std::size_t kRowsAtOnce = 4;  // a divisor of kBlock

  const T* gathered(const T* row) {
    T* const target = gathered_.get() + static_cast<std::int64_t>(waiting_count_) * width_;
    for (std::int64_t c = 0; c < width_; ++c) target[c] = row[c * stride_];
    return target;
  }
  void take_waiting() {
    if (waiting_count_ == 0) return;
    if (rows_ == kBlock) {
      cascade_.push(block_);
      rows_ = 0;
    }
    if (waiting_count_ == kRowsAtOnce && rows_ > 0)
      take_four();
    else
      take_each();
    rows_ += static_cast<std::int64_t>(waiting_count_);
    waiting_count_ = 0;
  }
  void take_four() {
    const auto [a, b, c, d] = waiting_;
    steps_.four_rows(a, b, c, d, block_, width_);
  }
  void take_each() {
    for (std::size_t k = 0; k < waiting_count_; ++k) {
      const T* const row = waiting_[k];
      if (rows_ == 0 && k == 0) {
        std::copy_n(row, width_, block_);
        continue;
      }
      steps_.rows(block_, row, block_, width_);
    }
  }

  const Steps<T>& steps_;
  std::int64_t width_;
  std::int64_t stride_;
  T* block_;               // what the rows of this block give, in the result's place
  std::int64_t rows_ = 0;  // in this block
  std::array<const T*, kRowsAtOnce> waiting_{};
  std::size_t waiting_count_ = 0;
  std::unique_ptr<T[]> gathered_;
  RowCascade<T> cascade_;
};

// How rows are cut into tasks: strips of columns, and stretches of rows. A stretch has 128 * 2^k rows, so that it
// leaves the cascade as one row.
struct RowCut {
  static constexpr std::int64_t kStrip = 1024;
  std::int64_t columns, strips, rows, stretch, stretches;

  RowCut(std::int64_t columns_of_all, std::int64_t rows_of_all)
      : columns(columns_of_all), strips((columns + kStrip - 1) / kStrip), rows(rows_of_all), stretch(kBlock) {
    while (stretch * std::min(columns, kStrip) < 16 * kGrain) stretch *= 2;
    stretches = std::max<std::int64_t>(1, (rows + stretch - 1) / stretch);
  }
};

// The innermost dimension is kept: rows of it are added up.
template <class T>
void reduce_outer(const Steps<T>& steps, const Groups& groups, const T* first, T* out) {
  const RowCut cut(groups.kept.shape.back(), groups.reduced_nest.count);
  const std::int64_t stride = groups.kept.strides.back();
  const std::int64_t inner = groups.reduced_nest.inner_strides()[0];
  const std::int64_t strips = groups.kept_nest.count / cut.columns * cut.strips;
  const auto parts = std::make_unique_for_overwrite<T[]>(
      cut.stretches == 1 ? 0 : static_cast<std::size_t>(strips * cut.stretches * RowCut::kStrip));
  const auto first_of = [&](std::int64_t strip) {
    return strip / cut.strips * cut.columns + strip % cut.strips * RowCut::kStrip;
  };
  const auto width_of = [&](std::int64_t strip) {
    return std::min(RowCut::kStrip, cut.columns - strip % cut.strips * RowCut::kStrip);
  };
  const auto run = [&](std::int64_t item) {
    const std::int64_t strip = item / cut.stretches;
    const std::int64_t begin = item % cut.stretches * cut.stretch;
    const T* const start = first + groups.start(first_of(strip));
    T* const target = cut.stretches == 1 ? out + first_of(strip) : parts.get() + item * RowCut::kStrip;
    RowReducer<T> rows(steps, width_of(strip), stride, target);
    for_runs(groups.reduced_nest, begin, std::min(cut.rows, begin + cut.stretch),
             [&](std::int64_t, const Offsets<1>& at, std::int64_t n) {
               for (std::int64_t i = 0; i < n; ++i) rows.add(start + at[0] + i * inner);
             });
    rows.finish();
  };
  const std::int64_t work = std::min(cut.rows, cut.stretch) * std::min(cut.columns, RowCut::kStrip);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, work));
  parallel_ranges(strips * cut.stretches, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) run(item);
  });
  if (cut.stretches == 1) return;
  parallel_each(strips, [&](std::int64_t strip) {
    RowCascade<T> cascade(steps, width_of(strip));
    T* const of_strip = parts.get() + strip * cut.stretches * RowCut::kStrip;
    T* const last = of_strip + (cut.stretches - 1) * RowCut::kStrip;
    for (std::int64_t s = 0; s + 1 < cut.stretches; ++s) cascade.push(of_strip + s * RowCut::kStrip);
    cascade.join(last);
    std::copy_n(last, width_of(strip), out + first_of(strip));
  });
}

template <class T>
void reduce_typed(synth::ReduceKind kind, const TileView& operand, std::span<const std::uint8_t> dimensions,
                  const TileOut& out) {
  const Groups groups(operand, dimensions);
  if (groups.kept_nest.count == 0) return;
  const std::size_t rank = operand.shape.size();
  const bool inner = rank == 0 || (!dimensions.empty() && dimensions.back() + 1U == rank);
  const Steps<T> steps = steps_of<T>(kind);
  if (inner)
    reduce_inner(steps, groups, typed<T>(operand), typed<T>(out));
  else
    reduce_outer(steps, groups, typed<T>(operand), typed<T>(out));
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

void join_pieces(synth::ReduceKind kind, const TileView& pieces, std::byte* out) {
  static_assert(kReducePiece % kBlock == 0 && std::has_single_bit(static_cast<std::uint64_t>(kReducePiece / kBlock)));
  synth::visit_element(pieces.element, [&](auto zero) {
    using T = decltype(zero);
    const Steps<T> steps = steps_of<T>(kind);
    const std::int64_t n = count(pieces.shape);
    PairwiseJoin<T> cascade;
    for (std::int64_t k = 0; k + 1 < n; ++k) steps.push(cascade, typed<T>(pieces)[k]);
    const T joined = n == 0 ? steps.identity : steps.join(cascade, typed<T>(pieces) + n - 1);
    std::memcpy(out, &joined, sizeof joined);
  });
}

}  // namespace tessera::runtime
