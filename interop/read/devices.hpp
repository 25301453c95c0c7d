// Private to the readers: arrays of devices, `[2,4]<=[4,2]T(1,0)` and `[2,2]0,2,1,3`, as digits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interop/read/parts.hpp"

namespace tessera::interop {

// A grid of devices: its extents and, for each, the digits of a device's number that say where along it the device is.
struct Grid {
  std::vector<std::int64_t> extents;
  std::vector<Digits> digits;
  std::int64_t devices = 1;
};

// What the devices along the last extents of the grid do: dimensions of the array come before them.
enum class Trailing : std::uint8_t { replicated, unreduced };

// The digits of an order of devices, the slowest first; nothing if it is not that of a grid whose axes were exchanged.
// Device order[i] stands at place i.
std::optional<Digits> digits_of_order(const std::vector<std::int32_t>& order);

// Deals the digits to the extents, major first; nothing if an extent would take a part of a digit that is none.
std::optional<std::vector<Digits>> dealt(const Digits& digits, const std::vector<std::int64_t>& extents);

// A list or formula of devices after `devices=`, not yet dealt: what the trailing extents are is said behind it.
class DeviceArray {
 public:
  static base::Result<DeviceArray> read(Scanner& scanner);

  std::size_t rank() const { return extents_.size(); }
  std::int64_t devices() const { return devices_; }
  // The grid, whose last extents are what `trailing` says. Devices that hold the same may be listed in any order.
  base::Result<Grid> grid(const Scanner& scanner, const std::vector<Trailing>& trailing);

 private:
  base::Status read_extents(Scanner& scanner);
  base::Status read_formula(Scanner& scanner);
  base::Status read_list(Scanner& scanner);
  std::uint32_t begin_ = 0;
  std::vector<std::int64_t> extents_;
  std::int64_t devices_ = 1;
  Digits formula_;                   // of `<=`
  std::vector<std::int32_t> order_;  // of a list
};

}  // namespace tessera::interop
