#include "repl/render/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tessera::repl {

namespace {

struct InUnits {
  std::string text;
  bool is_exact = true;  // the digits give the whole value
};

// The value in the greatest unit that leaves it at least 1.
template <std::size_t kUnits>
InUnits in_units(double value, double step, const std::array<const char*, kUnits>& units) {
  std::size_t unit = 0;
  while (unit + 1 < kUnits && value >= step) {
    value /= step;
    ++unit;
  }
  const std::string digits = value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  return {fmt::format("{} {}", digits, units[unit]), digits == fmt::format("{:.17g}", value)};
}

InUnits bytes_in_units(std::int64_t bytes) {
  return in_units(static_cast<double>(bytes), 1024, std::array{"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

}  // namespace

std::string bytes_text(std::int64_t bytes) { return bytes_in_units(bytes).text; }

std::string exact_bytes_text(std::int64_t bytes) {
  const InUnits rounded = bytes_in_units(bytes);
  return rounded.is_exact ? rounded.text : fmt::format("{} ({} bytes)", rounded.text, bytes);
}

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  return in_units(seconds * 1e9, 1000, std::array{"ns", "us", "ms", "s"}).text;
}

std::string bandwidth_text(const MachineLevel& level) {
  const std::vector<double>& listed = level.unit_bandwidths;
  if (listed.empty()) return fmt::format("{:.3g} GB/s", level.bandwidth_bytes_per_second / 1e9);
  const auto [least, most] = std::minmax_element(listed.begin(), listed.end());
  if (*least == *most) return fmt::format("{:.3g} GB/s", *least / 1e9);
  return fmt::format("{:.3g} to {:.3g} GB/s", *least / 1e9, *most / 1e9);
}

std::string modelled_line(const Machine& machine, std::string_view help) {
  const auto link = [](const MachineLevel& level) {
    return fmt::format("{} and {}", bandwidth_text(level), seconds_text(level.latency_seconds));
  };
  if (machine.levels.empty()) return fmt::format("modelled: links of {}, assumed; {}\n", link(MachineLevel{}), help);
  std::vector<std::string> levels;
  for (const MachineLevel& level : machine.levels) levels.push_back(level.name + " " + link(level));
  return fmt::format("modelled: {}, as given\n", fmt::join(levels, ", "));
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

std::string counted(std::int64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace tessera::repl
