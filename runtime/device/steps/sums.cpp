#include "runtime/device/steps/sums.hpp"

#include <fmt/format.h>

#include <cstring>

#include "runtime/device/steps/names.hpp"
#include "runtime/device/steps/nested.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/combine.hpp"
#include "runtime/device/text/fill.hpp"

namespace tessera::device {

namespace {

// Array 0 is the target, the others are the parts; strides count units.
struct Sum {
  std::vector<Address> arrays;
  Nested nest;
};

Sum whole_sum(const runtime::BoxSum& sum) {
  Sum whole{{reinterpret_cast<Address>(sum.to.data)}, {sum.parts[0].shape, {sum.to.strides}}};
  for (const runtime::TileView& part : sum.parts) {
    whole.arrays.push_back(reinterpret_cast<Address>(part.data));
    whole.nest.strides.push_back(part.strides);
  }
  whole.nest = merged(sorted(merged(whole.nest)));
  return whole;
}

// May so many neighbours be read and written at once?
bool goes_together(const Sum& sum, std::int64_t count, std::int64_t bytes) {
  const Nested& nest = sum.nest;
  if (nest.rank() == 0 || nest.extents.back() % count != 0) return false;
  for (std::size_t k = 0; k < sum.arrays.size(); ++k) {
    if (nest.strides[k].back() != 1 || sum.arrays[k] % static_cast<Address>(count * bytes) != 0) return false;
    for (std::size_t d = 0; d + 1 < nest.rank(); ++d) {
      if (nest.strides[k][d] % count != 0) return false;
    }
  }
  return true;
}

void put_together(Sum& sum, std::int64_t count) {
  sum.nest.extents.back() /= count;
  for (synth::Shape& strides : sum.nest.strides) {
    for (std::size_t d = 0; d + 1 < strides.size(); ++d) strides[d] /= count;
  }
}

// Cuts a sum of which kernels could not count the units.
void add_sum(const Sum& sum, std::int64_t unit_bytes, std::vector<Sum>& sums) {
  const auto cut = dimension_to_cut(sum.nest);
  if (!cut) {
    sums.push_back(sum);
    return;
  }
  const std::int64_t half = sum.nest.extents[*cut] / 2;
  Sum first = sum;
  first.nest.extents[*cut] = half;
  add_sum(first, unit_bytes, sums);
  Sum second = sum;
  second.nest.extents[*cut] -= half;
  for (std::size_t k = 0; k < sum.arrays.size(); ++k) second.arrays[k] += half * sum.nest.strides[k][*cut] * unit_bytes;
  add_sum(second, unit_bytes, sums);
}

template <int rank>
std::vector<kernel::SumPart<rank>> part_rows(const std::vector<Sum>& sums) {
  std::vector<kernel::SumPart<rank>> rows;
  for (const Sum& sum : sums) {
    const std::size_t missing = rank - sum.nest.rank();
    for (std::size_t k = 1; k < sum.arrays.size(); ++k) {
      kernel::SumPart<rank> row{sum.arrays[k], {}};
      for (std::size_t d = 0; d < sum.nest.rank(); ++d)
        row.strides[missing + d] = static_cast<std::int32_t>(sum.nest.strides[k][d]);
      rows.push_back(row);
    }
  }
  return rows;
}

template <int rank>
base::Status launch_sums(Launcher& launcher, const KernelText& text, const std::vector<Sum>& sums) {
  using Kernel = kernel::CombineParts<synth::ReduceKind::sum, float, 1, rank>;
  constexpr std::int64_t kBlock = Kernel::kThreads * Kernel::kEach;
  TESSERA_TRY(parts, table_of(launcher, part_rows<rank>(sums)));
  TileTable<kernel::SumBox<rank>> list;
  Address part = parts;
  for (const Sum& sum : sums) {
    const auto part_count = static_cast<std::int64_t>(sum.arrays.size()) - 1;
    kernel::SumBox<rank> row{0, sum.arrays[0], part, part_count, sum.nest.count(), {}, {}};
    const std::size_t missing = rank - sum.nest.rank();
    for (std::size_t d = 0; d < sum.nest.rank(); ++d) {
      row.extents[missing + d] = kernel::divisor_of(sum.nest.extents[d]);
      row.strides[missing + d] = static_cast<std::int32_t>(sum.nest.strides[0][d]);
    }
    list.add(row, (row.count + kBlock - 1) / kBlock);
    part += static_cast<Address>(part_count) * sizeof(kernel::SumPart<rank>);
  }
  TESSERA_TRY(table, placed(launcher, list));
  return launch(launcher, text, list.blocks(), typename Kernel::Args{table});
}

struct SumGroup {
  std::vector<Sum> sums;
  std::size_t rank = 0;

  void add(const Sum& sum, std::int64_t unit_bytes) {
    add_sum(sum, unit_bytes, sums);
    rank = std::max(rank, sum.nest.rank());
  }
  base::Status launch(Launcher& launcher, synth::ReduceOp op, synth::ElementType element, std::int64_t together) {
    if (sums.empty()) return base::Done{};
    const int class_rank = rank <= 2 ? 2 : 16;
    const KernelText text{{"runtime/device/text/combine.hpp"},
                          fmt::format("CombineParts<{}, {}, {}, {}>", kind_name(runtime::kind_of(op)),
                                      computed_name(element), together, class_rank),
                          ""};
    return class_rank == 2 ? launch_sums<2>(launcher, text, sums) : launch_sums<16>(launcher, text, sums);
  }
};

constexpr std::int64_t kSumsMost = 4096;  // of one table

base::Status combine_some(Launcher& launcher, synth::ReduceOp op, const runtime::ItemList<runtime::BoxSum>& sums,
                          std::int64_t begin, std::int64_t end) {
  SumGroup single;
  SumGroup wide;
  synth::ElementType element = synth::ElementType::f32;
  std::int64_t together = 1;
  for (std::int64_t i = begin; i < end; ++i) {
    const runtime::BoxSum given = sums.at(i);
    if (runtime::is_empty(given.parts[0].shape)) continue;
    element = given.parts[0].element;
    const std::int64_t bytes = synth::bytes_of(element);
    together = 16 / bytes;
    Sum sum = whole_sum(given);
    if (!goes_together(sum, together, bytes)) {
      single.add(sum, bytes);
      continue;
    }
    put_together(sum, together);
    wide.add(sum, 16);
  }
  TESSERA_TRY_STATUS(wide.launch(launcher, op, element, together));
  return single.launch(launcher, op, element, 1);
}

// The value's bytes again and again.
std::uint64_t repeated_identity(synth::ReduceOp op, synth::ElementType element) {
  std::uint64_t bits = 0;
  synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    runtime::visit_combine<T>(runtime::kind_of(op), [&](auto how) {
      const T value = decltype(how)::identity();
      for (std::size_t at = 0; at < sizeof bits; at += sizeof value)
        std::memcpy(reinterpret_cast<std::byte*>(&bits) + at, &value, sizeof value);
    });
  });
  return bits;
}

}  // namespace

base::Status combine(Launcher& launcher, synth::ReduceOp op, const runtime::ItemList<runtime::BoxSum>& sums) {
  for (std::int64_t at = 0; at < sums.size(); at += kSumsMost)
    TESSERA_TRY_STATUS(combine_some(launcher, op, sums, at, std::min(sums.size(), at + kSumsMost)));
  return base::Done{};
}

base::Status combine(Launcher& launcher, synth::ReduceOp op, std::span<const runtime::BoxSum> sums) {
  const auto at = [&](std::int64_t i) { return sums[static_cast<std::size_t>(i)]; };
  return combine(launcher, op, runtime::ItemList<runtime::BoxSum>(static_cast<std::int64_t>(sums.size()), at));
}

base::Status fill_identity(Launcher& launcher, synth::ReduceOp op, const runtime::ItemList<runtime::TileOut>& tiles) {
  std::vector<runtime::TileOut> all;
  for (std::int64_t i = 0; i < tiles.size(); ++i) all.push_back(tiles.at(i));
  if (all.empty()) return base::Done{};
  return fill_repeated(launcher, all, repeated_identity(op, all[0].element));
}

base::Status fill_repeated(Launcher& launcher, std::span<const runtime::TileOut> tiles, std::uint64_t bytes_of_value) {
  constexpr std::int64_t kBlock = kernel::FillRuns<16>::kThreads * kernel::FillRuns<16>::kEach;
  std::uint64_t all = 16;
  std::vector<std::pair<Address, std::int64_t>> runs;  // addresses and bytes
  for (const runtime::TileOut& tile : tiles) {
    const std::int64_t bytes = runtime::count(tile.shape) * synth::bytes_of(tile.element);
    if (bytes == 0) continue;
    runs.emplace_back(reinterpret_cast<Address>(tile.data), bytes);
    all |= runs.back().first | static_cast<std::uint64_t>(bytes);
  }
  if (runs.empty()) return base::Done{};
  const auto unit = static_cast<std::int64_t>(all & (~all + 1));
  TileTable<kernel::FilledRun> list;
  for (const auto& [to, bytes] : runs) list.add({0, to, bytes / unit}, (bytes / unit + kBlock - 1) / kBlock);
  TESSERA_TRY(table, placed(launcher, list));
  const KernelText text{{"runtime/device/text/fill.hpp"}, fmt::format("FillRuns<{}>", unit), ""};
  return launch(launcher, text, list.blocks(), kernel::FillRuns<16>::Args{table, bytes_of_value});
}

}  // namespace tessera::device
