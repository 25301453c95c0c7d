#include "synth/choose/weights.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "synth/machine/compute_cost.hpp"
#include "synth/machine/shares.hpp"

namespace tessera::synth {

namespace {

// Links that are alike, and devices whose memory is as fast as they are, without limits: the shares that are tried are
// then all that can be best.
bool is_flat(const Machine& machine, const Machine& devices, const Mesh& mesh, std::size_t axis) {
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

}  // namespace

base::Result<ChoiceProblem> with_weights(const ChoiceProblem& problem, const OpenCut& cut, const Weights& weights) {
  const Mesh& mesh = *problem.mesh;
  TESSERA_CHECK(cut.axis < mesh.axes().size() && cut.cut > 0 && cut.cut <= mesh.axes()[cut.axis].cuts.size(),
                "the mesh has no such cut");
  std::vector<MeshAxis> axes = mesh.axes();
  axes[cut.axis].cuts[cut.cut - 1U].weights = weights;
  ChoiceProblem with = problem;
  TESSERA_TRY(own, Mesh::make_on(std::move(axes), mesh.ranges(), mesh.matrix()));
  with.mesh = std::move(own);
  return with;
}

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

base::Result<WeightedChoice> choose_with_weights(const ChoiceProblem& problem, const OpenCut& cut, PlanCache& cache,
                                                 const ChooseOptions& options, base::StopToken stop) {
  return base::guarded([&]() -> base::Result<WeightedChoice> {
    const Mesh& mesh = *problem.mesh;
    const Machine devices = with_every_device(cache.machine(), mesh.devices_end());
    WeightedChoice best;
    bool is_closed = true;
    for (const Weights& weights : weights_to_search(cache.machine(), mesh, cut.axis)) {
      TESSERA_TRY(with, with_weights(problem, cut, weights));
      TESSERA_TRY(choice, choose(with, cache, options, stop));
      is_closed = is_closed && choice.proof != ChoiceProof::limit;
      const bool is_better = best.searched == 0 || choice.seconds < best.choice.seconds;
      ++best.searched;
      if (is_better) best = {weights, std::move(with), std::move(choice), best.searched, false};
    }
    best.is_exact = is_closed && is_flat(cache.machine(), devices, mesh, cut.axis);
    return best;
  });
}

}  // namespace tessera::synth
