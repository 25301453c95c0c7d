#include "bench/estimate/estimate_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "bench/estimate/programs.hpp"
#include "bench/rank_correlation.hpp"
#include "bench/report.hpp"
#include "bench/timing.hpp"
#include "tessera/calibration.hpp"
#include "tessera/estimate.hpp"
#include "tessera/mpi.hpp"

namespace tessera::bench {

namespace {

constexpr std::int64_t kDevices = 4;
constexpr int kGoesOfNothing = 8;
constexpr double kSlower = 1.8;  // the second pair of throttled devices

// Two fast devices and two slow ones, of a core that was measured; their links are only modelled.
Machine throttled_machine(const Config& config) {
  Config throttled = config;
  throttled.throttle = true;
  Machine machine = calibrate(throttled, kDevices).value();
  const DeviceKind core = machine.devices.front();
  machine.levels = {{"host", 2, 10e9, 1e-5, {}, {}}, {"device", 2, 50e9, 1e-6, {}, {}}};
  machine.devices = {{2, core.flops_per_second, core.bandwidth_bytes_per_second, 0},
                     {2, core.flops_per_second / kSlower, core.bandwidth_bytes_per_second / kSlower, 0}};
  return machine;
}

struct Outcome {
  double estimated = 0;
  double measured = 0;
  bool has_peak_of_run = false;
};

// The best of some runs, which all ranks make: the first one's clock counts, since a run ends on all together.
double best_run(const Session& session, const Program& program, int goes, std::int64_t& peak_bytes) {
  return best_in_turns(1, goes, [&](std::size_t) {
    Session once = session.fork();
    std::optional<RunReport> report;
    const double wall = seconds_of([&] { report = once.run(program).value(); });
    peak_bytes = report->peak_bytes;
    return session.config().throttle ? report->clock_seconds : wall;
  })[0];
}

// To begin and to end a run together takes ranks a while, whatever they do in it: that is not estimated.
double seconds_of_nothing(const Config& config, int goes) {
  Session session(config);
  session.run("let nothing = 0\n").value();
  std::int64_t peak_bytes = 0;
  return best_run(session, session.check("let z = nothing\n").value(), kGoesOfNothing * goes, peak_bytes);
}

Outcome outcome_of(const EstimatedProgram& one, const Config& config, const EstimateBench& options, double nothing) {
  Session session(config);
  session.run(one.given).value();
  const Program program = session.check(one.text).value();
  const Estimate estimated = estimate(program, true).value();
  std::int64_t peak_bytes = 0;
  const double measured = best_run(session, program, options.goes, peak_bytes);
  return {estimated.seconds, std::max(measured - nothing, 1e-9), peak_bytes == estimated.peak_bytes};
}

void tell_all(const std::vector<double>& estimated, const std::vector<double>& measured, bool json) {
  std::vector<double> errors;
  for (std::size_t k = 0; k < measured.size(); ++k) errors.push_back(std::abs(estimated[k] / measured[k] - 1));
  std::sort(errors.begin(), errors.end());
  const double median = errors.empty() ? 0 : errors[errors.size() / 2];
  const double correlation = rank_correlation(estimated, measured);
  if (json) {
    fmt::print("{{\"programs\":{},\"rank_correlation\":{:.6g},\"median_error\":{:.6g}}}\n", errors.size(), correlation,
               median);
  } else {
    fmt::print("{} programs: rank correlation {:.3f}, median error {:.1f}%\n", errors.size(), correlation,
               100 * median);
  }
}

}  // namespace

int run(const EstimateBench& options) {
  auto begun = Launch::begin();
  if (!begun) {
    fmt::print(stderr, "{}\n", begun.diagnostics().front().message);
    return 2;
  }
  const Launch launch = std::move(begun).value();
  const bool is_alone = launch.ranks() == 1;
  Config config;
  config.team = launch.team();
  config.machine = is_alone ? throttled_machine(config) : calibrate(config, kDevices).value();
  config.throttle = is_alone;
  std::optional<Report> report;
  if (launch.rank() == 0) {
    if (!options.json) fmt::print("{}", machine_text(config.machine));
    report.emplace(is_alone ? "throttled devices" : fmt::format("{} ranks", launch.ranks()),
                   std::vector<std::string>{"estimated_ms", "measured_ms", "ratio", "same_peak"}, options.json);
  }
  const double nothing = seconds_of_nothing(config, options.goes);
  if (report && !options.json) fmt::print("a run that does nothing: {:.2f} ms, left out\n", nothing * 1e3);
  std::vector<double> estimated;
  std::vector<double> measured;
  bool all_peaks = true;
  for (const EstimatedProgram& one : programs_to_estimate()) {
    if (one.name.find(options.only) == std::string::npos) continue;
    const Outcome outcome = outcome_of(one, config, options, nothing);
    estimated.push_back(outcome.estimated);
    measured.push_back(outcome.measured);
    all_peaks = all_peaks && outcome.has_peak_of_run;
    if (report)
      report->row(one.name, {outcome.estimated * 1e3, outcome.measured * 1e3, outcome.estimated / outcome.measured,
                             outcome.has_peak_of_run ? 1.0 : 0.0});
  }
  if (report) tell_all(estimated, measured, options.json);
  return all_peaks ? 0 : 1;
}

}  // namespace tessera::bench
