#include "runtime/kernels/running.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/running_blocks.hpp"

namespace tessera::runtime {

namespace {

// A carry's values of all lines of a tile.
template <class T>
struct CarriedLines {
  T* sums = nullptr;
  T* lost = nullptr;
  T* inside = nullptr;

  CarriedLines(const Carry& carry, std::int64_t lines) {
    T* next = reinterpret_cast<T*>(carry.data);
    const auto take = [&](bool has) {
      T* const own = has ? next : nullptr;
      if (has) next += lines;
      return own;
    };
    sums = take(carry.form.has_sum);
    lost = take(carry.form.has_lost);
    inside = take(carry.form.has_inside);
  }
};

// Some lines of a tile, which lie one step apart, and what stands in front of where they have come to.
template <class How, class T>
class LineStrip {
 public:
  using Element = T;
  LineStrip(const Lines& lines, const T* from, std::int64_t from_line, T* to, std::int64_t to_line, std::int64_t n,
            std::int64_t position)
      : lines_(lines), from_(from), from_line_(from_line), to_(to), to_line_(to_line), n_(n) {
    const std::int64_t cut = kRounds<How, T> ? position % kSumBlock : 0;
    head_ = cut == 0 ? 0 : std::min(kSumBlock - cut, lines.length);
    head_ends_block_ = cut + head_ == kSumBlock;
    is_by_rows_ = from_line == 1 && to_line == 1 && std::abs(lines.to_step) != 1;
  }

  void run_inside() const {
    for (std::int64_t at = head_; at < lines_.length && !is_given_up(); at += kSumBlock) {
      const std::int64_t count = std::min(kSumBlock, lines_.length - at);
      is_by_rows_ ? run_rows(at, count) : run_lines(at, count);
    }
  }

  // Lines `first` and so on of the carries.
  void carry_on(const CarriedLines<T>& in_front, const CarriedLines<T>& behind, std::int64_t first) {
    load(in_front, first);
    for (std::int64_t i = 0; i < head_; ++i) {
      for (std::int64_t k = 0; k < n_; ++k) inside_[at(k)] = How::combine(inside_[at(k)], from_at(k, i));
    }
    if (head_ends_block_) add(inside_);
    std::int64_t begin = head_;
    for (; begin + kSumBlock <= lines_.length && !is_given_up(); begin += kSumBlock) add(totals(begin, kSumBlock));
    const bool is_rest = begin < lines_.length;
    if (is_rest && !kRounds<How, T>) add(totals(begin, lines_.length - begin));
    if (is_rest && kRounds<How, T>) inside_ = totals(begin, lines_.length - begin);
    for (std::int64_t k = 0; k < n_; ++k) {
      if (behind.sums != nullptr) behind.sums[first + k] = before_[at(k)].sum();
      if (behind.lost != nullptr) behind.lost[first + k] = before_[at(k)].lost();
      if (behind.inside != nullptr) behind.inside[first + k] = inside_[at(k)];
    }
  }

  void put_in_front(const CarriedLines<T>& in_front, std::int64_t first) {
    load(in_front, first);
    std::vector<T> values = values_before();
    for (std::int64_t i = 0; i < head_; ++i) {
      for (std::int64_t k = 0; k < n_; ++k) {
        inside_[at(k)] = How::combine(inside_[at(k)], from_at(k, i));
        to_at(k, i) = How::combine(values[at(k)], inside_[at(k)]);
      }
    }
    if (head_ends_block_) add(inside_);
    for (std::int64_t begin = head_; begin < lines_.length && !is_given_up(); begin += kSumBlock) {
      const std::int64_t count = std::min(kSumBlock, lines_.length - begin);
      values = values_before();
      add(totals(begin, count));
      put_in_front_of(begin, count, values);
    }
  }

 private:
  static std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }
  T from_at(std::int64_t k, std::int64_t i) const { return from_[k * from_line_ + i * lines_.from_step]; }
  T& to_at(std::int64_t k, std::int64_t i) const { return to_[k * to_line_ + i * lines_.to_step]; }

  void run_rows(std::int64_t begin, std::int64_t count) const {
    std::copy_n(from_ + begin * lines_.from_step, n_, to_ + begin * lines_.to_step);
    for (std::int64_t i = begin + 1; i < begin + count; ++i) {
      const T* const row = from_ + i * lines_.from_step;
      const T* const last = to_ + (i - 1) * lines_.to_step;
      T* const sums = to_ + i * lines_.to_step;
      TESSERA_INDEPENDENT_ROUNDS
      for (std::int64_t k = 0; k < n_; ++k) sums[k] = How::combine(last[k], row[k]);
    }
  }
  void run_lines(std::int64_t begin, std::int64_t count) const {
    const T* const from = from_ + begin * lines_.from_step;
    T* const to = to_ + begin * lines_.to_step;
    std::int64_t k = 0;
    for (; k + kLinesAtOnce <= n_; k += kLinesAtOnce)
      runtime::run_inside<How, false>(lines_, starts_of(from + k * from_line_, from_line_),
                                      starts_of(to + k * to_line_, to_line_), count, {});
    for (; k < n_; ++k) {
      const std::array<const T*, 1> start{from + k * from_line_};
      const std::array<T*, 1> target{to + k * to_line_};
      runtime::run_inside<How, false, T, 1>(lines_, start, target, count, {});
    }
  }

  void load(const CarriedLines<T>& in_front, std::int64_t first) {
    inside_.assign(at(n_), kNothing);
    before_.clear();
    for (std::int64_t k = 0; k < n_; ++k) {
      before_.emplace_back(in_front.sums == nullptr ? kNothing : in_front.sums[first + k],
                           in_front.lost == nullptr ? T{} : in_front.lost[first + k]);
      if (in_front.inside != nullptr) inside_[at(k)] = in_front.inside[first + k];
    }
  }
  void add(const std::vector<T>& totals) {
    for (std::int64_t k = 0; k < n_; ++k) before_[at(k)].add(totals[at(k)]);
  }
  std::vector<T> values_before() const {
    std::vector<T> values;
    for (const Before<How, T>& before : before_) values.push_back(before.value());
    return values;
  }
  // The last sums inside a block, before anything is put in front of them.
  std::vector<T> totals(std::int64_t begin, std::int64_t count) const {
    std::vector<T> all;
    for (std::int64_t k = 0; k < n_; ++k) all.push_back(to_at(k, begin + count - 1));
    return all;
  }
  void put_in_front_of(std::int64_t begin, std::int64_t count, const std::vector<T>& values) const {
    if (!is_by_rows_) {
      for (std::int64_t k = 0; k < n_; ++k)
        runtime::put_in_front<How>(lines_, to_ + k * to_line_ + begin * lines_.to_step, count, values[at(k)]);
      return;
    }
    for (std::int64_t i = begin; i < begin + count; ++i) {
      T* const sums = to_ + i * lines_.to_step;
      TESSERA_INDEPENDENT_ROUNDS
      for (std::int64_t k = 0; k < n_; ++k) sums[k] = How::combine(values[at(k)], sums[k]);
    }
  }

  static constexpr T kNothing = How::identity();
  Lines lines_;
  const T* from_;
  std::int64_t from_line_;
  T* to_;
  std::int64_t to_line_;
  std::int64_t n_;
  std::int64_t head_ = 0;  // positions that belong to a block begun in front of the tile
  bool head_ends_block_ = false;
  bool is_by_rows_ = false;
  std::vector<Before<How, T>> before_;
  std::vector<T> inside_;
};

constexpr std::int64_t kLinesOfStrip = 1024;

}  // namespace

// Calls f(strip, number of its first line, lines in all).
template <class F>
void RunningTile::for_strips(const F& f) const {
  const auto number = static_cast<std::uint8_t>(dimension_);
  const auto others = other_dimensions(operand_.shape.size(), std::span(&number, 1));
  const auto others_span = std::span(others.begin(), others.size());
  const TileView kept = chosen_dimensions(operand_, others_span);
  const TileView kept_out = chosen_dimensions(dense_view(out_), others_span);
  const std::int64_t sign = direction_ == Direction::backward ? -1 : 1;
  const Lines lines{operand_.shape[dimension_], sign * operand_.strides[dimension_],
                    sign * dense_strides(out_.shape)[dimension_]};
  const std::int64_t from_first = sign < 0 ? -(lines.length - 1) * lines.from_step : 0;
  const std::int64_t to_first = sign < 0 ? -(lines.length - 1) * lines.to_step : 0;
  const auto nest = make_nest<2>(kept.shape, {kept.strides, kept_out.strides});
  const Offsets<2> steps = nest.inner_strides();
  const std::int64_t grain = std::max<std::int64_t>(kLinesAtOnce, kGrain / std::max<std::int64_t>(1, lines.length));
  synth::visit_element(operand_.element, [&](auto zero) {
    using T = decltype(zero);
    visit_scan<T>(op_, [&](auto how) {
      parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
        for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<2>& start, std::int64_t n) {
          for (std::int64_t k = 0; k < n; k += kLinesOfStrip) {
            const T* const from = typed<T>(operand_) + start[0] + from_first + k * steps[0];
            T* const to = typed<T>(out_) + start[1] + to_first + k * steps[1];
            LineStrip<decltype(how), T> strip(lines, from, steps[0], to, steps[1], std::min(kLinesOfStrip, n - k),
                                              position_);
            f(strip, position + k, nest.count);
          }
        });
      });
    });
  });
}

void RunningTile::run_inside() const {
  if (is_empty(out_.shape)) return;
  for_strips([](auto& strip, std::int64_t, std::int64_t) { strip.run_inside(); });
}

namespace {

template <class Strip>
CarriedLines<typename Strip::Element> lines_of(const Strip&, const Carry& carry, std::int64_t lines) {
  return CarriedLines<typename Strip::Element>(carry, lines);
}

}  // namespace

void RunningTile::carry_on(const Carry& in_front, const Carry& behind) const {
  for_strips([&](auto& strip, std::int64_t first, std::int64_t lines) {
    strip.carry_on(lines_of(strip, in_front, lines), lines_of(strip, behind, lines), first);
  });
}

void RunningTile::put_in_front(const Carry& in_front) const {
  if (is_empty(out_.shape)) return;
  for_strips([&](auto& strip, std::int64_t first, std::int64_t lines) {
    strip.put_in_front(lines_of(strip, in_front, lines), first);
  });
}

}  // namespace tessera::runtime
