// A machine with its devices: the unit of each device, and the links that a message crosses. The one place that knows
// how devices lie on a machine.
//
// Example: two nodes of four devices are levels {node, 2 units of 4 devices} and {device, 8 units of 1}. A message from
// device 1 to device 6 parts at level 0 and crosses four links: out of node 0 and device 1, into node 1 and device 6.
// One from device 1 to device 3 parts at level 1 and crosses the links of these two devices only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/layout/cluster/machine.hpp"

namespace tessera::synth {

class Cluster {
 public:
  // Devices are those of the run; the machine may have more.
  explicit Cluster(const RunMachine& machine);

  struct Level {
    double bandwidth = 1;           // bytes per second of a unit's link, each way; of the fastest where links differ
    double latency = 0;             // seconds
    double gap = 0;                 // seconds, for each peer after the first
    std::int64_t unit_devices = 1;  // devices in a unit
    std::size_t first_link = 0;     // the link of the level's unit 0
    std::size_t units = 1;
    std::vector<double> bandwidths = {};  // of every unit, where links differ

    Delay delay() const { return {latency, gap}; }
    bool is_even() const { return bandwidths.empty(); }
    double bandwidth_of(std::size_t unit) const { return is_even() ? bandwidth : bandwidths[unit]; }
    double least_bandwidth() const;
    double bandwidth_of_all() const;
  };
  // Outermost first. The units of the last are the devices.
  const std::vector<Level>& levels() const { return levels_; }
  std::int64_t devices() const { return devices_; }
  // How many devices the units of each level have, where they are more than one; innermost first.
  std::vector<std::int64_t> unit_sizes() const;
  // Links of all levels are numbered through: every unit has one, with a lane in and a lane out.
  std::size_t links() const { return levels_.back().first_link + levels_.back().units; }
  // The seconds of all links' lanes, link by link; each link has `lanes` of them.
  std::vector<double> seconds_per_byte(std::size_t lanes) const;

  std::size_t unit(std::size_t level, std::int32_t device) const {
    return static_cast<std::size_t>(device / levels_[level].unit_devices);
  }
  std::size_t link(std::size_t level, std::int32_t device) const {
    return levels_[level].first_link + unit(level, device);
  }
  // The outermost level at which two devices are in different units; the number of levels if they are one device.
  std::size_t parting(std::int32_t a, std::int32_t b) const {
    std::size_t level = 0;
    while (level < levels_.size() && unit(level, a) == unit(level, b)) ++level;
    return level;
  }

 private:
  std::vector<Level> levels_;
  std::int64_t devices_ = 1;
};

}  // namespace tessera::synth
