#include "runtime/kernels/take.hpp"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <memory>
#include <optional>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/ids.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

std::optional<BadId> read_rows(const TileView& ids, std::int64_t rows, std::vector<std::int64_t>& into) {
  const Ids list(ids);
  if (const auto bad = list.first_outside(-rows, rows)) return bad;
  into.resize(static_cast<std::size_t>(list.size()));
  parallel_ranges(list.size(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    list.read(begin, end, into.data() + begin);
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t& row = into[static_cast<std::size_t>(i)];
      row = row < 0 ? row + rows : row;
    }
  });
  return std::nullopt;
}

// A long row is copied by many cores, who can be stopped.
TableRows::TableRows(const TileView& table, std::int64_t first_row)
    : row_{table.element, {}, {}, table.data}, first_row_(first_row), count_(table.shape[0]) {
  for (std::size_t d = 1; d < table.shape.size(); ++d) {
    row_.shape.push_back(table.shape[d]);
    row_.strides.push_back(table.strides[d]);
  }
  length_ = count(row_.shape);
  step_bytes_ = table.strides[0] * synth::bytes_of(table.element);
  is_plain_ = is_dense(row_.shape, row_.strides) && length_ <= kGrain;
}

TileView TableRows::row(std::int64_t number) const {
  TileView row = row_;
  row.data += (number - first_row_) * step_bytes_;
  return row;
}

void TableRows::copy_part(std::int64_t number, const synth::Box& box, std::byte* to) const {
  const synth::Shape shape = synth::shape_of(box);
  if (shape == row_.shape) return copy(number, to);
  synth::Shape begin;
  for (const synth::Interval& interval : box) begin.push_back(interval.begin);
  copy_elements(part_of(row(number), begin, shape), TileOut{row_.element, shape, to});
}

void TableRows::copy(std::int64_t number, std::byte* to) const {
  if (length_ == 0) return;  // such a table may be nowhere
  if (is_plain_)
    std::memcpy(to, row_.data + (number - first_row_) * step_bytes_, static_cast<std::size_t>(row_bytes()));
  else
    copy_elements(row(number), TileOut{row_.element, row_.shape, to});
}

std::optional<BadId> take(const TileView& table, std::int64_t first_row, std::int64_t rows, const TileView& ids,
                          const TileOut& out) {
  const Ids list(ids);
  if (const auto bad = list.first_outside(-rows, rows)) return bad;
  if (is_given_up()) return std::nullopt;  // ids that nobody has looked at may be anything
  const TableRows held(table, first_row);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, held.row_length()));
  parallel_ranges(list.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    IdsInOrder named(list, end);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t id = named(i);
      const std::int64_t number = id < 0 ? id + rows : id;
      std::byte* const to = out.data + i * held.row_bytes();
      if (held.has(number))
        held.copy(number, to);
      else
        fill_identity(synth::ReduceOp::sum, TileOut{out.element, held.row_shape(), to});
    }
  });
  return std::nullopt;
}

void fill_zeros(const TileOut& out) {
  const std::int64_t bytes = count(out.shape) * synth::bytes_of(out.element);
  parallel_ranges(bytes, kGrain * 8, [&](std::int64_t begin, std::int64_t end) {
    std::memset(out.data + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

namespace {

// The rows that ids name, read where the ids lie: a negative one counts from the end.
struct NamedRows {
  const Ids& ids;
  std::int64_t rows;

  std::int64_t size() const { return ids.size(); }
  auto in_order() const {
    return [named = IdsInOrder(ids, ids.size()), of = rows](std::int64_t i) mutable {
      const std::int64_t id = named(i);
      return id < 0 ? id + of : id;
    };
  }
};
struct ListedRows {
  std::span<const std::int64_t> rows;

  std::int64_t size() const { return std::ssize(rows); }
  auto in_order() const {
    return [of = rows](std::int64_t i) { return of[static_cast<std::size_t>(i)]; };
  }
};

// Cut by columns, so that every sum runs in the order of the rows.
template <class T, class Rows>
void add_rows_of(const T* values, const Rows& rows, std::int64_t first_row, const TileOut& out) {
  const std::int64_t held = out.shape[0];
  const std::int64_t length = held == 0 ? 0 : count(out.shape) / held;
  const std::int64_t grain = std::max<std::int64_t>(64, kGrain / std::max<std::int64_t>(1, rows.size()));
  parallel_ranges(length, grain, [&](std::int64_t begin, std::int64_t end) {
    auto row_of = rows.in_order();
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      if (i % kGrain == 0 && is_given_up()) return;
      const std::int64_t row = row_of(i) - first_row;
      if (row < 0 || row >= held) continue;
      T* const sums = typed<T>(out) + row * length;
      const T* const added = values + i * length;
      for (std::int64_t c = begin; c < end; ++c) sums[c] = plus(sums[c], added[c]);
    }
  });
}

template <class Rows>
void add_rows_named(const TileView& values, const Rows& rows, std::int64_t first_row, const TileOut& out) {
  std::unique_ptr<std::byte[]> dense;
  const std::byte* from = values.data;
  if (!is_dense(values.shape, values.strides)) {
    dense = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(count(values.shape) * synth::bytes_of(values.element)));
    copy_elements(values, TileOut{values.element, values.shape, dense.get()});
    from = dense.get();
  }
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::same_as<T, bool>)
      throw base::InternalError("rows of bool are not added");
    else
      add_rows_of(reinterpret_cast<const T*>(from), rows, first_row, out);
  });
}

}  // namespace

void add_rows(const TileView& values, std::span<const std::int64_t> rows, std::int64_t first_row, const TileOut& out) {
  add_rows_named(values, ListedRows{rows}, first_row, out);
}

std::optional<BadId> scatter_add(const TileView& values, const TileView& ids, std::int64_t first_row, std::int64_t rows,
                                 const TileOut& out) {
  const Ids list(ids);
  if (const auto bad = list.first_outside(-rows, rows)) return bad;
  if (is_given_up()) return std::nullopt;
  fill_zeros(out);
  add_rows_named(values, NamedRows{list, rows}, first_row, out);
  return std::nullopt;
}

namespace {

// Calls f(ids, number of the line, its first element) for every line along the last dimension.
template <class T, class F>
void for_lines(const TileView& array, const Ids& ids, const F& f) {
  TileView starts = array;
  starts.shape.pop_back();
  starts.strides.pop_back();
  const std::int64_t length = std::max<std::int64_t>(1, array.shape.back());
  const auto nest = make_nest<1>(starts.shape, {starts.strides});
  parallel_ranges(nest.count, std::max<std::int64_t>(1, kGrain / length), [&](std::int64_t begin, std::int64_t end) {
    IdsInOrder named(ids, end * (ids.size() / nest.count));
    for_runs(nest, begin, end, [&](std::int64_t number, const Offsets<1>& at, std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) f(named, number + k, typed<T>(array) + at[0] + k * nest.inner_strides()[0]);
    });
  });
}

// Calls f(i, place) for every id of a line that names a place in [first, first + held), place counted from first.
template <class Named, class F>
void for_places(Named&& ids, std::int64_t line, std::int64_t length, std::int64_t places, const synth::Interval& held,
                const F& f) {
  for (std::int64_t i = 0; i < length; ++i) {
    if (i % kGrain == 0 && is_given_up()) return;
    const std::int64_t id = ids(line * length + i);
    const std::int64_t place = id < 0 ? id + places : id;
    if (place >= held.begin && place < held.end) f(i, place - held.begin);
  }
}

}  // namespace

std::optional<BadId> take_along(const TileView& table, std::int64_t first, std::int64_t places, const TileView& ids,
                                const TileOut& out) {
  const Ids list(ids);
  if (const auto bad = list.first_outside(-places, places)) return bad;
  if (is_given_up()) return std::nullopt;
  const std::int64_t length = ids.shape.back();
  const std::int64_t step = table.strides.back();
  const synth::Interval held{first, first + table.shape.back()};
  fill_identity(synth::ReduceOp::sum, out);
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    for_lines<T>(table, list, [&](IdsInOrder& named, std::int64_t line, const T* from) {
      T* const to = typed<T>(out) + line * length;
      for_places(named, line, length, places, held,
                 [&](std::int64_t i, std::int64_t place) { to[i] = from[place * step]; });
    });
  });
  return std::nullopt;
}

std::optional<BadId> scatter_add_along(const TileView& values, const TileView& ids, std::int64_t first,
                                       std::int64_t places, const TileOut& out) {
  const Ids list(ids);
  if (const auto bad = list.first_outside(-places, places)) return bad;
  if (is_given_up()) return std::nullopt;
  const std::int64_t length = ids.shape.back();
  const std::int64_t step = values.strides.back();
  const synth::Interval held{first, first + out.shape.back()};
  fill_zeros(out);
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::same_as<T, bool>)
      throw base::InternalError("bools are not added");
    else
      for_lines<T>(values, list, [&](IdsInOrder& named, std::int64_t line, const T* from) {
        T* const to = typed<T>(out) + line * held.length();
        for_places(named, line, length, places, held,
                   [&](std::int64_t i, std::int64_t place) { to[place] = plus(to[place], from[i * step]); });
      });
  });
  return std::nullopt;
}

void add_along(const TileView& values, std::span<const std::int64_t> named, const synth::Interval& held,
               const TileTarget& out) {
  TileView lines = values;
  lines.shape.pop_back();
  lines.strides.pop_back();
  const synth::Shape of_sums(out.strides.begin(), out.strides.end() - 1);
  const std::int64_t length = values.shape.back();
  const std::int64_t step = values.strides.back();
  const auto nest = make_nest<2>(lines.shape, {lines.strides, of_sums});
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, length));
  synth::visit_element(values.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::same_as<T, bool>)
      throw base::InternalError("bools are not added");
    else
      parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
        for_runs(nest, begin, end, [&](std::int64_t number, const Offsets<2>& at, std::int64_t n) {
          for (std::int64_t k = 0; k < n; ++k) {
            const T* const from = typed<T>(values) + at[0] + k * nest.inner_strides()[0];
            T* const to = reinterpret_cast<T*>(out.data) + at[1] + k * nest.inner_strides()[1];
            for_places(ListedRows{named}.in_order(), number + k, length, 0, held,
                       [&](std::int64_t i, std::int64_t place) { to[place] = plus(to[place], from[i * step]); });
          }
        });
      });
  });
}

void add_elements(const std::byte* values, std::span<const std::int64_t> numbers, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::same_as<T, bool>)
      throw base::InternalError("bools are not added");
    else
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        T& sum = typed<T>(out)[numbers[i]];
        sum = plus(sum, reinterpret_cast<const T*>(values)[i]);
      }
  });
}

std::optional<BadId> one_hot(const TileView& ids, std::int64_t n, const TileOut& out) {
  const Ids list(ids);
  if (const auto bad = list.first_outside(0, n)) return bad;
  if (is_given_up()) return std::nullopt;
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    // Cut where the result is: a row may be long.
    const std::int64_t grain =
        n <= kGrain ? std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, n)) * n : kGrain;
    parallel_ranges(list.size() * n, grain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(typed<T>(out) + begin, typed<T>(out) + end, T{});
      IdsInOrder named(list, (end + n - 1) / n);
      for (std::int64_t i = begin / n; i * n < end; ++i) {
        const std::int64_t at = i * n + named(i);
        if (at >= begin && at < end) typed<T>(out)[at] = static_cast<T>(1);
      }
    });
  });
  return std::nullopt;
}

}  // namespace tessera::runtime
