// What the steps of a device program do and take by the machine model, each as often as it runs: for estimates.
//
// Memory counts as a run uses it: steps that are taken together, a block at a time (runtime/memory/chains.hpp), read
// every array once, and what only they read does not pass through memory. A view costs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/memory/memory_plan.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/program/program.hpp"

namespace tessera::embed {

// Among more devices the sends of a step are not listed, to find which levels they cross, nor is what each device does.
inline constexpr std::int64_t kListedDevicesMax = 64;

struct StepFigure {
  std::uint32_t origin = 0;
  std::string name;                 // `contract`, `all_gather`
  double times = 1;                 // how often it runs
  bool times_known = true;          // false: a loop around it has a count that is not known, and is taken for one turn
  double operations = 0;            // floating-point operations of all devices, each time
  double memory_bytes = 0;          // that all devices read and write in their memories
  std::int64_t received_bytes = 0;  // by all devices from others
  std::vector<std::int64_t> received_by_level;  // by the outermost level of links that a byte crosses; may be empty
  double seconds = 0;                           // until the last device is done
  std::int64_t slowest = 0;                     // the first device of the run that takes so long; of local steps
  // Of a local step, what each device of the run takes by itself; of meshes of at most kListedDevicesMax devices.
  std::vector<double> seconds_of_devices = {};
  bool moves = false;
  bool in_pipeline = false;
};

// A pipeline that lies in no other one.
struct PipelineFigure {
  std::uint32_t origin = 0;
  double times = 1;
};

struct ProgramFigures {
  std::vector<StepFigure> steps;  // in the order in which they are taken
  std::vector<PipelineFigure> pipelines;
};

// Of a branch the longer side counts. Devices that the machine does not describe are DeviceKind's defaults.
ProgramFigures figures_of(const synth::Program& program, const runtime::MemoryPlan& plan,
                          const synth::Machine& machine);

}  // namespace tessera::embed
