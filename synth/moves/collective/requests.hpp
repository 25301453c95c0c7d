// Rows of a split table that devices ask each other for, because ids name them that are known at run time only.
//
// The devices that differ in nothing but their position along the axes of the table's rows hold all of it together, as
// far as any of them wants it. Each asks those of its own group, so that a row comes from one place and the devices of
// other groups are not asked.
//
// Example: of `take(t, i)` with t: f32[9@x, 2] and i: i64[4@x] on x:2, device 0 has rows 0 to 3 and device 1 the
// others. Device 0 has two ids. If both name row 7, it sends device 1 this one number and gets one row; device 1, whose
// ids name rows 8 and 4, needs nothing. At most four numbers and four rows move, as each id names one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// Does a take of this table fetch rows, instead of leaving a sum over the table's axes? Along lines it never does.
bool takes_by_request(const ArrayType& table, const ArrayType& ids, const ArrayType& result);

// Do Take and ScatterAdd of arrays of these ranks go along lines? `array` is the table, or what is added.
constexpr bool goes_along_lines(std::size_t array, std::size_t ids, std::size_t result) {
  return ids > 1 && array == ids && result == ids;
}

class RowRequests {
 public:
  explicit RowRequests(const ArrayType& table);

  // How many tiles the rows are cut into, the rows of each, and in which a row lies.
  std::int64_t tiles() const { return cuts_.tiles(); }
  Interval rows(std::int64_t tile) const { return cuts_.tile(tile); }
  std::int64_t tile_of(std::int64_t row) const { return cuts_.place_of(row); }
  // The one of a device's group that has the first rows: who asks does not matter otherwise.
  std::int32_t leader(std::int32_t device) const { return source(device, 0); }
  // The device that another one asks for rows of a tile; of its own tile it is itself.
  std::int32_t source(std::int32_t device, std::int64_t tile) const;
  std::int64_t own_tile(std::int32_t device) const { return positions_[static_cast<std::size_t>(device)]; }
  // The devices that ask this one for its rows, itself included, in ascending order.
  std::vector<std::int32_t> askers(std::int32_t device) const;

  // The bytes of a row's number on its way, and of a row as a device holds it.
  std::int64_t number_bytes() const { return number_bytes_; }
  std::int64_t row_bytes(std::int32_t device) const;
  // The most rows that a device with so many ids can lack.
  std::int64_t rows_at_most(std::int32_t device, std::int64_t ids) const;
  const ArrayType& table() const { return table_; }

 private:
  ArrayType table_;
  Cuts cuts_;
  std::vector<std::int32_t> positions_;  // of every device along the axes of the rows
  std::vector<std::int64_t> offsets_;    // of the places at each position
  std::int64_t number_bytes_;
};

// What all devices receive at most: of each id a number and a row.
std::int64_t requested_bytes_at_most(const RowRequests& requests, const ArrayType& ids);

}  // namespace tessera::synth
