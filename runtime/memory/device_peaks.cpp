#include "runtime/memory/device_peaks.hpp"

#include <algorithm>

namespace tessera::runtime {

namespace {

// Takes the steps as the executor does, without doing them.
class Walk {
 public:
  Walk(const synth::Program& program, const TileMaps& tiles)
      : payload_(tiles, program.inputs), peaks_(static_cast<std::size_t>(tiles.devices())) {
    note(0, {});
  }

  void body(const synth::Body& steps, const BodyPlan& plan) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepPlan& step = plan.steps[i];
      payload_.add(step.born);
      note(steps[i].origin, step);
      if (const auto* repeat = std::get_if<synth::Repeat>(&steps[i].node)) body(repeat->body, step.bodies[0]);
      if (const auto* pipeline = std::get_if<synth::Pipeline>(&steps[i].node)) {
        for (std::size_t v = 0; v < pipeline->visits.size(); ++v) body(pipeline->visits[v], step.bodies[v]);
      }
      if (const auto* choose = std::get_if<synth::Choose>(&steps[i].node)) {
        body(choose->then_body, step.bodies[0]);
        body(choose->else_body, step.bodies[1]);
      }
      payload_.remove(step.dies);
      if (step.chain_end > 0) i = step.chain_end - 1;
    }
  }

  std::vector<DevicePeak> take() { return std::move(peaks_); }

 private:
  void note(std::uint32_t origin, const StepPlan& step) {
    for (std::size_t device = 0; device < peaks_.size(); ++device) {
      const std::int64_t now = payload_.of(device) + payload_.beside(step, device);
      if (now > peaks_[device].bytes) peaks_[device] = {now, origin};
    }
  }

  Payload payload_;
  std::vector<DevicePeak> peaks_;
};

}  // namespace

std::vector<DevicePeak> device_peaks(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan) {
  Walk walk(program, tiles);
  walk.body(program.body, plan.body);
  return walk.take();
}

}  // namespace tessera::runtime
