// Private to synth: the links of every device, written down for those who ask so often that dividing would take the
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"

namespace tessera::synth {

// Answers as the cluster does that it was made of.
class DeviceLinks {
 public:
  explicit DeviceLinks(const Cluster& cluster) : levels_(cluster.levels().size()) {
    links_.reserve(levels_ * static_cast<std::size_t>(cluster.devices()));
    for (std::int32_t device = 0; device < cluster.devices(); ++device) {
      for (std::size_t level = 0; level < levels_; ++level)
        links_.push_back(static_cast<std::uint32_t>(cluster.link(level, device)));
    }
  }

  std::size_t levels() const { return levels_; }
  std::size_t link(std::size_t level, std::int32_t device) const {
    return links_[static_cast<std::size_t>(device) * levels_ + level];
  }
  std::size_t parting(std::int32_t a, std::int32_t b) const {
    std::size_t level = 0;
    while (level < levels_ && link(level, a) == link(level, b)) ++level;
    return level;
  }

 private:
  std::size_t levels_;
  std::vector<std::uint32_t> links_;  // of device 0 outermost first, then of device 1
};

}  // namespace tessera::synth
