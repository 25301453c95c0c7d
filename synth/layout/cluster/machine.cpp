#include "synth/layout/cluster/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "synth/kinds.hpp"
#include "synth/layout/mesh.hpp"

namespace tessera::synth {

namespace {

using base::make;

base::Status check_level(const MachineLevel& level) {
  if (level.count < 1) return make(Kind::bad_machine, level.name, "its count is not at least 1");
  const auto& listed = level.unit_bandwidths;
  const bool are_bandwidths = listed.empty() ? is_bandwidth(level.bandwidth_bytes_per_second)
                                             : std::all_of(listed.begin(), listed.end(), is_bandwidth);
  if (!are_bandwidths)
    return make(Kind::bad_machine, level.name, "its bandwidth is not from 0.001 to 1e24 bytes per second");
  if (!is_latency(level.latency_seconds))
    return make(Kind::bad_machine, level.name, "its latency is not from 0 to 1e9 seconds");
  if (level.gap_seconds && !is_latency(*level.gap_seconds))
    return make(Kind::bad_machine, level.name, "its gap is not from 0 to 1e9 seconds");
  return base::Done{};
}

base::Status check_number_of_levels(const Machine& machine) {
  const std::size_t levels = machine.levels.size();
  if (levels <= kMachineLevelsMax) return base::Done{};
  return make(Kind::bad_machine, machine.levels[kMachineLevelsMax].name,
              fmt::format("with it there are more than {} levels: {}", kMachineLevelsMax, levels));
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

// The largest number where there are more.
std::int64_t devices_of_kinds(const Machine& machine) {
  std::int64_t sum = 0;
  for (const DeviceKind& kind : machine.devices) {
    if (__builtin_add_overflow(sum, kind.count, &sum)) return std::numeric_limits<std::int64_t>::max();
  }
  return sum;
}

std::int64_t devices_of_levels(const Machine& machine) {
  std::int64_t product = 1;
  for (const MachineLevel& level : machine.levels) {
    if (__builtin_mul_overflow(product, level.count, &product)) return std::numeric_limits<std::int64_t>::max();
  }
  return product;
}

// What to type: a machine has `had` devices, and so many are wanted.
std::string what_fits(std::int64_t had, std::int64_t devices) {
  return fmt::format(
      "declare a mesh of at most {}, or name a machine of {} or more: `tessera calibrate --devices {} -o FILE` "
      "measures "
      "one",
      had, devices, devices);
}

base::Status check_kinds(const Machine& machine, std::int64_t devices) {
  for (std::size_t i = 0; i < machine.devices.size(); ++i) TESSERA_TRY_STATUS(check_kind(machine.devices[i], i));
  const std::int64_t sum = devices_of_kinds(machine);
  if (machine.devices.empty() || sum >= devices) return base::Done{};
  return make(Kind::machine_mismatch, sum, devices)
      .suggest("the counts of its kinds of devices add up to so many; " + what_fits(sum, devices));
}

// The product of the counts; as a product of several.
base::Status check_counts(const Machine& machine, std::int64_t devices) {
  std::string product;
  for (const MachineLevel& level : machine.levels)
    product += fmt::format("{}{}", product.empty() ? "" : "x", level.count);
  if (devices_of_levels(machine) < devices) {
    return make(Kind::machine_mismatch, product, devices)
        .suggest("the counts of its levels multiply to so many; " + what_fits(devices_of_levels(machine), devices));
  }
  if (devices_of_levels(machine) > kDevicesMax) {
    return make(Kind::bad_machine, machine.levels.back().name,
                fmt::format("with it there are {} devices, and 65,536 are the most", product));
  }
  const std::int64_t of_kinds = devices_of_kinds(machine);
  if (machine.devices.empty() || of_kinds == devices_of_levels(machine)) return base::Done{};
  return make(Kind::bad_device_kind, machine.devices.size() - 1,
              fmt::format("with them there are {} devices, but the levels have {}", of_kinds, product));
}

// The machine, whose counts are right, with lists of bandwidths as the rest of us wants them.
base::Result<Machine> with_lists(Machine machine) {
  std::int64_t units = 1;
  for (MachineLevel& level : machine.levels) {
    units *= level.count;
    std::vector<double>& listed = level.unit_bandwidths;
    if (listed.empty()) continue;
    if (std::ssize(listed) != units) {
      return make(Kind::bad_machine, level.name,
                  fmt::format("it has {} unit{}, and its list of bandwidths {}", units, units == 1 ? "" : "s",
                              listed.size()))
          .suggest("list one bandwidth for each unit of the level, over the whole machine, or give one number for all");
    }
    level.bandwidth_bytes_per_second = *std::max_element(listed.begin(), listed.end());
    if (least_bandwidth(level) == level.bandwidth_bytes_per_second) listed.clear();
  }
  return machine;
}

MachineLevel assumed_level(std::int64_t devices) {
  MachineLevel flat;
  flat.name = "device";
  flat.count = devices;
  return flat;
}

}  // namespace

base::Result<RunMachine> machine_for(const Machine& machine, std::int64_t devices) {
  return base::guarded([&]() -> base::Result<RunMachine> {
    TESSERA_TRY_STATUS(check_kinds(machine, devices));
    if (machine.levels.empty()) {
      const std::int64_t count = machine.devices.empty() ? devices : std::max(devices, devices_of_kinds(machine));
      return RunMachine(Machine{{assumed_level(count)}, machine.devices});
    }
    TESSERA_TRY_STATUS(check_number_of_levels(machine));
    for (const MachineLevel& level : machine.levels) TESSERA_TRY_STATUS(check_level(level));
    TESSERA_TRY_STATUS(check_counts(machine, devices));
    TESSERA_TRY(with_fastest, with_lists(machine));
    return RunMachine(std::move(with_fastest));
  });
}

bool is_assumed(const RunMachine& machine) {
  return machine.levels.size() == 1 && machine.levels[0] == assumed_level(machine.levels[0].count);
}

Delay slowest_delay(const RunMachine& machine) {
  Delay slowest;
  for (const MachineLevel& level : machine.levels) slowest = std::max(slowest, delay_of(level));
  return slowest;
}

double least_delay(const RunMachine& machine) {
  double least = machine.levels.back().latency_seconds;
  for (const MachineLevel& level : machine.levels) {
    const Delay delay = delay_of(level);
    least = std::min({least, delay.latency, delay.gap});
  }
  return least;
}

double least_bandwidth(const MachineLevel& level) {
  const std::vector<double>& listed = level.unit_bandwidths;
  return listed.empty() ? level.bandwidth_bytes_per_second : *std::min_element(listed.begin(), listed.end());
}

std::vector<DeviceKind> kinds_of_devices(const Machine& machine) {
  std::vector<DeviceKind> all;
  for (const DeviceKind& kind : machine.devices) all.insert(all.end(), static_cast<std::size_t>(kind.count), kind);
  return all;
}

}  // namespace tessera::synth
