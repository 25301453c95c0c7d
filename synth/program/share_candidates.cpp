#include "synth/program/share_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "synth/program/compute_cost.hpp"
#include "synth/program/shares.hpp"

namespace tessera::synth {

std::vector<Weights> weights_to_search(const Machine& machine, const Mesh& mesh, std::size_t axis) {
  Machine capped = with_every_device(machine, mesh.devices_end());
  const std::vector<DeviceKind> own = capped.devices;
  std::set<double> speeds;
  for (const DeviceKind& kind : own) speeds.insert(kind.flops_per_second);
  std::vector<Weights> found;
  for (const double most : speeds) {
    for (std::size_t i = 0; i < own.size(); ++i)
      capped.devices[i].flops_per_second = std::min(own[i].flops_per_second, most);
    const auto weights = weights_by(DeviceFigure::speed, capped, mesh, axis);
    if (weights && std::ranges::find(found, *weights) == found.end()) found.push_back(*weights);
  }
  return found;
}

bool weights_to_search_are_all(const Machine& machine, const Mesh& mesh, std::size_t axis) {
  const Machine devices = with_every_device(machine, mesh.devices_end());
  if (machine.levels.size() > 1 || (!machine.levels.empty() && !machine.levels[0].unit_bandwidths.empty()))
    return false;
  std::vector<double> of_position(static_cast<std::size_t>(mesh.axes()[axis].size), 0);
  const DeviceKind& first = devices.devices[mesh.device_of_run(0).value];
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    const DeviceKind& own = devices.devices[mesh.device_of_run(device).value];
    const double ratio = own.bandwidth_bytes_per_second / own.flops_per_second;
    const bool is_one_speed = std::abs(ratio * first.flops_per_second / first.bandwidth_bytes_per_second - 1) < 1e-9;
    double& speed = of_position[static_cast<std::size_t>(mesh.coordinate(device, axis))];
    if (speed == 0) speed = own.flops_per_second;
    if (!is_one_speed || own.memory_bytes != 0 || speed != own.flops_per_second) return false;
  }
  return true;
}

}  // namespace tessera::synth
