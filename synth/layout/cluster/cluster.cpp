#include "synth/layout/cluster/cluster.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::synth {

Cluster::Cluster(const RunMachine& machine) {
  for (const MachineLevel& level : machine.levels) devices_ *= level.count;
  std::int64_t inside = devices_;
  std::size_t links = 0;
  for (const MachineLevel& level : machine.levels) {
    inside /= level.count;
    const auto units = static_cast<std::size_t>(devices_ / inside);
    const Delay delay = delay_of(level);
    levels_.push_back(
        Level{level.bandwidth_bytes_per_second, delay.latency, delay.gap, inside, links, units, level.unit_bandwidths});
    links += units;
  }
}

double Cluster::Level::least_bandwidth() const {
  return is_even() ? bandwidth : *std::min_element(bandwidths.begin(), bandwidths.end());
}

double Cluster::Level::bandwidth_of_all() const {
  if (is_even()) return static_cast<double>(units) * bandwidth;
  return std::accumulate(bandwidths.begin(), bandwidths.end(), 0.0);
}

std::vector<double> Cluster::seconds_per_byte(std::size_t lanes) const {
  std::vector<double> seconds;
  seconds.reserve(lanes * links());
  for (const Level& level : levels_) {
    for (std::size_t unit = 0; unit < level.units; ++unit)
      seconds.insert(seconds.end(), lanes, 1 / level.bandwidth_of(unit));
  }
  return seconds;
}

std::vector<std::int64_t> Cluster::unit_sizes() const {
  std::vector<std::int64_t> sizes;
  for (const Level& level : levels_) {
    if (level.unit_devices > 1) sizes.insert(sizes.begin(), level.unit_devices);
  }
  return sizes;
}

}  // namespace tessera::synth
