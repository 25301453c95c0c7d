// The machine that plans are made for: its links and devices. `tessera/tessera.hpp` includes this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// A level of the machine, from the outside in: `count` units in each unit of the level outside it.
struct MachineLevel {
  std::string name;
  std::int64_t count = 1;
  double bandwidth_bytes_per_second = 100e9;
  double latency_seconds = 1e-6;
  std::optional<double> gap_seconds = {};  // for each peer of a device after the first; else the latency again
  // If links differ: one figure for each unit of the level, over the whole machine, instead of the one above.
  std::vector<double> unit_bandwidths = {};
  friend bool operator==(const MachineLevel&, const MachineLevel&) = default;
};

// `count` devices of one kind, in the order of devices. Speeds are those of f32; a multiply-add is two.
struct DeviceKind {
  std::int64_t count = 1;
  double flops_per_second = 1e12;
  double bandwidth_bytes_per_second = 100e9;  // of its own memory
  std::int64_t memory_bytes = 0;              // 0: no limit
  friend bool operator==(const DeviceKind&, const DeviceKind&) = default;
};

// Links and devices, as a machine file says.
struct Machine {
  std::vector<MachineLevel> levels = {};  // empty: one level, 100e9 bytes/s, 1e-6 s
  std::vector<DeviceKind> devices = {};   // empty: all alike, and nothing is known of them
  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace tessera
