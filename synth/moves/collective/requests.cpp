#include "synth/moves/collective/requests.hpp"

#include <algorithm>
#include <limits>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

bool takes_by_request(const ArrayType& table, const ArrayType& ids, const ArrayType& result) {
  return !goes_along_lines(table.rank(), ids.rank(), result.rank()) && !table.layout().split(0).empty() &&
         result.layout().pending().empty();
}

RowRequests::RowRequests(const ArrayType& table)
    : table_(table),
      cuts_(cuts(table, 0)),
      positions_(positions(table.mesh(), table.layout().split(0))),
      offsets_(place_offsets(table.mesh(), table.layout().split(0))),
      number_bytes_(table.shape()[0] <= std::numeric_limits<std::int32_t>::max() ? 4 : 8) {}

std::int32_t RowRequests::source(std::int32_t device, std::int64_t tile) const {
  const auto own = static_cast<std::size_t>(own_tile(device));
  const std::int64_t place = table_.mesh().place(device) - offsets_[own] + offsets_[static_cast<std::size_t>(tile)];
  return static_cast<std::int32_t>(table_.mesh().device_at(place));
}

std::vector<std::int32_t> RowRequests::askers(std::int32_t device) const {
  std::vector<std::int32_t> all;
  for (std::int64_t tile = 0; tile < tiles(); ++tile) all.push_back(source(device, tile));
  std::ranges::sort(all);
  return all;
}

std::int64_t RowRequests::row_bytes(std::int32_t device) const {
  std::int64_t bytes = bytes_of(table_.element());
  for (std::size_t d = 1; d < table_.rank(); ++d) bytes *= tile_interval(table_, d, device).length();
  return bytes;
}

std::int64_t RowRequests::rows_at_most(std::int32_t device, std::int64_t ids) const {
  if (row_bytes(device) == 0) return 0;
  return std::min(ids, table_.shape()[0] - rows(own_tile(device)).length());
}

std::int64_t requested_bytes_at_most(const RowRequests& requests, const ArrayType& ids) {
  std::int64_t bytes = 0;
  for (std::int32_t device = 0; device < ids.devices(); ++device) {
    const std::int64_t rows = requests.rows_at_most(device, elements(tile(ids, device)));
    bytes += rows * (requests.number_bytes() + requests.row_bytes(device));
  }
  return bytes;
}

}  // namespace tessera::synth
