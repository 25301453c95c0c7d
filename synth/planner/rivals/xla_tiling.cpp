#include "synth/planner/rivals/xla_tiling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::synth::xla {

namespace {

std::int64_t product(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>());
}

Tiling with_sorted_copies(Tiling tiling) {
  for (auto it = tiling.devices.begin(); it != tiling.devices.end(); it += tiling.copies) {
    std::sort(it, it + tiling.copies);
  }
  return tiling;
}

// A row-major array with its dimensions in another order.
Devices transposed(const Devices& values, const Counts& sizes, const std::vector<std::size_t>& order) {
  Counts strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  std::vector<std::size_t> sources{0};
  for (const std::size_t d : order) {
    std::vector<std::size_t> finer;
    finer.reserve(sources.size() * static_cast<std::size_t>(sizes[d]));
    for (const std::size_t source : sources) {
      for (std::int64_t i = 0; i < sizes[d]; ++i) finer.push_back(source + static_cast<std::size_t>(i * strides[d]));
    }
    sources = std::move(finer);
  }
  Devices result;
  result.reserve(values.size());
  for (const std::size_t source : sources) result.push_back(values[source]);
  return result;
}

Counts with_last(Counts counts, std::int64_t last) {
  counts.push_back(last);
  return counts;
}

// Some dimensions first, then the others.
std::vector<std::size_t> order_with_first(const std::vector<std::size_t>& first, std::size_t rank) {
  std::vector<std::size_t> order = first;
  for (std::size_t d = 0; d < rank; ++d) {
    if (std::find(first.begin(), first.end(), d) == first.end()) order.push_back(d);
  }
  return order;
}

std::vector<std::size_t> inverse(const std::vector<std::size_t>& order) {
  std::vector<std::size_t> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = i;
  return result;
}

bool is_nested(const Tiling& part, const Tiling& tiled) {
  const std::vector<Devices> coarse = places_of(part);
  const std::vector<Devices> fine = places_of(tiled);
  for (std::size_t d = 0; d < coarse.size(); ++d) {
    const std::int64_t factor = tiled.counts[d] / part.counts[d];
    for (std::size_t i = 0; i < coarse[d].size(); ++i) {
      if (fine[d][i] / factor != coarse[d][i]) return false;
    }
  }
  return true;
}

// The copies of `part` cut into what its dimensions lack, in their order, and moved next to them.
Tiling with_copies_dealt(const Tiling& part, const Tiling& tiled) {
  const std::size_t rank = part.counts.size();
  Counts sizes = part.counts;
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < rank; ++d) {
    sizes.push_back(tiled.counts[d] / part.counts[d]);
    order.insert(order.end(), {d, rank + d});
  }
  order.push_back(2 * rank);
  sizes.push_back(tiled.copies);
  return with_sorted_copies(Tiling{tiled.counts, tiled.copies, transposed(part.devices, sizes, order)});
}

bool same_groups(const Grouped& a, const Grouped& b) {
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    Devices one = a.groups[g];
    Devices other = b.groups[g];
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    if (one != other) return false;
  }
  return true;
}

}  // namespace

Tiling tiling_of_places(const Counts& counts, const std::vector<Devices>& places, std::size_t devices) {
  const auto copies = static_cast<std::int64_t>(devices) / product(counts);
  std::vector<std::pair<std::int64_t, std::int32_t>> tiles;
  for (std::size_t device = 0; device < devices; ++device) {
    std::int64_t tile = 0;
    for (std::size_t d = 0; d < counts.size(); ++d) tile = tile * counts[d] + places[d][device];
    tiles.emplace_back(tile, static_cast<std::int32_t>(device));
  }
  std::sort(tiles.begin(), tiles.end());
  Tiling tiling{counts, copies, {}};
  for (const auto& [tile, device] : tiles) tiling.devices.push_back(device);
  return tiling;
}

std::vector<Devices> places_of(const Tiling& tiling) {
  std::vector<Devices> places(tiling.counts.size(), Devices(tiling.devices.size()));
  for (std::size_t i = 0; i < tiling.devices.size(); ++i) {
    std::int64_t tile = static_cast<std::int64_t>(i) / tiling.copies;
    for (std::size_t d = tiling.counts.size(); d-- > 0;) {
      places[d][static_cast<std::size_t>(tiling.devices[i])] = static_cast<std::int32_t>(tile % tiling.counts[d]);
      tile /= tiling.counts[d];
    }
  }
  return places;
}

Tiling reshaped(const Tiling& tiling, Counts counts, std::int64_t copies) {
  return with_sorted_copies(Tiling{std::move(counts), copies, tiling.devices});
}

Tiling gathered(const Tiling& tiling, std::size_t dimension, std::int64_t count) {
  const std::int64_t gone = tiling.counts[dimension] / count;
  Counts sizes = with_last(tiling.counts, tiling.copies);
  sizes[dimension] = count;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dimension) + 1, gone);
  std::vector<std::size_t> order(sizes.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t& d : order) d += d > dimension ? 1 : 0;
  order.push_back(dimension + 1);
  Counts counts = tiling.counts;
  counts[dimension] = count;
  return with_sorted_copies(Tiling{counts, tiling.copies * gone, transposed(tiling.devices, sizes, order)});
}

std::optional<Tiling> with_moved_cuts(const Tiling& tiling, std::size_t from, std::size_t to) {
  const std::int64_t kept = tiling.counts[to];
  const std::int64_t moved = tiling.counts[from] / kept;
  if (tiling.counts[from] % kept != 0) return std::nullopt;
  Counts sizes = with_last(tiling.counts, tiling.copies);
  sizes[from] = kept;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(from) + 1, moved);
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d <= tiling.counts.size(); ++d) {
    order.push_back(d > from ? d + 1 : d);
    if (d == to) order.push_back(from + 1);
  }
  Counts counts = tiling.counts;
  std::swap(counts[from], counts[to]);
  return with_sorted_copies(Tiling{counts, tiling.copies, transposed(tiling.devices, sizes, order)});
}

Tiling with_copies_on(const Tiling& tiling, std::size_t dimension) {
  const std::size_t last = tiling.counts.size();
  std::vector<std::size_t> order(last + 1);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[dimension], order[last]);
  Counts counts = tiling.counts;
  counts[dimension] = tiling.copies;
  return Tiling{counts, 1, transposed(tiling.devices, with_last(tiling.counts, tiling.copies), order)};
}

bool is_permutation(const Tiling& a, const Tiling& b) {
  return !is_replicated(a) && a.counts == b.counts && a.devices != b.devices;
}

std::optional<Tiling> compatible(const Tiling& part, const Tiling& tiled) {
  for (std::size_t d = 0; d < part.counts.size(); ++d) {
    if (tiled.counts[d] % part.counts[d] != 0) return std::nullopt;
  }
  return is_nested(part, tiled) ? tiled : with_copies_dealt(part, tiled);
}

Grouped grouped(const Tiling& tiling, const std::vector<std::size_t>& dimensions) {
  Grouped result;
  result.dimensions = dimensions;
  result.inner.counts = tiling.counts;
  result.inner.copies = tiling.copies;
  for (const std::size_t d : dimensions) {
    result.counts.push_back(tiling.counts[d]);
    result.inner.counts[d] = 1;
  }
  const Counts sizes = with_last(tiling.counts, tiling.copies);
  const Devices in_groups = transposed(tiling.devices, sizes, order_with_first(dimensions, sizes.size()));
  const std::int64_t group_size = device_count(tiling) / product(result.counts);
  for (auto it = in_groups.begin(); it != in_groups.end(); it += group_size) {
    result.groups.emplace_back(it, it + group_size);
  }
  result.inner.devices.resize(static_cast<std::size_t>(group_size));
  std::iota(result.inner.devices.begin(), result.inner.devices.end(), 0);
  return result;
}

Tiling ungrouped(const Grouped& grouped, const Tiling& inner) {
  Devices in_groups;
  for (const Devices& group : grouped.groups) {
    for (const std::int32_t number : inner.devices) in_groups.push_back(group[static_cast<std::size_t>(number)]);
  }
  Counts counts = inner.counts;
  for (std::size_t i = 0; i < grouped.dimensions.size(); ++i) counts[grouped.dimensions[i]] = grouped.counts[i];
  const Counts sizes = with_last(counts, inner.copies);
  const std::vector<std::size_t> order = order_with_first(grouped.dimensions, sizes.size());
  Counts sizes_in_groups;
  for (const std::size_t d : order) sizes_in_groups.push_back(sizes[d]);
  return with_sorted_copies(Tiling{counts, inner.copies, transposed(in_groups, sizes_in_groups, inverse(order))});
}

Tiling aligned(const Grouped& grouped, const Grouped& reference) {
  if (!same_groups(grouped, reference)) return grouped.inner;
  const Devices& group = reference.groups.front();
  std::vector<std::pair<std::int32_t, std::int32_t>> numbers;  // of every device, by device
  for (const std::int32_t device : group) numbers.emplace_back(device, static_cast<std::int32_t>(numbers.size()));
  std::sort(numbers.begin(), numbers.end());
  Tiling inner = grouped.inner;
  for (std::int32_t& number : inner.devices) {
    const std::pair wanted(grouped.groups.front()[static_cast<std::size_t>(number)], 0);
    number = std::lower_bound(numbers.begin(), numbers.end(), wanted)->second;
  }
  return with_sorted_copies(std::move(inner));
}

}  // namespace tessera::synth::xla
