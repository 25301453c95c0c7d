// Running sums and their kin, and what several devices hold combined.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/bring_in.hpp"
#include "runtime/kernels/complex_parts.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/running_blocks.hpp"

namespace tessera::runtime {

namespace {

// N lines, block by block from position `at` on. What is before the first block, the identity, would change no element.
template <class How, std::size_t N, class T>
void run_blocks(const Lines& lines, const std::array<const T*, N>& from, const std::array<T*, N>& to,
                std::array<Before<How, T>, N>& all_before, std::int64_t at) {
  for (; at < lines.length && !is_given_up(); at += kSumBlock) {
    const std::int64_t n = std::min(kSumBlock, lines.length - at);
    std::array<const T*, N> starts;
    std::array<T*, N> targets;
    std::array<T, N> before;
    for (std::size_t k = 0; k < N; ++k) {
      starts[k] = from[k] + at * lines.from_step;
      targets[k] = to[k] + at * lines.to_step;
      before[k] = all_before[k].value();
    }
    const std::array<T, N> totals = at == 0 ? run_inside<How, false>(lines, starts, targets, n, before)
                                            : run_inside<How, true>(lines, starts, targets, n, before);
    for (std::size_t k = 0; k < N; ++k) all_before[k].add(totals[k]);
  }
}

// One line, several of its blocks at once.
template <class How, class T>
void run_line(const Lines& lines, const T* from, T* to) {
  std::array<Before<How, T>, 1> before;
  std::int64_t at = 0;
  for (; at + kLinesAtOnce * kSumBlock <= lines.length && !is_given_up(); at += kLinesAtOnce * kSumBlock) {
    const auto targets = starts_of(to + at * lines.to_step, kSumBlock * lines.to_step);
    const auto starts = starts_of(from + at * lines.from_step, kSumBlock * lines.from_step);
    const auto totals = run_inside<How, false>(lines, starts, targets, kSumBlock, {});
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (targets[k] != to) put_in_front<How>(lines, targets[k], kSumBlock, before[0].value());
      before[0].add(totals[k]);
    }
  }
  run_blocks<How, 1, T>(lines, {from}, {to}, before, at);
}

// n lines, whose first elements are so far apart.
template <class How, class T>
void run_lines(const Lines& lines, const T* from, std::int64_t from_line, T* to, std::int64_t to_line, std::int64_t n) {
  std::int64_t k = 0;
  for (; k + kLinesAtOnce <= n; k += kLinesAtOnce) {
    if (lines.length <= kSumBlock) {
      run_inside<How, false>(lines, starts_of(from + k * from_line, from_line), starts_of(to + k * to_line, to_line),
                             lines.length, {});
      continue;
    }
    std::array<Before<How, T>, kLinesAtOnce> before;
    run_blocks<How, kLinesAtOnce, T>(lines, starts_of(from + k * from_line, from_line),
                                     starts_of(to + k * to_line, to_line), before, 0);
  }
  for (; k < n; ++k) run_line<How>(lines, from + k * from_line, to + k * to_line);
}

// n lines side by side: row by row.
template <class How, class T>
class SideBySide {
 public:
  SideBySide(const Lines& lines, std::int64_t n)
      : lines_(lines), n_(n), is_long_(lines.length > kSumBlock), totals_(is_long_ ? n : 0) {
    if (!is_long_) return;
    inside_ = std::make_unique<T[]>(static_cast<std::size_t>(n));
    before_ = std::make_unique<T[]>(static_cast<std::size_t>(n));
  }

  void run(const T* from, T* to) {
    for (std::int64_t i = 0; i < lines_.length && !is_given_up(); ++i) {
      const T* const row = from + i * lines_.from_step;
      T* const sums = to + i * lines_.to_step;
      bring_in(row, std::min(n_, kBringInBytes / static_cast<std::int64_t>(sizeof(T))));
      if (i == 0)
        std::copy_n(row, n_, sums);
      else if (i < kSumBlock)
        combine_rows(sums - lines_.to_step, row, sums);
      else
        combine_inside(i, row, i == kSumBlock ? sums - lines_.to_step : inside_.get(), sums);
    }
  }

 private:
  void combine_rows(const T* last, const T* row, T* sums) const {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t c = 0; c < n_; ++c) sums[c] = How::combine(last[c], row[c]);
  }
  // `totals` are those of the block before where row i begins one.
  void combine_inside(std::int64_t i, const T* row, const T* totals, T* sums) {
    T* const inside = inside_.get();
    T* const before = before_.get();
    if (i % kSumBlock == 0) {
      for (std::int64_t c = 0; c < n_; ++c) {
        totals_[static_cast<std::size_t>(c)].add(totals[c]);
        before[c] = totals_[static_cast<std::size_t>(c)].value();
      }
      std::fill_n(inside, n_, How::identity());
    }
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t c = 0; c < n_; ++c) {
      inside[c] = How::combine(inside[c], row[c]);
      sums[c] = How::combine(before[c], inside[c]);
    }
  }

  Lines lines_;
  std::int64_t n_;
  bool is_long_;
  std::vector<Before<How, T>> totals_;  // of each line
  std::unique_ptr<T[]> inside_, before_;
};

}  // namespace

void scan(synth::ReduceOp op, const TileView& operand, std::size_t dimension, const TileOut& out, Direction direction) {
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
  // The offset of the first element that counts, from the beginning of its line.
  const std::int64_t from_first = backward ? -(lines.length - 1) * lines.from_step : 0;
  const std::int64_t to_first = backward ? -(lines.length - 1) * lines.to_step : 0;
  const auto nest = make_nest<2>(kept.shape, {kept.strides, kept_out.strides});
  const Offsets<2> steps = nest.inner_strides();
  // Lines side by side are gone along in strips wide enough for the memory to be read in long runs.
  constexpr std::int64_t kStrip = 1024;
  const bool by_rows = steps == Offsets<2>{1, 1} && std::abs(lines.to_step) != 1;
  const std::int64_t lines_of_grain = std::max(kLinesAtOnce, kGrain / lines.length);
  const std::int64_t grain = by_rows ? std::max(kStrip, lines_of_grain) : lines_of_grain;
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    visit_scan<T>(op, [&](auto how) {
      using How = decltype(how);
      parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
        for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
          const T* const from = typed<T>(operand) + at[0] + from_first;
          T* const to = typed<T>(out) + at[1] + to_first;
          if (by_rows)
            SideBySide<How, T>(lines, n).run(from, to);
          else
            run_lines<How>(lines, from, steps[0], to, steps[1], n);
        });
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

namespace {

void combine_complex(std::span<const TileView> numbers, const TileTarget& out) {
  const std::int64_t bytes = synth::bytes_of(synth::part_of(numbers[0].element));
  const synth::Shape strides = part_strides(out.strides);
  for (const Part part : {Part::real, Part::imaginary}) {
    std::vector<TileView> parts;
    for (const TileView& own : numbers) parts.push_back(part_view(own, part));
    combine_parts(synth::ReduceOp::sum, parts, TileTarget{strides, out.data + (part == Part::imaginary ? bytes : 0)});
  }
}

}  // namespace

void combine_parts(synth::ReduceOp op, std::span<const TileView> parts, const TileTarget& out) {
  if (synth::is_complex(parts[0].element)) {
    TESSERA_CHECK(op == synth::ReduceOp::sum, "complex numbers are only added up");
    return combine_complex(parts, out);
  }
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
  if (synth::is_complex(out.element))
    return fill_identity(op, TileOut{synth::part_of(out.element), synth::Shape{2 * count(out.shape)}, out.data});
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
