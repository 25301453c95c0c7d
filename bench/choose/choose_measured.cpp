#include "bench/choose/choose_measured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/choose/training_texts.hpp"
#include "bench/rank_correlation.hpp"
#include "bench/timing.hpp"
#include "tessera/calibration.hpp"
#include "tessera/choice.hpp"
#include "tessera/estimate.hpp"

namespace tessera::bench {

namespace {

constexpr std::int64_t kMeasuredDevices = 8;
constexpr std::int64_t kFastDevices = 2;
constexpr double kTimesSlower = 1.8;
constexpr int kGoesOfStep = 3;
// Links of 10 Gbit/s suit devices of 3.9e12 operations a second; here they are as much slower as the cores are.
constexpr double kLink = 1.25e9;
constexpr double kDeviceOfLink = 3.9e12;

// What is not there ends the measurement, with the reason.
template <class T>
T taken(Result<T> result, const std::string& about) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}: {}\n", about, result.diagnostics().front().message);
  std::exit(1);
}

Machine unequal_machine(Config config) {
  config.throttle = true;
  const DeviceKind core = taken(calibrate(config, kMeasuredDevices), "calibration").devices.front();
  Machine machine;
  machine.levels = {{"device", kMeasuredDevices, kLink * core.flops_per_second / kDeviceOfLink, 5e-6, {}, {}}};
  machine.devices = {{kFastDevices, core.flops_per_second, core.bandwidth_bytes_per_second, 0},
                     {kMeasuredDevices - kFastDevices, core.flops_per_second / kTimesSlower,
                      core.bandwidth_bytes_per_second / kTimesSlower, 0}};
  return machine;
}

struct MeasuredStep {
  double modelled = 0;
  double measured = 0;
};

std::string bound_arguments(const TrainingText& text, const std::vector<std::string>& types) {
  std::string all;
  for (std::size_t k = 0; k < text.arguments.size(); ++k)
    all += fmt::format("let {}: {} = {}\n", text.arguments[k], types[k], text.values[k]);
  return all;
}

// What was chosen, as somebody would write it: the cut by its weights, and where the arguments lie.
HandLayout as_chosen(const TrainingText& text, const HandLayout& layout, const Config& config) {
  Session session(config);
  const std::string all = text.declarations(layout) + bound_arguments(text, text.types) + text.call();
  const Program program = taken(session.check(all), text.name);
  const Choice choice = taken(choices_of(program), text.name).front();
  HandLayout own = layout;
  if (choice.weights) own.cut = fmt::format("work({})", fmt::join(choice.weights->weights, ","));
  for (const Choice::Value& value : choice.values) {
    if (value.role == Choice::Role::parameter) own.types.push_back(value.type);
  }
  return own;
}

// A step whose arguments lie where it wants them: what the clock of the devices says, the best of some goes.
MeasuredStep measured_step(const TrainingText& text, const HandLayout& given, const Config& config) {
  const HandLayout layout = given.is_chosen ? as_chosen(text, given, config) : given;
  Session session(config);
  taken(session.run(text.declarations(layout) + bound_arguments(text, layout.types) + text.call()), text.name);
  const Program program = taken(session.check(text.call()), text.name);
  const double measured = best_in_turns(
      1, kGoesOfStep, [&](std::size_t) { return taken(session.fork().run(program), text.name).clock_seconds; })[0];
  return {taken(estimate(program, true), text.name).seconds, measured};
}

}  // namespace

int run_measured(const ChooseBench& options) {
  Config config;
  config.machine = unequal_machine(config);
  config.throttle = true;
  if (!options.json)
    fmt::print("{}| step | layouts | modelled | measured | over the chosen |\n|---|---|---|---|---|\n",
               machine_text(config.machine));
  std::vector<double> modelled;
  std::vector<double> measured;
  for (const TrainingText& text : training_texts()) {
    if (text.name.find(options.only) == std::string::npos) continue;
    double chosen = 0;
    for (const HandLayout& layout : text.layouts) {
      const MeasuredStep step = measured_step(text, layout, config);
      if (layout.is_chosen) chosen = step.measured;
      modelled.push_back(step.modelled);
      measured.push_back(step.measured);
      const char* line = options.json
                             ? R"({{"step":"{}","layouts":"{}","modelled_seconds":{:.6g},"measured_seconds":{:.6g},)"
                               R"("over_chosen":{:.4g}}})"
                               "\n"
                             : "| {} | {} | {:.4g} s | {:.4g} s | {:.2f} |\n";
      fmt::print(fmt::runtime(line), text.name, layout.name, step.modelled, step.measured, step.measured / chosen);
    }
  }
  if (!options.json)
    fmt::print("{} steps: rank correlation of model and clock {:.3f}\n", modelled.size(),
               rank_correlation(modelled, measured));
  return 0;
}

}  // namespace tessera::bench
