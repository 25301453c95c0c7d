#include "synth/cluster/cluster.hpp"

namespace tessera::synth {

Cluster::Cluster(const Machine& machine) {
  for (const MachineLevel& level : machine.levels) devices_ *= level.count;
  std::int64_t inside = devices_;
  std::size_t links = 0;
  for (const MachineLevel& level : machine.levels) {
    inside /= level.count;
    const auto units = static_cast<std::size_t>(devices_ / inside);
    const Delay delay = delay_of(level);
    levels_.push_back(Level{level.bandwidth_bytes_per_second, delay.latency, delay.gap, inside, links, units});
    links += units;
  }
}

std::vector<std::int64_t> Cluster::unit_sizes() const {
  std::vector<std::int64_t> sizes;
  for (const Level& level : levels_) {
    if (level.unit_devices > 1) sizes.insert(sizes.begin(), level.unit_devices);
  }
  return sizes;
}

}  // namespace tessera::synth
