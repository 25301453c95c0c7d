#include "tessera/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embed/session/device_probe.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/kernels/core_share.hpp"
#include "runtime/ranks/calibrate.hpp"
#include "runtime/ranks/texts.hpp"

namespace tessera {

namespace {

Machine machine_of(const synth::Machine& measured) {
  Machine machine;
  for (const synth::MachineLevel& level : measured.levels) {
    machine.levels.push_back(
        {level.name, level.count, level.bandwidth_bytes_per_second, level.latency_seconds, level.gap_seconds});
  }
  return machine;
}

// Devices whose speeds are nearer to each other than this are of one kind: so much is noise.
constexpr double kAlike = 1.5;

double to_three_digits(double figure) { return std::strtod(fmt::format("{:.3g}", figure).c_str(), nullptr); }

double median_of(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return to_three_digits(all[all.size() / 2]);
}

bool are_alike(const std::vector<double>& all) {
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return *most <= kAlike * *least;
}

// The kinds of devices, of ranks that have `each` of them.
std::vector<DeviceKind> kinds_of(const std::vector<double>& flops, double bandwidth, std::int64_t each) {
  const double memory = to_three_digits(bandwidth);
  if (are_alike(flops)) return {{each * std::ssize(flops), median_of(flops), memory, 0}};
  std::vector<DeviceKind> kinds;
  for (const double one : flops) kinds.push_back({each, to_three_digits(one), memory, 0});
  return kinds;
}

// What a measurement gives on every rank: all begin it together, and each tells all others.
Result<std::vector<double>> of_all_ranks(runtime::Team& team, const std::function<Result<double>()>& measure) {
  if (auto met = team.agree(base::Done{}, {0, 0}); !met.ok()) return embed::to_public({}, met.errors());
  const auto mine = measure();
  const auto all = runtime::share_texts(team, mine ? fmt::format("{}", *mine) : std::string());
  if (!all) return embed::to_public({}, all.errors());
  if (!mine) return mine.diagnostics();
  std::vector<double> figures;
  for (const std::string& one : *all) {
    if (one.empty()) return embed::bad_call("another rank could not measure its devices");
    figures.push_back(std::strtod(one.c_str(), nullptr));
  }
  return figures;
}

Result<std::vector<DeviceKind>> measured_devices(runtime::Team& team, const Config& config, std::int64_t each) {
  const runtime::CoreShare share(team.machine_count());
  const auto flops = of_all_ranks(team, [&] { return embed::flops_per_second(config, each); });
  if (!flops) return flops.diagnostics();
  const auto bandwidths =
      of_all_ranks(team, [&] { return embed::bandwidth_bytes_per_second(config, each, team.size()); });
  if (!bandwidths) return bandwidths.diagnostics();
  return kinds_of(*flops, *std::min_element(bandwidths->begin(), bandwidths->end()), each);
}

}  // namespace

Result<Machine> calibrate(const Config& config, std::int64_t devices, double seconds_max) {
  return embed::safely([&]() -> Result<Machine> {
    if (devices < 0 || devices > synth::kDevicesMax) return embed::bad_call("devices are 0 to 65536");
    const embed::TeamRef met = embed::meet(config);
    if (!met) return embed::to_public({}, met.errors());
    const std::shared_ptr<runtime::Team> team = *met != nullptr ? *met : std::make_shared<runtime::Team>();
    const auto measured = runtime::calibrate(*team, devices, seconds_max);
    if (!measured) return embed::to_public({}, measured.errors());
    Machine machine = machine_of(*measured);
    const std::int64_t each = std::max<std::int64_t>(1, devices / team->size());
    auto kinds = measured_devices(*team, config, each);
    if (!kinds) return kinds.diagnostics();
    machine.devices = std::move(*kinds);
    return machine;
  });
}

}  // namespace tessera
