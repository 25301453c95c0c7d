// What the steps of a program do and take by the machine model, each as often as it runs: for estimates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "synth/cluster/machine.hpp"
#include "synth/program/program.hpp"

namespace tessera::synth {

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
  bool moves = false;
  int pipeline = -1;  // the number, in order, of the pipeline that it is inside of
};

// In the order of the steps. Of a branch the longer side counts. Devices that the machine does not describe are
// DeviceKind's defaults.
std::vector<StepFigure> step_figures(const Program& program, const Machine& machine);

}  // namespace tessera::synth
