// Running sums, and what several devices hold combined.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/bring_in.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"

namespace tessera::runtime {

namespace {

// A line of running sums: its length, and the steps along it in the array read and in the array written.
struct Lines {
  std::int64_t length, from_step, to_step;
};

template <class T>
void sum_line(const Lines& lines, const T* from, T* to, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i)
    to[i * lines.to_step] = i == 0 ? from[0] : plus(to[(i - 1) * lines.to_step], from[i * lines.from_step]);
}

// Four lines at once: each addition waits for the one before it in its line, but not for those of other lines.
template <class T>
void sum_four_lines(const Lines& lines, const T* from, std::int64_t from_line, T* to, std::int64_t to_line,
                    std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kLines = 4;
  std::array<T, kLines> sums;
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < kLines; ++k) {
    if (begin == 0) to[k * to_line] = from[k * from_line];
    sums[k] = to[k * to_line + (std::max<std::int64_t>(begin, 1) - 1) * lines.to_step];
  }
  for (std::int64_t i = std::max<std::int64_t>(begin, 1); i < end; ++i) {
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < kLines; ++k) {
      sums[k] = plus(sums[k], from[k * from_line + i * lines.from_step]);
      to[k * to_line + i * lines.to_step] = sums[k];
    }
  }
}

// n lines, whose first elements are so far apart.
template <class T>
void sum_lines(const Lines& lines, const T* from, std::int64_t from_line, T* to, std::int64_t to_line, std::int64_t n) {
  for (std::int64_t begin = 0; begin < lines.length && !is_given_up(); begin += kGrain) {
    const std::int64_t end = std::min(begin + kGrain, lines.length);
    std::int64_t k = 0;
    for (; k + 4 <= n; k += 4)
      sum_four_lines(lines, from + k * from_line, from_line, to + k * to_line, to_line, begin, end);
    for (; k < n; ++k) sum_line(lines, from + k * from_line, to + k * to_line, begin, end);
  }
}

// n lines side by side: row by row.
template <class T>
void sum_rows(const Lines& lines, const T* from, T* to, std::int64_t n) {
  std::copy_n(from, n, to);
  for (std::int64_t i = 1; i < lines.length && !is_given_up(); ++i) {
    const T* const row = from + i * lines.from_step;
    const T* const before = to + (i - 1) * lines.to_step;
    T* const sums = to + i * lines.to_step;
    bring_in(row, std::min(n, kBringInBytes / static_cast<std::int64_t>(sizeof(T))));
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t c = 0; c < n; ++c) sums[c] = plus(before[c], row[c]);
  }
}

}  // namespace

void cumsum(const TileView& operand, std::size_t dimension, const TileOut& out, Direction direction) {
  const auto number = static_cast<std::uint8_t>(dimension);
  const auto others = other_dimensions(operand.shape.size(), std::span(&number, 1));
  const auto others_span = std::span(others.begin(), others.size());
  const TileView kept = chosen_dimensions(operand, others_span);
  const TileView kept_out = chosen_dimensions(dense_view(out), others_span);
  const bool backward = direction == Direction::backward;
  const std::int64_t sign = backward ? -1 : 1;
  const Lines lines{operand.shape[dimension], sign * operand.strides[dimension],
                    sign * dense_strides(out.shape)[dimension]};
  if (lines.length == 0) return;
  // The offset of the first element that is summed, from the beginning of its line.
  const std::int64_t from_first = backward ? -(lines.length - 1) * lines.from_step : 0;
  const std::int64_t to_first = backward ? -(lines.length - 1) * lines.to_step : 0;
  const auto nest = make_nest<2>(kept.shape, {kept.strides, kept_out.strides});
  const Offsets<2> steps = nest.inner_strides();
  // Lines side by side are summed in strips wide enough for the memory to be read in long runs.
  constexpr std::int64_t kStrip = 1024;
  const bool by_rows = steps == Offsets<2>{1, 1} && std::abs(lines.to_step) != 1;
  const std::int64_t lines_of_grain = std::max<std::int64_t>(4, kGrain / lines.length);
  const std::int64_t grain = by_rows ? std::max(kStrip, lines_of_grain) : lines_of_grain;
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
      for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
        const T* const from = typed<T>(operand) + at[0] + from_first;
        T* const to = typed<T>(out) + at[1] + to_first;
        if (by_rows)
          sum_rows(lines, from, to, n);
        else
          sum_lines(lines, from, steps[0], to, steps[1], n);
      });
    });
  });
}

namespace {

template <class How, class T>
void combine_run(bool first, T* out, std::int64_t out_stride, const T* part, std::int64_t part_stride, std::int64_t n) {
  if (first) {
    for (std::int64_t i = 0; i < n; ++i) out[i * out_stride] = part[i * part_stride];
  } else if (out_stride == 1 && part_stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = How::combine(out[i], part[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i * out_stride] = How::combine(out[i * out_stride], part[i * part_stride]);
  }
}

}  // namespace

void combine_parts(synth::ReduceOp op, std::span<const TileView> parts, const TileTarget& out) {
  std::vector<Nest<2>> nests;
  for (const TileView& part : parts) nests.push_back(make_nest<2>(part.shape, {out.strides, part.strides}));
  // All parts of a piece before the next piece, which therefore stays in the cache.
  constexpr std::int64_t kPiece = 4'096;
  synth::visit_element(parts[0].element, [&](auto zero) {
    using T = decltype(zero);
    visit_combine<T>(kind_of(op), [&](auto how) {
      using How = decltype(how);
      const auto piece = [&](std::int64_t begin, std::int64_t end) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const Offsets<2> steps = nests[k].inner_strides();
          for_runs(nests[k], begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
            T* const target = reinterpret_cast<T*>(out.data) + at[0];
            combine_run<How>(k == 0, target, steps[0], typed<T>(parts[k]) + at[1], steps[1], n);
          });
        }
      };
      parallel_ranges(nests[0].count, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t at = begin; at < end; at += kPiece) piece(at, std::min(end, at + kPiece));
      });
    });
  });
}

void fill_identity(synth::ReduceOp op, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    visit_combine<T>(kind_of(op), [&](auto how) {
      parallel_ranges(count(out.shape), kGrain, [&](std::int64_t begin, std::int64_t end) {
        std::fill(typed<T>(out) + begin, typed<T>(out) + end, decltype(how)::identity());
      });
    });
  });
}

}  // namespace tessera::runtime
