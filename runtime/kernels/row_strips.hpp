// Rows of results that are reduced side by side: cut in strips of columns, and in stretches of the rows that are added
// up in each. Stretches are reduced apart, in parallel, and joined in pairs, so that the order of additions is that of
// one long PairwiseJoin for every column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce_blocks.hpp"

namespace tessera::runtime {

// out[i] becomes a[i] and b[i] combined; `out` may be one of them.
template <class T>
using JoinRows = void (*)(const T* a, const T* b, T* out, std::int64_t n);

// A PairwiseJoin for each of some columns.
template <class T>
class RowCascade {
 public:
  RowCascade(JoinRows<T> join_two, std::int64_t width) : join_two_(join_two), width_(width) {}

  // `row` is changed.
  void push(T* row) {
    std::size_t level = 0;
    for (std::uint64_t bits = pushed_; (bits & 1U) != 0; bits >>= 1U, ++level) join_rows(levels_[level].get(), row);
    if (level == levels_.size()) levels_.push_back(std::make_unique<T[]>(static_cast<std::size_t>(width_)));
    std::copy_n(row, width_, levels_[level].get());
    ++pushed_;
  }
  // `last` comes after all that was pushed, and becomes what all are joined to.
  void join_with(T* last) const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((pushed_ >> level & 1U) != 0) join_rows(levels_[level].get(), last);
    }
  }
  // What has been pushed, at least one row, is joined in `out`.
  void join(T* out) const {
    bool any = false;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((pushed_ >> level & 1U) == 0) continue;
      if (any)
        join_rows(levels_[level].get(), out);
      else
        std::copy_n(levels_[level].get(), width_, out);
      any = true;
    }
  }

 private:
  void join_rows(const T* before, T* row) const { join_two_(before, row, row, width_); }
  JoinRows<T> join_two_;
  std::int64_t width_;
  std::vector<std::unique_ptr<T[]>> levels_;
  std::uint64_t pushed_ = 0;
};

// How the rows behind each group of `columns` results are cut into tasks. A stretch has 128 * 2^k rows, so that it
// leaves the cascade as one row.
class RowCut {
 public:
  RowCut(std::int64_t columns, std::int64_t rows, std::int64_t strip)
      : columns_(columns), rows_(rows), strip_(strip), strips_((columns + strip - 1) / strip) {
    while (stretch_ * slot() < 16 * kGrain) stretch_ *= 2;
  }

  // A strip's stretch: `width` results from number `first` on, and the rows [begin, end) of their group.
  struct Part {
    std::int64_t first, width, begin, end;
  };
  // Strips are numbered through all groups.
  Part part(std::int64_t strip, std::int64_t stretch) const {
    const std::int64_t column = strip % strips_ * strip_;
    const std::int64_t begin = stretch * stretch_;
    return {strip / strips_ * columns_ + column, std::min(strip_, columns_ - column), begin,
            std::min(rows_, begin + stretch_)};
  }
  std::int64_t columns() const { return columns_; }
  std::int64_t strips() const { return strips_; }  // of a group
  std::int64_t stretches() const { return std::max<std::int64_t>(1, (rows_ + stretch_ - 1) / stretch_); }
  // The most results that a part has.
  std::int64_t slot() const { return std::min(columns_, strip_); }
  // The most rows that a part has.
  std::int64_t stretch() const { return std::min(rows_, stretch_); }

 private:
  std::int64_t columns_, rows_, strip_, strips_;
  std::int64_t stretch_ = kReduceBlock;
};

// Reduces what `part` reduces: part(RowCut::Part, target) writes the results of a part side by side.
template <class T, class Part>
class StripReduction {
 public:
  StripReduction(JoinRows<T> join_two, const RowCut& cut, std::int64_t groups, T* out, const Part& part)
      : join_two_(join_two), cut_(cut), strips_(groups * cut.strips()), out_(out), part_(part) {}

  void run() const {
    if (cut_.stretches() == 1)
      run_whole();
    else if (cut_.stretches() <= at_once())
      run_strips();
    else
      for (std::int64_t strip = 0; strip < strips_ && !is_given_up(); ++strip) run_long_strip(strip);
  }

 private:
  // The stretches whose results are remembered at a time.
  std::int64_t at_once() const { return (std::int64_t{1} << 20U) / cut_.slot(); }

  void run_whole() const {
    const std::int64_t work = cut_.stretch() * cut_.slot();
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, work));
    parallel_ranges(strips_, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t strip = begin; strip < end; ++strip) {
        const RowCut::Part whole = cut_.part(strip, 0);
        part_(whole, out_ + whole.first);
      }
    });
  }
  // Some strips at a time, each with all of its stretches.
  void run_strips() const {
    const std::int64_t some = std::min(strips_, at_once() / cut_.stretches());
    const auto parts = memory(some * cut_.stretches());
    for (std::int64_t strip = 0; strip < strips_ && !is_given_up(); strip += some) {
      const std::int64_t n = std::min(some, strips_ - strip);
      parallel_each(n * cut_.stretches(), [&](std::int64_t item) {
        part_(cut_.part(strip + item / cut_.stretches(), item % cut_.stretches()), parts.get() + item * cut_.slot());
      });
      parallel_each(n, [&](std::int64_t k) {
        RowCascade<T> cascade(join_two_, cut_.part(strip + k, 0).width);
        push(cascade, parts.get() + k * cut_.stretches() * cut_.slot(), cut_.stretches());
        cascade.join(out_ + cut_.part(strip + k, 0).first);
      });
    }
  }
  // One strip, some of its stretches at a time.
  void run_long_strip(std::int64_t strip) const {
    const auto parts = memory(at_once());
    RowCascade<T> cascade(join_two_, cut_.part(strip, 0).width);
    for (std::int64_t stretch = 0; stretch < cut_.stretches() && !is_given_up(); stretch += at_once()) {
      const std::int64_t n = std::min(at_once(), cut_.stretches() - stretch);
      parallel_each(n, [&](std::int64_t k) { part_(cut_.part(strip, stretch + k), parts.get() + k * cut_.slot()); });
      push(cascade, parts.get(), n);
    }
    cascade.join(out_ + cut_.part(strip, 0).first);
  }
  std::unique_ptr<T[]> memory(std::int64_t stretches) const {
    return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(stretches * cut_.slot()));
  }
  void push(RowCascade<T>& cascade, T* parts, std::int64_t n) const {
    for (std::int64_t k = 0; k < n; ++k) cascade.push(parts + k * cut_.slot());
  }

  JoinRows<T> join_two_;
  const RowCut& cut_;
  std::int64_t strips_;
  T* out_;
  const Part& part_;
};

}  // namespace tessera::runtime
