#include "runtime/kernels/take.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

// The ids as a plain list.
std::vector<std::int64_t> listed(const TileView& ids) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(count(ids.shape)));
  synth::visit_element(ids.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!Integer<T>) {
      throw base::InternalError("ids are not integers");
    } else {
      const auto nest = make_nest<1>(ids.shape, {ids.strides});
      const std::int64_t stride = nest.inner_strides()[0];
      for_runs(nest, 0, nest.count, [&](std::int64_t position, const Offsets<1>& at, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) list[position + i] = typed<T>(ids)[at[0] + i * stride];
      });
    }
  });
  return list;
}

std::optional<BadId> first_outside(const std::vector<std::int64_t>& ids, std::int64_t low, std::int64_t high) {
  const auto found = std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) { return id < low || id >= high; });
  if (found == ids.end()) return std::nullopt;
  return BadId{found - ids.begin(), *found};
}

}  // namespace

std::optional<BadId> take(const TileView& table, std::int64_t first_row, std::int64_t rows, const TileView& ids,
                          const TileOut& out) {
  std::vector<std::int64_t> list = listed(ids);
  if (const auto bad = first_outside(list, -rows, rows)) return bad;
  for (std::int64_t& id : list) id = (id < 0 ? id + rows : id) - first_row;
  TileView row{table.element, {}, {}, table.data};
  for (std::size_t d = 1; d < table.shape.size(); ++d) {
    row.shape.push_back(table.shape[d]);
    row.strides.push_back(table.strides[d]);
  }
  const std::int64_t length = count(row.shape);
  const std::int64_t row_bytes = length * synth::bytes_of(table.element);
  const std::int64_t step_bytes = table.strides[0] * synth::bytes_of(table.element);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, length));
  parallel_ranges(static_cast<std::int64_t>(list.size()), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const TileOut target{out.element, row.shape, out.data + i * row_bytes};
      TileView source = row;
      source.data += list[i] * step_bytes;
      if (list[i] >= 0 && list[i] < table.shape[0])
        copy_elements(source, target);
      else
        fill_identity(synth::ReduceOp::sum, target);
    }
  });
  return std::nullopt;
}

std::optional<BadId> one_hot(const TileView& ids, std::int64_t n, const TileOut& out) {
  const std::vector<std::int64_t> list = listed(ids);
  if (const auto bad = first_outside(list, 0, n)) return bad;
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, n));
    parallel_ranges(static_cast<std::int64_t>(list.size()), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T* row = typed<T>(out) + i * n;
        std::fill_n(row, n, T{});
        row[list[i]] = static_cast<T>(1);
      }
    });
  });
  return std::nullopt;
}

}  // namespace tessera::runtime
