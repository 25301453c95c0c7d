#include "synth/layout/cluster/machine_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units_text.hpp"

namespace tessera::synth {

std::string bandwidth_text(const MachineLevel& level) {
  const std::vector<double>& listed = level.unit_bandwidths;
  if (listed.empty()) return fmt::format("{:.3g} GB/s", level.bandwidth_bytes_per_second / 1e9);
  const auto [least, most] = std::minmax_element(listed.begin(), listed.end());
  if (*least == *most) return fmt::format("{:.3g} GB/s", *least / 1e9);
  return fmt::format("{:.3g} to {:.3g} GB/s", *least / 1e9, *most / 1e9);
}

std::string modelled_text(const Machine& machine) {
  const auto link = [](const MachineLevel& level) {
    return fmt::format("{} and {}", bandwidth_text(level), base::seconds_text(level.latency_seconds));
  };
  if (machine.levels.empty()) return fmt::format("modelled: links of {}, assumed", link(MachineLevel{}));
  std::string levels;
  for (const MachineLevel& level : machine.levels)
    levels += fmt::format("{}{} {}", levels.empty() ? "" : ", ", level.name, link(level));
  return fmt::format("modelled: {}, as given", levels);
}

}  // namespace tessera::synth
