// The positions of the greatest and the least.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/bring_in.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/reduce_blocks.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

namespace {

// Walks the lines of a view along some dimensions: calls f(o, first) for every index o of the others, row-major.
template <class T, class F>
void for_lines(const TileView& others, const T* first, std::int64_t line_length, const F& f) {
  const auto nest = make_nest<1>(others.shape, {others.strides});
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, line_length));
  const std::int64_t stride = nest.inner_strides()[0];
  parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) f(position + i, first + offsets[0] + i * stride);
    });
  });
}

template <class T>
bool beats(bool max, T candidate, T best) {
  if (is_nan(best)) return false;
  if (is_nan(candidate)) return true;
  return max ? candidate > best : candidate < best;
}

// Finds one greatest (least) after the other among elements that lie side by side, block by block.
template <class T>
class BestInRow {
 public:
  BestInRow(bool max, const T* row) : max_(max), row_(row), value_(row[0]) {}

  // `value` is the best of the n elements from `begin` on, which are searched only if it beats all before them.
  void add(T value, std::int64_t begin, std::int64_t n) {
    if (!beats(max_, value, value_)) return;
    const auto is_it = [&](T x) { return x == value || (is_nan(x) && is_nan(value)); };
    position_ = std::find_if(row_ + begin, row_ + begin + n, is_it) - row_;
    value_ = value;
  }
  std::int64_t position() const { return position_; }

 private:
  bool max_;
  const T* row_;
  T value_;
  std::int64_t position_ = 0;
};

template <Float T>
std::int64_t best_in_row(bool max, const T* row, std::int64_t length) {
  constexpr std::int64_t kAtOnce = 64;
  std::array<T, kAtOnce> values;
  const BlocksFunction<T> function = blocks_function<T>(max ? synth::ReduceKind::max : synth::ReduceKind::min);
  BestInRow<T> best(max, row);
  std::int64_t at = 0;
  while (at + kReduceBlock <= length && !is_given_up()) {
    const std::int64_t blocks = std::min(kAtOnce, (length - at) / kReduceBlock);
    function(values.data(), blocks, row + at);
    for (std::int64_t b = 0; b < blocks; ++b, at += kReduceBlock)
      best.add(values[static_cast<std::size_t>(b)], at, kReduceBlock);
  }
  for (at = length / kReduceBlock * kReduceBlock; at < length; ++at) best.add(row[at], at, 1);
  return best.position();
}

template <class T>
std::int64_t best_in_row(bool max, const T* row, std::int64_t length) {
  constexpr std::int64_t kBlock = 1024;
  const ExactReduction<T> function = exact_reduction<T>(max ? synth::ReduceKind::max : synth::ReduceKind::min);
  BestInRow<T> best(max, row);
  for (std::int64_t at = 0; at < length && !(at % kGrain == 0 && is_given_up()); at += kBlock) {
    const std::int64_t n = std::min(kBlock, length - at);
    T value{};
    function(row + at, n, &value);
    best.add(value, at, n);
  }
  return best.position();
}

// for_runs() of everything, or until the work is given up.
template <class F>
void for_pieces(const Nest<1>& nest, const F& f) {
  for (std::int64_t at = 0; at < nest.count && !is_given_up(); at += kGrain)
    for_runs(nest, at, std::min(at + kGrain, nest.count), f);
}

template <class T>
std::int64_t best_position(bool max, const Nest<1>& nest, const T* line) {
  if (nest.rank == 1 && nest.inner_strides()[0] == 1) return best_in_row(max, line, nest.count);
  std::int64_t best = 0;
  T best_value = line[0];
  const std::int64_t stride = nest.inner_strides()[0];
  for_pieces(nest, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T value = line[offsets[0] + i * stride];
      if (!beats(max, value, best_value)) continue;
      best = position + i;
      best_value = value;
    }
  });
  return best;
}

// Rows are counted in as many bytes as elements have, so that both are chosen by the same vectors.
template <class T>
using RowNumber = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

// An element of the row that beats the best of its column takes its place, and so does the row's number.
template <bool max>
struct BetterRow {
  template <class T>
  TESSERA_INLINE static void run(const T* row, RowNumber<T> number, T* best, RowNumber<T>* rows, std::int64_t width) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t c = 0; c < width; ++c) {
      const bool is_beyond = max ? row[c] > best[c] : row[c] < best[c];
      const int is_better = static_cast<int>(is_beyond) | static_cast<int>(is_nan(row[c]));
      const bool taken = (is_better & static_cast<int>(!is_nan(best[c]))) != 0;
      best[c] = choose(taken, row[c], best[c]);
      rows[c] = choose(taken, number, rows[c]);
    }
  }
};

// The best of each of some columns and the row that has it, row after row.
template <class T>
class BestRows {
 public:
  using Row = RowNumber<T>;

  BestRows(bool max, const T* row, std::int64_t width)
      : max_(max), width_(width), best_(std::make_unique<T[]>(size(width))), rows_(size(width)) {
    std::copy_n(row, width, best_.get());
  }
  void add(Row number, const T* row) {
    bring_in(row, width_);
    if (max_)
      loop<BetterRow<true>>()(row, number, best_.get(), rows_.data(), width_);
    else
      loop<BetterRow<false>>()(row, number, best_.get(), rows_.data(), width_);
  }
  void finish(std::int64_t* out) const { std::copy(rows_.begin(), rows_.end(), out); }

 private:
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
  template <class Loop>
  static auto loop() {
    return for_target<Loop>::template with<const T*, Row, T*, Row*, std::int64_t>::of(widest_target());
  }

  bool max_;
  std::int64_t width_;
  std::unique_ptr<T[]> best_;
  std::vector<Row> rows_;
};

// Columns that lie side by side, in strips: every row is read once.
template <class T>
void arg_reduce_rows(bool max, const Nest<2>& kept, const Nest<1>& line, const T* first, std::int64_t* out) {
  constexpr std::int64_t kStrip = 1024;
  const std::int64_t step = line.inner_strides()[0];
  parallel_ranges(kept.count, kStrip, [&](std::int64_t begin, std::int64_t end) {
    for_runs(kept, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
      BestRows<T> best(max, first + at[1], n);
      for_runs(line, 1, line.count, [&](std::int64_t number, const Offsets<1>& offset, std::int64_t rows) {
        for (std::int64_t i = 0; i < rows && !is_given_up(); ++i)
          best.add(static_cast<RowNumber<T>>(number + i), first + at[1] + offset[0] + i * step);
      });
      best.finish(out + at[0]);
    });
  });
}

}  // namespace

void arg_reduce(bool max, const TileView& operand, std::span<const std::uint8_t> dimensions, const TileOut& out) {
  TESSERA_CHECK(out.element == synth::ElementType::i64, "positions are i64");
  const auto others = other_dimensions(operand.shape.size(), dimensions);
  const TileView kept = chosen_dimensions(operand, std::span(others.begin(), others.size()));
  const TileView line = chosen_dimensions(operand, dimensions);
  const auto nest = make_nest<1>(line.shape, {line.strides});
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    const Nest<2> columns = make_nest<2>(kept.shape, {dense_strides(kept.shape), kept.strides});
    const bool by_rows = nest.count > 1 && nest.count < std::numeric_limits<RowNumber<T>>::max() &&
                         columns.inner_strides() == Offsets<2>{1, 1} && columns.extents[columns.rank - 1] >= 16;
    if (by_rows) return arg_reduce_rows(max, columns, nest, typed<T>(operand), typed<std::int64_t>(out));
    for_lines(kept, typed<T>(operand), nest.count, [&](std::int64_t o, const T* first) {
      typed<std::int64_t>(out)[o] = nest.count == 0 ? 0 : best_position(max, nest, first);
    });
  });
}

namespace {

constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

template <class T>
bool is_same_value(T a, T b) {
  return a == b || (is_nan(a) && is_nan(b));
}

// The position in the whole array of an element of a tile, whose own lines are `shape`.
std::int64_t position_in_whole(std::int64_t position, const synth::Shape& shape, const LinePlace& place) {
  std::int64_t whole = 0;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; position /= shape[d], stride *= place.extents[d])
    whole += (place.begins[d] + position % shape[d]) * stride;
  return whole;
}

// Where an element of a tile lies, by its row-major position.
std::int64_t place_of(const Nest<1>& nest, std::int64_t position) {
  std::int64_t place = 0;
  for (std::size_t d = nest.rank; d-- > 0; position /= nest.extents[d])
    place += position % nest.extents[d] * nest.strides[d][0];
  return place;
}

}  // namespace

// A tile's best element is the first that may equal the best of all tiles.
void find(bool max, const TileView& operand, const TileView& wanted, std::span<const std::uint8_t> dimensions,
          const LinePlace& place, const TileOut& out) {
  auto* const found = typed<std::int64_t>(out);
  const TileView line = chosen_dimensions(operand, dimensions);
  if (is_empty(line.shape)) {
    std::fill_n(found, count(out.shape), kNowhere);
    return;
  }
  std::fill_n(found, count(out.shape), 0);  // what is given up may leave some as they are
  arg_reduce(max, operand, dimensions, out);
  const auto others = other_dimensions(operand.shape.size(), dimensions);
  const TileView kept = chosen_dimensions(operand, std::span(others.begin(), others.size()));
  const auto nest = make_nest<2>(kept.shape, {kept.strides, wanted.strides});
  const auto along = make_nest<1>(line.shape, {line.strides});
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    parallel_ranges(nest.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      for_runs(nest, begin, end, [&](std::int64_t at, const Offsets<2>& offsets, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t own = place_of(along, found[at + i]);
          const T best = typed<T>(operand)[offsets[0] + i * nest.inner_strides()[0] + own];
          const T sought = typed<T>(wanted)[offsets[1] + i * nest.inner_strides()[1]];
          found[at + i] = is_same_value(best, sought) ? position_in_whole(found[at + i], line.shape, place) : kNowhere;
        }
      });
    });
  });
}

}  // namespace tessera::runtime
