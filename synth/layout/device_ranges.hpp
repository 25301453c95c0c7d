// The devices of a run that a mesh lies on, as ranges: `8:16`, `(4:8,0:4)`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::synth {

// A run has at most so many devices.
inline constexpr std::int64_t kDevicesMax = 65'536;

// Devices begin, ..., end - 1.
struct DeviceRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend auto operator<=>(const DeviceRange&, const DeviceRange&) = default;
};

// `8:16`; several in parentheses.
std::string print(const std::vector<DeviceRange>& ranges);
// Reads what print writes; blanks may stand between the parts.
std::optional<std::vector<DeviceRange>> parse_device_ranges(std::string_view text);

// The fault of the ranges for a mesh of so many devices, such as `names 4 devices`. Empty if there is none.
std::string fault_of(const std::vector<DeviceRange>& ranges, std::int64_t devices);

// Ranges that continue each other as one.
std::vector<DeviceRange> joined(const std::vector<DeviceRange>& ranges);

}  // namespace tessera::synth
