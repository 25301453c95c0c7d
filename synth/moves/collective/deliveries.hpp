// Rows that are added up where a table's rows lie, because ids name them that are known at run time only: the way back
// of synth/moves/collective/requests.hpp.
//
// Each device that has rows of the table gets what is added to them, from devices that differ from it in nothing but
// their position along the axes of the ids: one for each tile of the ids, in ascending order, which is the order in
// which one device would add them.
//
// Example: on x:2, rows f32[4@x, 2] and ids i64[4@x] are added into f32[9@x, 2], of which device 0 has rows 0 to 3 and
// device 1 the others. If the ids of device 0 are 7 and 2, it sends device 1 the number 7 and one row. All devices
// together receive at most four numbers and four rows, as each id names one row.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// Does a scatter_add of these rows deliver them, instead of leaving a sum over the axes of the ids? Along lines it
// delivers single elements (line_deliveries.hpp).
bool adds_by_delivery(const ArrayType& rows, const ArrayType& ids, const ArrayType& result);
// May it? Only the first dimension of the ids may be split, so that their tiles follow each other.
bool may_deliver(const ArrayType& ids);
// What it delivers along lines are elements, else rows: one of the two is true of a scatter_add that delivers.
bool adds_rows_by_delivery(const ArrayType& rows, const ArrayType& ids, const ArrayType& result);

class RowDeliveries {
 public:
  RowDeliveries(const ArrayType& ids, const ArrayType& result);

  // How many tiles the ids are cut into, and of whom a device gets what those of a tile name.
  std::int64_t tiles() const { return static_cast<std::int64_t>(offsets_.size()); }
  std::int32_t source(std::int32_t device, std::int64_t tile) const;
  // The one of a device's group that has the first ids.
  std::int32_t leader(std::int32_t device) const { return source(device, 0); }
  std::int64_t own_tile(std::int32_t device) const { return positions_[static_cast<std::size_t>(device)]; }
  // The devices that get something of this one, itself included, in ascending order.
  std::vector<std::int32_t> targets(std::int32_t device) const;

  std::int64_t number_bytes() const { return number_bytes_; }
  std::int64_t row_bytes(std::int32_t device) const;
  const ArrayType& ids() const { return ids_; }
  const ArrayType& result() const { return result_; }

 private:
  ArrayType ids_;
  ArrayType result_;
  std::vector<std::int32_t> positions_;  // of every device along the axes of the ids
  std::vector<std::int64_t> offsets_;    // of the places at each position
  std::int64_t number_bytes_;
};

// What all devices receive at most: each id names one row, which is added once for every copy of the result.
std::int64_t delivered_bytes_at_most(const RowDeliveries& deliveries);

}  // namespace tessera::synth
