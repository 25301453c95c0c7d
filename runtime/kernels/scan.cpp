// Operations that walk along a dimension and keep positions: arg_reduce and cumsum.
#include <algorithm>
#include <array>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"

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

// The greatest (least) of a block, whichever of equals it is; NaN if there is one.
template <class T, class Better>
T best_of_block(const T* x, std::int64_t n, const Better& better) {
  constexpr std::int64_t kLanes = 16;
  T best = x[0];
  std::int64_t i = 0;
  if (n >= kLanes) {
    std::array<T, kLanes> lanes;
    std::copy_n(x, kLanes, lanes.begin());
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = better(lanes[k], x[i + k]);
    }
    for (std::int64_t k = 0; k < kLanes; ++k) best = better(best, lanes[k]);
  }
  for (; i < n; ++i) best = better(best, x[i]);
  return best;
}

// Elements side by side: a block is searched only if something in it beats all before it.
template <class T>
std::int64_t best_in_row(bool max, const T* row, std::int64_t length) {
  constexpr std::int64_t kBlock = 256;
  std::int64_t best = 0;
  T best_value = row[0];
  for (std::int64_t at = 0; at < length; at += kBlock) {
    const std::int64_t n = std::min(kBlock, length - at);
    const T value = max ? best_of_block(row + at, n, [](T a, T b) { return larger(a, b); })
                        : best_of_block(row + at, n, [](T a, T b) { return smaller(a, b); });
    if (!beats(max, value, best_value)) continue;
    const auto is_it = [&](T x) { return x == value || (is_nan(x) && is_nan(value)); };
    best = std::find_if(row + at, row + at + n, is_it) - row;
    best_value = value;
  }
  return best;
}

template <class T>
std::int64_t best_position(bool max, const Nest<1>& nest, const T* line) {
  if (nest.rank == 1 && nest.inner_strides()[0] == 1) return best_in_row(max, line, nest.count);
  std::int64_t best = 0;
  T best_value = line[0];
  const std::int64_t stride = nest.inner_strides()[0];
  for_runs(nest, 0, nest.count, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T value = line[offsets[0] + i * stride];
      if (!beats(max, value, best_value)) continue;
      best = position + i;
      best_value = value;
    }
  });
  return best;
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
    for_lines(kept, typed<T>(operand), nest.count, [&](std::int64_t o, const T* first) {
      typed<std::int64_t>(out)[o] = nest.count == 0 ? 0 : best_position(max, nest, first);
    });
  });
}

void cumsum(const TileView& operand, std::size_t dimension, const TileOut& out) {
  const auto number = static_cast<std::uint8_t>(dimension);
  const auto others = other_dimensions(operand.shape.size(), std::span(&number, 1));
  const auto others_span = std::span(others.begin(), others.size());
  const TileView kept = chosen_dimensions(operand, others_span);
  const TileView kept_out = chosen_dimensions(dense_view(out), others_span);
  const std::int64_t length = operand.shape[dimension];
  const std::int64_t stride = operand.strides[dimension];
  const std::int64_t out_stride = dense_strides(out.shape)[dimension];
  const auto nest = make_nest<2>(kept.shape, {kept.strides, kept_out.strides});
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    const auto line = [&](const T* in, T* sums) {
      for (std::int64_t begin = 0; begin < length && !is_given_up(); begin += kGrain) {
        for (std::int64_t i = begin; i < std::min(begin + kGrain, length); ++i)
          sums[i * out_stride] = i == 0 ? in[0] : plus(sums[(i - 1) * out_stride], in[i * stride]);
      }
    };
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, length));
    parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
      for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
        const auto& steps = nest.inner_strides();
        for (std::int64_t i = 0; i < n; ++i) {
          line(typed<T>(operand) + at[0] + i * steps[0], typed<T>(out) + at[1] + i * steps[1]);
        }
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
