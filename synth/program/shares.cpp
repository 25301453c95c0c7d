#include "synth/program/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera::synth {

namespace {

double figure_of(const DeviceKind& kind, DeviceFigure figure) {
  switch (figure) {
    case DeviceFigure::speed: return kind.flops_per_second;
    case DeviceFigure::memory: return static_cast<double>(kind.memory_bytes);
  }
  return 0;
}

// The least figure among the devices of every position along the axis.
std::vector<double> least_by_position(const std::vector<DeviceKind>& kinds, DeviceFigure figure, const Mesh& mesh,
                                      std::size_t axis) {
  const std::int64_t size = mesh.axes()[axis].size;
  std::vector<double> least(static_cast<std::size_t>(size), -1);
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    double& of_position = least[static_cast<std::size_t>(mesh.place(device) / mesh.stride(axis) % size)];
    const double own = figure_of(kinds[mesh.device_of_run(device).value], figure);
    of_position = of_position < 0 ? own : std::min(of_position, own);
  }
  return least;
}

// Whole numbers of that sum in proportion to the figures; those that lose most by rounding down get what is left.
std::vector<std::int64_t> rounded(const std::vector<double>& figures, std::int64_t sum) {
  const double all = std::accumulate(figures.begin(), figures.end(), 0.0);
  std::vector<std::int64_t> weights;
  std::vector<std::pair<double, std::size_t>> lost;
  std::int64_t left = sum;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const double ideal = figures[i] / all * static_cast<double>(sum);
    weights.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(ideal)));
    left -= weights.back();
    lost.emplace_back(std::floor(ideal) - ideal, i);
  }
  std::stable_sort(lost.begin(), lost.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; left > 0; i = (i + 1) % lost.size(), --left) ++weights[lost[i].second];
  return weights;
}

}  // namespace

std::optional<DeviceFigure> device_figure_by_name(std::string_view name) {
  if (name == "speed") return DeviceFigure::speed;
  if (name == "memory") return DeviceFigure::memory;
  return std::nullopt;
}

std::optional<Weights> weights_by(DeviceFigure figure, const Machine& machine, const Mesh& mesh, std::size_t axis) {
  constexpr std::int64_t kSumLeast = 1000;
  constexpr std::int64_t kSumForEach = 16;
  const std::vector<DeviceKind> kinds = kinds_of_devices(machine);
  if (kinds.empty() || std::ssize(kinds) < mesh.devices_end()) return std::nullopt;
  const std::vector<double> least = least_by_position(kinds, figure, mesh, axis);
  if (std::any_of(least.begin(), least.end(), [](double each) { return each <= 0; })) return std::nullopt;
  return Weights::make(rounded(least, std::max(kSumLeast, kSumForEach * mesh.axes()[axis].size)));
}

}  // namespace tessera::synth
