#include "embed/session/device_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tessera::embed {

namespace {

// A product's time is that of its operations, and no cache holds the arrays of a sum.
constexpr std::int64_t kProductExtent = 1024;
constexpr std::int64_t kProductRows = 4096;  // of all devices of a process
constexpr std::int64_t kSumRows = 2048;      // of all devices of a process
constexpr std::int64_t kSumColumns = 4096;
// More devices of a process than these take their share of what these can do: every device has a copy of a factor.
constexpr std::int64_t kProbedDevicesMax = 16;
constexpr int kRuns = 9;
constexpr double kSecondsLeast = 1e-9;

// The median of the seconds that a statement takes on arrays that are there. Ranks run it as often as each other.
Result<double> median_seconds(const Config& config, const std::string& given, const std::string& statement) {
  Session session(config);
  auto ran = session.run(given);
  if (!ran) return ran.diagnostics();
  auto program = session.check(statement);
  if (!program) return program.diagnostics();
  std::vector<double> all;
  for (int run = 0; run <= kRuns; ++run) {
    Session once = session.fork();
    const auto begin = std::chrono::steady_clock::now();
    const auto report = once.run(*program);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report) return report.diagnostics();
    if (run > 0) all.push_back(config.throttle ? report->clock_seconds : wall);  // the first meets cold caches
  }
  std::sort(all.begin(), all.end());
  return std::max(all[all.size() / 2], kSecondsLeast);
}

// Of the devices that were not probed: a throttled one has a core of its own, however many there are.
double share_of(std::int64_t devices, std::int64_t probed, bool throttle) {
  return throttle ? 1 : static_cast<double>(probed) / static_cast<double>(devices);
}

}  // namespace

Result<double> flops_per_second(const Config& config, std::int64_t devices) {
  Config own;
  own.throttle = config.throttle;
  const std::int64_t probed = std::min(devices, kProbedDevicesMax);
  const std::int64_t rows = std::min(kProductRows / probed, kProductExtent);
  const auto seconds =
      median_seconds(own,
                     fmt::format("mesh m = [x: {0}]\nlet a = ones(f32[{1}@x, {2}])\nlet b = ones(f32[{2}, {2}])\n",
                                 probed, probed * rows, kProductExtent),
                     "let c = a @ b");
  if (!seconds) return seconds.diagnostics();
  const auto operations = static_cast<double>(2 * rows * kProductExtent * kProductExtent);
  return operations / *seconds * share_of(devices, probed, config.throttle);
}

Result<double> bandwidth_bytes_per_second(const Config& config, std::int64_t devices, std::int64_t ranks) {
  Config own;
  own.throttle = config.throttle;
  own.team = config.team;
  own.share_memory = config.share_memory;
  const std::int64_t probed = std::min(devices, kProbedDevicesMax);
  const std::int64_t rows = kSumRows / probed;
  const auto seconds = median_seconds(own,
                                      fmt::format("mesh m = [x: {0}]\nlet a = ones(f32[{1}@x, {2}])\nlet b = a + 1.0\n",
                                                  ranks * probed, ranks * probed * rows, kSumColumns),
                                      "let c = a + b");
  if (!seconds) return seconds.diagnostics();
  const auto bytes = static_cast<double>(3 * rows * kSumColumns * 4);
  return bytes / *seconds * share_of(devices, probed, config.throttle);
}

}  // namespace tessera::embed
