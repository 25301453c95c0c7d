#include "tessera/calibration.hpp"

#include <memory>

#include "embed/session_impl.hpp"
#include "runtime/ranks/calibrate.hpp"

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

}  // namespace

Result<Machine> calibrate(const Config& config, std::int64_t devices, double seconds_max) {
  return embed::safely([&]() -> Result<Machine> {
    if (devices < 0 || devices > synth::kDevicesMax) return embed::bad_call("devices are 0 to 65536");
    const embed::TeamRef met = embed::meet(config);
    if (!met) return embed::to_public({}, met.errors());
    const std::shared_ptr<runtime::Team> team = *met != nullptr ? *met : std::make_shared<runtime::Team>();
    const auto measured = runtime::calibrate(*team, devices, seconds_max);
    if (!measured) return embed::to_public({}, measured.errors());
    return machine_of(*measured);
  });
}

}  // namespace tessera
