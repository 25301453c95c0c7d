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

// Of a statement: by the GPU's own clock, by that of throttled devices, or by the wall's.
double seconds_of(const RunReport& report, const Config& config, double wall) {
  if (config.throttle) return report.clock_seconds;
  if (config.gpus.empty()) return wall;
  double seconds = 0;
  for (const StatementProfile& statement : report.profile) seconds += statement.computing.most;
  return seconds;
}

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
    if (run > 0) all.push_back(seconds_of(*report, config, wall));  // the first meets cold caches
  }
  std::sort(all.begin(), all.end());
  return std::max(all[all.size() / 2], kSecondsLeast);
}

// Of the devices that were not probed: a throttled one has a core of its own, however many there are.
double share_of(std::int64_t devices, std::int64_t probed, bool throttle) {
  return throttle ? 1 : static_cast<double>(probed) / static_cast<double>(devices);
}

// A GPU is asked for more and more until a run takes this long, or until it has no room for more.
constexpr double kSecondsOnGpu = 2e-3;
constexpr int kGrowths = 5;

// What a run computes on one device, and how much that is.
struct ProbedWork {
  std::string given;
  std::string statement;
  double amount = 0;
};

Config on_gpus_alone(const Config& config) {
  Config own;
  own.gpus = config.gpus;
  own.gpu_memory = config.gpu_memory;
  own.gpu_times = true;
  own.clock = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  return own;
}

// Of a device, by the largest work that there was room for. `work_of(0)` is the least, and each is larger than the one
// before.
template <class F>
Result<double> per_second_on_gpus(const Config& config, const F& work_of) {
  const Config own = on_gpus_alone(config);
  double rate = 0;
  for (int size = 0; size <= kGrowths; ++size) {
    const ProbedWork work = work_of(size);
    const auto seconds = median_seconds(own, work.given, work.statement);
    const bool has_room = seconds || seconds.diagnostics().front().slug != "out-of-memory-plan";
    if (!has_room && size > 0) break;
    if (!seconds) return seconds.diagnostics();
    rate = work.amount / *seconds;
    if (*seconds >= kSecondsOnGpu) break;
  }
  return rate;
}

ProbedWork product_of(std::int64_t devices, std::int64_t extent) {
  const std::int64_t rows = std::max<std::int64_t>(4 * extent / devices, 1);
  return {fmt::format("mesh m = [x: {0}]\nlet a = ones(f32[{1}@x, {2}])\nlet b = ones(f32[{2}, {2}])\n", devices,
                      devices * rows, extent),
          "let c = a @ b", static_cast<double>(2 * rows * extent * extent)};
}

ProbedWork sum_of(std::int64_t devices, std::int64_t rows_of_all) {
  const std::int64_t rows = std::max<std::int64_t>(rows_of_all / devices, 1);
  return {fmt::format("mesh m = [x: {}]\nlet a = ones(f32[{}@x, {}])\nlet b = a + 1.0\n", devices, devices * rows,
                      kSumColumns),
          "let c = a + b", static_cast<double>(3 * rows * kSumColumns * 4)};
}

// The work is dealt to no more devices than are measured.
template <class F>
Result<double> of_each_on_gpus(const Config& config, std::int64_t devices, const F& work_of) {
  const std::int64_t probed = std::min(devices, kProbedDevicesMax);
  const auto rate = per_second_on_gpus(config, [&](int size) { return work_of(probed, size); });
  if (!rate) return rate.diagnostics();
  return *rate * share_of(devices, probed, false);
}

}  // namespace

Result<double> flops_per_second(const Config& config, std::int64_t devices) {
  if (!config.gpus.empty()) {
    return of_each_on_gpus(config, devices,
                           [](std::int64_t probed, int size) { return product_of(probed, std::int64_t{256} << size); });
  }
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
  if (!config.gpus.empty()) {
    return of_each_on_gpus(
        config, devices, [](std::int64_t probed, int size) { return sum_of(probed, std::int64_t{256} << (2 * size)); });
  }
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
