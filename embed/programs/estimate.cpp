#include "tessera/estimate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/host/stop_token.hpp"
#include "embed/programs/step_figures.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/memory/device_peaks.hpp"
#include "runtime/memory/plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/moves/prices/prices.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/pipelines.hpp"

namespace tessera {

namespace {

Place place_of(const embed::Texts& texts, base::Span span) {
  return span.known() ? embed::place(texts, span) : Place{};
}

// Builds the estimate of one lowered program.
class Estimator {
 public:
  Estimator(const Program::Impl& program, const typeck::Lowered& lowered, base::StopToken stop)
      : program_(program),
        lowered_(lowered),
        tiles_(lowered.program),
        plan_(runtime::plan_memory(lowered.program, tiles_, stop)) {}

  Estimate take() {
    say_of_machine();
    say_of_shares();
    const embed::ProgramFigures figures = embed::figures_of(lowered_.program, plan_, program_.machine);
    for (const embed::StepFigure& figure : figures.steps) add(figure);
    add_pipelines(figures.pipelines);
    say_of_memory();
    for (auto& [number, one] : by_statement_) finish(one);
    estimate_.speed_share = share(estimate_.operations, estimate_.seconds);
    return std::move(estimate_);
  }

 private:
  void say_of_machine() {
    std::int64_t devices = 1;
    for (std::uint32_t k = 0; k < lowered_.program.registers.size(); ++k)
      devices = std::max(devices, lowered_.program.registers[synth::RegisterId{k}].mesh().devices_end());
    std::vector<synth::DeviceKind> kinds = synth::kinds_of_devices(program_.machine);
    estimate_.devices_assumed = kinds.empty();
    kinds.resize(static_cast<std::size_t>(devices));
    for (const synth::DeviceKind& kind : kinds) {
      estimate_.flops_per_second += kind.flops_per_second;
      estimate_.memory_bytes_per_second += kind.bandwidth_bytes_per_second;
    }
    estimate_.devices = devices;
    if (devices <= embed::kListedDevicesMax) estimate_.loads.resize(static_cast<std::size_t>(devices));
    memory_of_.clear();
    for (const synth::DeviceKind& kind : kinds) memory_of_.push_back(kind.memory_bytes);
    const auto machine = synth::machine_for(program_.machine, devices);
    if (!machine) return;
    for (const synth::MachineLevel& level : machine->levels) estimate_.levels.push_back(level.name);
  }

  void say_of_shares() {
    std::set<std::tuple<std::string, std::string, std::vector<std::int64_t>>> told;
    for (std::uint32_t k = 0; k < lowered_.program.registers.size(); ++k) {
      for (const synth::MeshAxis& axis : lowered_.program.registers[synth::RegisterId{k}].mesh().axes()) {
        for (const synth::NamedCut& cut : axis.cuts) {
          if (told.emplace(axis.name, cut.name, cut.weights.values()).second)
            estimate_.shares.push_back({axis.name, cut.name, cut.weights.values()});
        }
      }
    }
  }

  void add_loads(const embed::StepFigure& figure) {
    const std::size_t listed = std::min(figure.seconds_of_devices.size(), estimate_.loads.size());
    for (std::size_t device = 0; device < listed; ++device)
      estimate_.loads[device].compute_seconds += figure.times * figure.seconds_of_devices[device];
  }

  void add(const embed::StepFigure& figure) {
    add_loads(figure);
    const typeck::Origin& origin = lowered_.origins.at(figure.origin);
    EstimatedStep step{place_of(*program_.texts, origin.span),
                       figure.name,
                       origin.statement,
                       figure.times,
                       figure.operations,
                       figure.memory_bytes,
                       figure.received_bytes,
                       figure.seconds,
                       figure.slowest,
                       figure.moves,
                       figure.in_pipeline};
    estimate_.turns_known = estimate_.turns_known && figure.times_known;
    const bool does_something = figure.seconds > 0 || figure.received_bytes > 0;
    if (!does_something) return;
    EstimatedStatement& sum = statement(origin.statement);
    sum.operations += figure.times * figure.operations;
    sum.memory_bytes += figure.times * figure.memory_bytes;
    sum.received_bytes += static_cast<std::int64_t>(figure.times) * figure.received_bytes;
    sum.received_by_level.resize(estimate_.levels.size(), 0);
    for (std::size_t k = 0; k < std::min(figure.received_by_level.size(), sum.received_by_level.size()); ++k)
      sum.received_by_level[k] += static_cast<std::int64_t>(figure.times) * figure.received_by_level[k];
    const double seconds = figure.times * figure.seconds;
    if (!step.in_pipeline) (figure.moves ? sum.move_seconds : sum.compute_seconds) += seconds;
    double& longest = longest_[origin.statement];
    if (!figure.moves && figure.seconds > longest) {
      longest = figure.seconds;
      sum.slowest = figure.slowest;
    }
    estimate_.steps.push_back(std::move(step));
  }

  EstimatedStatement& statement(std::uint32_t number) {
    const auto [found, is_new] = by_statement_.try_emplace(number);
    if (is_new) {
      found->second.statement = number;
      found->second.place = place_of(*program_.texts, program_.typed->statements.at(number).span);
    }
    return found->second;
  }

  // A pipeline that is called several times takes as long as its longest call.
  void add_pipelines(const std::vector<embed::PipelineFigure>& figures) {
    std::map<base::Span, double> makespans;
    for (const typeck::TypedStatement& one : program_.typed->statements) {
      for (const typeck::FoundPipeline& found : typeck::pipelines(*program_.typed, one.region))
        makespans[found.span] = std::max(makespans[found.span], found.plan->makespan);
    }
    for (const embed::PipelineFigure& one : figures) {
      const typeck::Origin& origin = lowered_.origins.at(one.origin);
      statement(origin.statement).pipeline_seconds += one.times * makespans[origin.span];
    }
  }

  void say_of_memory() {
    const std::vector<runtime::DevicePeak> peaks = runtime::device_peaks(lowered_.program, tiles_, plan_);
    estimate_.peak_bytes = plan_.peak_bytes;
    for (std::size_t device = 0; device < std::min(peaks.size(), estimate_.loads.size()); ++device) {
      estimate_.loads[device].peak_bytes = peaks[device].bytes;
      if (device < memory_of_.size()) estimate_.loads[device].memory_bytes = memory_of_[device];
    }
    for (std::size_t device = 0; device < peaks.size(); ++device) {
      if (peaks[device].bytes < plan_.peak_bytes) continue;
      estimate_.peak_device = static_cast<std::int64_t>(device);
      estimate_.memory_bytes_max = device < memory_of_.size() ? memory_of_[device] : 0;
      if (peaks[device].origin < lowered_.origins.size())
        estimate_.peak_place = place_of(*program_.texts, lowered_.origins[peaks[device].origin].span);
      return;
    }
  }

  double share(double operations, double seconds) const {
    return seconds > 0 ? operations / (seconds * estimate_.flops_per_second) : 0;
  }

  void finish(EstimatedStatement& one) {
    one.seconds = one.compute_seconds + one.move_seconds + one.pipeline_seconds;
    one.speed_share = share(one.operations, one.seconds);
    estimate_.seconds += one.seconds;
    estimate_.compute_seconds += one.compute_seconds;
    estimate_.move_seconds += one.move_seconds;
    estimate_.operations += one.operations;
    estimate_.memory_bytes += one.memory_bytes;
    estimate_.received_bytes += one.received_bytes;
    estimate_.statements.push_back(one);
  }

  const Program::Impl& program_;
  const typeck::Lowered& lowered_;
  runtime::TileMaps tiles_;
  runtime::MemoryPlan plan_;
  Estimate estimate_;
  std::vector<std::int64_t> memory_of_;  // of every device
  std::map<std::uint32_t, EstimatedStatement> by_statement_;
  std::map<std::uint32_t, double> longest_;
};

}  // namespace

Result<Estimate> estimate(const Program& program, bool keeps_values, const std::optional<StopToken>& stop) {
  return embed::safely([&]() -> Result<Estimate> {
    const Program::Impl& own = *program.impl();
    const base::StopToken token = embed::token_of(stop);
    auto made = base::guarded_until_stopped([&]() -> base::Result<Estimate> {
      const typeck::Keep keep = keeps_values ? typeck::Keep::bound_names : typeck::Keep::nothing;
      TESSERA_TRY(lowered, typeck::lower(*own.typed, keep, token));
      return Estimator(own, lowered, token).take();
    });
    if (!made) return embed::to_public(*own.texts, made.errors());
    return std::move(*made);
  });
}

}  // namespace tessera
