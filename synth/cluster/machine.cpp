#include "synth/cluster/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "synth/kinds.hpp"

namespace tessera::synth {

namespace {

using base::make;

base::Status check_level(const MachineLevel& level) {
  if (level.count < 1) return make(Kind::bad_machine, level.name, "its count is not at least 1");
  if (!is_bandwidth(level.bandwidth_bytes_per_second))
    return make(Kind::bad_machine, level.name, "its bandwidth is not from 0.001 to 1e24 bytes per second");
  if (!is_latency(level.latency_seconds))
    return make(Kind::bad_machine, level.name, "its latency is not from 0 to 1e9 seconds");
  if (level.gap_seconds && !is_latency(*level.gap_seconds))
    return make(Kind::bad_machine, level.name, "its gap is not from 0 to 1e9 seconds");
  return base::Done{};
}

base::Status check_kind(const DeviceKind& kind, std::size_t number) {
  const auto bad = [&](const char* why) { return make(Kind::bad_device_kind, number, why); };
  if (kind.count < 1) return bad("their count is not at least 1");
  if (!is_bandwidth(kind.flops_per_second)) return bad("their flops are not from 0.001 to 1e24 a second");
  if (!is_bandwidth(kind.bandwidth_bytes_per_second)) {
    return bad("their bandwidth is not from 0.001 to 1e24 bytes per second");
  }
  if (kind.memory_bytes < 0) return bad("their memory is negative");
  return base::Done{};
}

base::Status check_kinds(const Machine& machine, std::int64_t devices) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    TESSERA_TRY_STATUS(check_kind(machine.devices[i], i));
    if (__builtin_add_overflow(sum, machine.devices[i].count, &sum)) sum = std::numeric_limits<std::int64_t>::max();
  }
  if (machine.devices.empty() || sum == devices) return base::Done{};
  return make(Kind::machine_mismatch, sum, devices)
      .suggest("the counts of the machine's kinds of devices add up to the number of devices of the mesh");
}

// The product of the counts; what is too large for 63 bits is written as a product.
base::Status check_counts(const Machine& machine, std::int64_t devices) {
  std::string product;
  std::int64_t left = devices;
  bool divides = true;
  for (const MachineLevel& level : machine.levels) {
    product += fmt::format("{}{}", product.empty() ? "" : "x", level.count);
    divides = divides && left % level.count == 0;
    if (divides) left /= level.count;
  }
  if (divides && left == 1) return base::Done{};
  return make(Kind::machine_mismatch, product, devices)
      .suggest("the counts of the machine's levels multiply to the number of devices of the mesh");
}

}  // namespace

base::Result<Machine> machine_for(const Machine& machine, std::int64_t devices) {
  return base::guarded([&]() -> base::Result<Machine> {
    TESSERA_TRY_STATUS(check_kinds(machine, devices));
    if (machine.levels.empty()) {
      MachineLevel flat;
      flat.name = "device";
      flat.count = devices;
      return Machine{{flat}, machine.devices};
    }
    for (const MachineLevel& level : machine.levels) TESSERA_TRY_STATUS(check_level(level));
    TESSERA_TRY_STATUS(check_counts(machine, devices));
    return machine;
  });
}

Delay slowest_delay(const Machine& machine) {
  Delay slowest;
  for (const MachineLevel& level : machine.levels) slowest = std::max(slowest, delay_of(level));
  return slowest;
}

double least_delay(const Machine& machine) {
  double least = machine.levels.back().latency_seconds;
  for (const MachineLevel& level : machine.levels) {
    const Delay delay = delay_of(level);
    least = std::min({least, delay.latency, delay.gap});
  }
  return least;
}

std::vector<DeviceKind> kinds_of_devices(const Machine& machine) {
  std::vector<DeviceKind> all;
  for (const DeviceKind& kind : machine.devices) all.insert(all.end(), static_cast<std::size_t>(kind.count), kind);
  return all;
}

}  // namespace tessera::synth
