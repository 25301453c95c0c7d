#include "runtime/memory/device_peaks.hpp"

#include <algorithm>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/payload.hpp"
#include "runtime/memory/plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/schedule/pipeline_plan.hpp"

namespace tessera::runtime {

namespace {

// Takes the steps as the executor does, without doing them.
class Walk {
 public:
  Walk(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan)
      : payload_(tiles, plan, program.inputs), peaks_(static_cast<std::size_t>(tiles.devices())) {
    note(0, {});
  }

  void body(const synth::Body& steps, const BodyPlan& plan) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepPlan& step = plan.steps[i];
      payload_.add(step.born);
      note(steps[i].origin, step);
      if (const auto* repeat = std::get_if<synth::Repeat>(&steps[i].node)) body(repeat->body, step.bodies[0]);
      if (const auto* node = std::get_if<synth::Pipeline>(&steps[i].node)) pipeline(*node, steps[i].origin, step);
      if (const auto* choose = std::get_if<synth::Choose>(&steps[i].node)) {
        body(choose->then_body, step.bodies[0]);
        body(choose->else_body, step.bodies[1]);
      }
      payload_.remove(step.dies);
      if (step.chain_end > 0) i = step.chain_end - 1;
    }
  }

  std::vector<DevicePeak> take() { return std::move(peaks_); }
  std::vector<synth::PipelinePeaks> take_pipelines() { return std::move(pipelines_); }

 private:
  void pipeline(const synth::Pipeline& node, std::uint32_t origin, const StepPlan& step) {
    const std::size_t number = pipelines_.size();
    pipelines_.push_back({origin, std::vector<std::int64_t>(peaks_.size(), 0)});
    open_.push_back(number);
    note(origin, step);
    for (std::size_t v = 0; v < node.visits.size(); ++v) body(node.visits[v], step.bodies[v]);
    open_.pop_back();
  }
  void note(std::uint32_t origin, const StepPlan& step) {
    for (std::size_t device = 0; device < peaks_.size(); ++device) {
      const std::int64_t now = payload_.of(device) + payload_.beside(step, device);
      if (now > peaks_[device].bytes) peaks_[device] = {now, origin};
      for (const std::size_t number : open_)
        pipelines_[number].bytes[device] = std::max(pipelines_[number].bytes[device], now);
    }
  }

  Payload payload_;
  std::vector<DevicePeak> peaks_;
  std::vector<synth::PipelinePeaks> pipelines_;
  std::vector<std::size_t> open_;  // the pipelines that the walk is inside of
};

}  // namespace

std::vector<DevicePeak> device_peaks(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan) {
  Walk walk(program, tiles, plan);
  walk.body(program.body, plan.body);
  return walk.take();
}

std::vector<std::int64_t> peak_bytes_of_devices(const synth::Program& program, base::StopToken stop) {
  const TileMaps tiles(program);
  std::vector<std::int64_t> bytes;
  for (const DevicePeak& peak : device_peaks(program, tiles, plan_memory(program, tiles, stop)))
    bytes.push_back(peak.bytes);
  return bytes;
}

std::vector<synth::PipelinePeaks> pipeline_peaks(const synth::Program& program, base::StopToken stop) {
  const TileMaps tiles(program);
  const MemoryPlan plan = plan_memory(program, tiles, stop);
  Walk walk(program, tiles, plan);
  walk.body(program.body, plan.body);
  return walk.take_pipelines();
}

}  // namespace tessera::runtime
