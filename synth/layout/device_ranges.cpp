#include "synth/layout/device_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "synth/layout/cursor.hpp"

namespace tessera::synth {

namespace {

// A number too large for 63 bits is as much too large as the largest.
std::optional<std::int64_t> device_number(Cursor& cursor) {
  const bool negative = cursor.accept('-');
  const std::string_view digits = cursor.digits();
  if (digits.empty()) return std::nullopt;
  const std::int64_t value = integer_value(digits).value_or(std::numeric_limits<std::int64_t>::max());
  return negative ? -value : value;
}

std::optional<DeviceRange> device_range(Cursor& cursor) {
  const auto begin = device_number(cursor);
  if (!begin || !cursor.accept(':')) return std::nullopt;
  const auto end = device_number(cursor);
  if (!end) return std::nullopt;
  return DeviceRange{*begin, *end};
}

std::string fault_of_range(const DeviceRange& range) {
  if (range.begin < 0) return "names a negative device";
  if (range.end <= range.begin) return fmt::format("has `{}:{}`, which names no device", range.begin, range.end);
  if (range.end > kDevicesMax) return "names a device above 65,535";
  return "";
}

// A device that two ranges name.
std::optional<std::int64_t> named_twice(std::vector<DeviceRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end) return ranges[i].begin;
  }
  return std::nullopt;
}

}  // namespace

std::string print(const std::vector<DeviceRange>& ranges) {
  std::string text;
  for (const DeviceRange& range : ranges) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", range.begin, range.end);
  }
  return ranges.size() == 1 ? text : "(" + text + ")";
}

std::optional<std::vector<DeviceRange>> parse_device_ranges(std::string_view text) {
  Cursor cursor(text);
  const bool several = cursor.accept('(');
  std::vector<DeviceRange> ranges;
  do {
    const auto range = device_range(cursor);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  } while (several && cursor.accept(','));
  if (several && !cursor.accept(')')) return std::nullopt;
  cursor.skip_blanks();
  if (!cursor.at_end()) return std::nullopt;
  return ranges;
}

std::string fault_of(const std::vector<DeviceRange>& ranges, std::int64_t devices) {
  std::int64_t count = 0;
  for (const DeviceRange& range : ranges) {
    if (std::string fault = fault_of_range(range); !fault.empty()) return fault;
    count += range.end - range.begin;
  }
  if (const auto twice = named_twice(ranges)) return fmt::format("names device {} twice", *twice);
  if (count == devices) return "";
  return fmt::format("names {} device{}", count, count == 1 ? "" : "s");
}

std::vector<DeviceRange> joined(const std::vector<DeviceRange>& ranges) {
  std::vector<DeviceRange> all;
  for (const DeviceRange& range : ranges) {
    if (!all.empty() && all.back().end == range.begin)
      all.back().end = range.end;
    else
      all.push_back(range);
  }
  return all;
}

}  // namespace tessera::synth
