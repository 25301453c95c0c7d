#include "base/units_text.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace tessera::base {

namespace {

constexpr std::int64_t kExactMax = std::int64_t{1} << 53U;  // below it a double holds every integer

struct InUnits {
  std::string text;
  bool is_exact = true;
};

InUnits in_units(std::int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return {fmt::format("{} B", bytes)};
  std::int64_t unit_bytes = 1024;
  std::size_t unit = 0;
  while (bytes / unit_bytes >= 1024 && unit + 1 < kUnits.size()) {
    unit_bytes *= 1024;
    ++unit;
  }
  const double value = static_cast<double>(bytes) / static_cast<double>(unit_bytes);
  const std::string digits = fmt::format("{:.4g}", value);
  const bool is_exact = bytes < kExactMax && digits == fmt::format("{:.17g}", value);
  return {fmt::format("{} {}", digits, kUnits[unit]), is_exact};
}

}  // namespace

std::string bytes_text(std::int64_t bytes) { return in_units(bytes).text; }

std::string exact_bytes_text(std::int64_t bytes) {
  const InUnits rounded = in_units(bytes);
  return rounded.is_exact ? rounded.text : fmt::format("{} ({} bytes)", rounded.text, bytes);
}

std::string seconds_text(double seconds) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  constexpr double kStep = 1000;
  if (seconds == 0) return "0 s";
  double value = seconds * 1e9;
  std::size_t unit = 0;
  // 999.96 is four digits of the next unit already.
  while (unit + 1 < kUnits.size() && (value >= kStep || fmt::format("{:.4g}", value) == "1000")) {
    value /= kStep;
    ++unit;
  }
  const std::string digits = value >= kStep ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  return fmt::format("{} {}", digits, kUnits[unit]);
}

}  // namespace tessera::base
