#include "synth/moves/collective/deliveries.hpp"

#include <algorithm>
#include <limits>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/line_deliveries.hpp"
#include "synth/moves/collective/requests.hpp"

namespace tessera::synth {

bool adds_by_delivery(const ArrayType& rows, const ArrayType& ids, const ArrayType& result) {
  return adds_rows_by_delivery(rows, ids, result) || adds_along_by_delivery(rows, ids, result);
}

bool adds_rows_by_delivery(const ArrayType& rows, const ArrayType& ids, const ArrayType& result) {
  return !goes_along_lines(rows.rank(), ids.rank(), result.rank()) && !ids.layout().is_replicated() &&
         result.layout().pending().empty();
}

bool may_deliver(const ArrayType& ids) {
  for (std::size_t d = 1; d < ids.rank(); ++d) {
    if (!ids.layout().split(d).empty()) return false;
  }
  return ids.rank() > 0 && ids.layout().pending().empty();
}

RowDeliveries::RowDeliveries(const ArrayType& ids, const ArrayType& result)
    : ids_(ids),
      result_(result),
      positions_(positions(ids.mesh(), ids.layout().split(0))),
      offsets_(place_offsets(ids.mesh(), ids.layout().split(0))),
      number_bytes_(result.shape()[0] <= std::numeric_limits<std::int32_t>::max() ? 4 : 8) {}

std::int32_t RowDeliveries::source(std::int32_t device, std::int64_t tile) const {
  const auto own = static_cast<std::size_t>(own_tile(device));
  const std::int64_t place = ids_.mesh().place(device) - offsets_[own] + offsets_[static_cast<std::size_t>(tile)];
  return static_cast<std::int32_t>(ids_.mesh().device_at(place));
}

std::vector<std::int32_t> RowDeliveries::targets(std::int32_t device) const {
  std::vector<std::int32_t> all;
  for (std::int64_t tile = 0; tile < tiles(); ++tile) all.push_back(source(device, tile));
  std::ranges::sort(all);
  return all;
}

std::int64_t RowDeliveries::row_bytes(std::int32_t device) const {
  std::int64_t bytes = bytes_of(result_.element());
  for (std::size_t d = 1; d < result_.rank(); ++d) bytes *= tile_interval(result_, d, device).length();
  return bytes;
}

std::int64_t delivered_bytes_at_most(const RowDeliveries& deliveries) {
  const std::vector<std::int32_t> of_rows =
      positions(deliveries.result().mesh(), deliveries.result().layout().split(0));
  const std::int64_t ids = elements(deliveries.ids().shape());
  std::int64_t bytes = 0;
  for (std::int32_t device = 0; device < std::ssize(of_rows); ++device) {
    const std::int64_t row = deliveries.row_bytes(device);
    if (of_rows[static_cast<std::size_t>(device)] == 0 && row > 0) bytes += ids * (deliveries.number_bytes() + row);
  }
  return bytes;
}

}  // namespace tessera::synth
