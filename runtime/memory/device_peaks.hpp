// The most bytes that are alive on each device as a program runs, and the step that needs them: computed from the
// memory plan alone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.hpp"

namespace tessera::synth {
struct PipelinePeaks;
struct Program;
}  // namespace tessera::synth

namespace tessera::runtime {

struct MemoryPlan;
class TileMaps;

struct DevicePeak {
  std::int64_t bytes = 0;    // payload, inputs included
  std::uint32_t origin = 0;  // of the first step that needs so much
};

// The peaks of every device that the program's arrays lie on.
std::vector<DevicePeak> device_peaks(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan);

// The bytes alone, of a verified program.
std::vector<std::int64_t> peak_bytes_of_devices(const synth::Program& program, base::StopToken stop = {});

// While each pipeline of a verified program runs, those inside other pipelines included, in the order of its steps.
std::vector<synth::PipelinePeaks> pipeline_peaks(const synth::Program& program, base::StopToken stop = {});

}  // namespace tessera::runtime
