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
#include "embed/session/gpu_engine.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/engine/engine.hpp"
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

// What is between devices, and where these are: on GPUs on those of this process.
struct MeasuredLinks {
  Machine machine;
  Config config;
  double memory_bytes = 0;  // that the GPU with the least has for runs, for each of its devices; 0: no GPU
};

MeasuredLinks on_gpus_of(MeasuredLinks links, const runtime::Engine& engine, std::int64_t ranks) {
  std::int64_t devices = 1;
  for (const MachineLevel& level : links.machine.levels) devices *= level.count;
  std::vector<int> gpus;
  std::int64_t least = engine.memory_bytes_max(0);
  for (int place = 0; place < engine.places(); ++place) {
    gpus.push_back(engine.gpu(place));
    least = std::min(least, engine.memory_bytes_max(place));
  }
  links.config.gpus = fmt::format("{}", fmt::join(gpus, ","));
  links.memory_bytes = static_cast<double>(least / (devices / ranks / engine.places()));
  return links;
}

Result<MeasuredLinks> measured_links(runtime::Team& team, const embed::TeamRef& met, const Config& config,
                                     std::int64_t devices, double seconds_max) {
  const embed::EngineRef engine = embed::open_engine(config, met);
  if (!engine) return embed::to_public({}, engine.errors());
  const auto measured = runtime::calibrate(team, devices, seconds_max, engine->get());
  if (!measured) return embed::to_public({}, measured.errors());
  MeasuredLinks links{machine_of(*measured), config};
  return *engine == nullptr ? std::move(links) : on_gpus_of(std::move(links), **engine, team.size());
}

// `memory_bytes`: of a device of this process; 0: nobody knows.
Result<std::vector<DeviceKind>> measured_devices(runtime::Team& team, const Config& config, std::int64_t each,
                                                 double memory_bytes) {
  const runtime::CoreShare share(team.machine_count());
  const auto flops = of_all_ranks(team, [&] { return embed::flops_per_second(config, each); });
  if (!flops) return flops.diagnostics();
  const auto bandwidths =
      of_all_ranks(team, [&] { return embed::bandwidth_bytes_per_second(config, each, team.size()); });
  if (!bandwidths) return bandwidths.diagnostics();
  const auto memories = of_all_ranks(team, [&]() -> Result<double> { return memory_bytes; });
  if (!memories) return memories.diagnostics();
  auto kinds = kinds_of(*flops, *std::min_element(bandwidths->begin(), bandwidths->end()), each);
  for (DeviceKind& kind : kinds)
    kind.memory_bytes = static_cast<std::int64_t>(*std::min_element(memories->begin(), memories->end()));
  return kinds;
}

}  // namespace

Result<Machine> calibrate(const Config& config, std::int64_t devices, double seconds_max) {
  return embed::safely([&]() -> Result<Machine> {
    if (devices < 0 || devices > synth::kDevicesMax) return embed::bad_call("devices are 0 to 65536");
    const embed::TeamRef met = embed::meet(config);
    if (!met) return embed::to_public({}, met.errors());
    const std::shared_ptr<runtime::Team> team = *met != nullptr ? *met : std::make_shared<runtime::Team>();
    auto links = measured_links(*team, met, config, devices, seconds_max);
    if (!links) return links.diagnostics();
    Machine machine = std::move(links->machine);
    std::int64_t all = 1;
    for (const MachineLevel& level : machine.levels) all *= level.count;
    auto kinds = measured_devices(*team, links->config, all / team->size(), links->memory_bytes);
    if (!kinds) return kinds.diagnostics();
    machine.devices = std::move(*kinds);
    return machine;
  });
}

}  // namespace tessera
