// The world of a run as the host gives it, and what a run tells the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/io/files.hpp"
#include "runtime/memory/pool.hpp"
#include "runtime/ranks/team.hpp"
#include "runtime/text/show.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/program/pass.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

class Engine;

// How far a run is: about to take a step inside number `step` (from 1) of the program's own.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  std::int64_t received_bytes = 0;  // so far, over all devices
};

// A device's part in a step. Seconds are those of std::chrono::steady_clock on rank 0's machine: the device's own where
// the runtime works for it by itself, the whole step's where it moves boxes between devices or takes a chain.
struct DeviceSlice {
  std::int64_t device = 0;
  double begin = 0;
  double end = 0;
  std::int64_t received_bytes = 0;  // from other devices
  std::int64_t peak_bytes = 0;      // payload alive on the device during the step
};

// A step that has been taken, or several that were taken together, on the devices of one rank. Its pointers are good
// during the call.
struct TracedStep {
  std::span<const synth::Step> steps;
  int rank = 0;
  bool failed = false;
  std::span<const DeviceSlice> devices;
  // In a pipeline: the visit of which microbatch it belongs to; else -1.
  std::int64_t visit = -1;
  std::int64_t microbatch = -1;
};

// How long a rank took for the steps of an origin.
struct OriginSeconds {
  std::int64_t origin = 0;
  double computing = 0;
  double moving = 0;   // elements between devices
  double waiting = 0;  // for other ranks, and for messages on their way
};
using RankSeconds = std::vector<OriginSeconds>;  // of a rank

// The cost of a step, summed by origin, in order of first appearance.
struct OriginStatistics {
  std::uint32_t origin = 0;
  std::int64_t steps = 0;           // communicating steps
  std::int64_t received_bytes = 0;  // over all devices
  std::int64_t peak_bytes = 0;      // largest payload alive on a device during its steps
  double seconds = 0;               // of this rank, all together
  OriginSeconds own;                // of this rank
};

// The world, as the host gives it. Nothing else of the process is touched.
struct World {
  std::shared_ptr<Team> team;                     // the ranks that run the program together; none: this process alone
  std::function<void(std::string_view)> output;   // what `print` and `show` write, whole lines; rank 0's is called only
  FilePolicy files;                               // which files `load` and `save` may open
  std::function<double()> clock;                  // seconds; for statistics only
  int picture_columns = kPictureColumns;          // of the screen that `show` draws for; may differ between ranks
  const std::atomic<bool>* stop = nullptr;        // true ends the run with `interrupted`, soon also amid a step
  std::function<void(const Progress&)> progress;  // before each step
  // Called after each step that involves arrays; for the steps of the other ranks after the run, also if the run fails.
  // Either all ranks of a team have one or none has, and only rank 0's is called.
  std::function<void(const TracedStep&)> trace;
  // The outcome has the seconds of every rank. All ranks of a team, or none.
  bool profile = false;
  // The seconds of steps on GPUs are those of the GPUs, as they are with a trace; a step then begins by itself, and not
  // with those that follow it. Without it they are those at which a step was asked for.
  bool engine_times = false;
  // Nothing is computed: the engine is asked for every step, also of branches that are not taken, and of loops for two
  // turns, so that it gets to know what the program needs of it. What it reads means nothing, files are left alone.
  bool on_paper = false;
  // At the end of a run that fails: the costs of the steps that were done before.
  std::function<void(const std::vector<OriginStatistics>&)> counted_of_failed;
  // For all devices of this process; 0: three quarters of the machine's for all processes of the team that it runs.
  std::int64_t memory_bytes_max = 0;
  std::int64_t steps_max = 0;         // that a run takes, those of a loop each time; 0: no limit
  std::int64_t output_bytes_max = 0;  // that a run gives to `output`; 0: no limit
  // The bytes that the host keeps besides the inputs, in this process; they count against memory_bytes_max where that
  // is set.
  std::int64_t kept_bytes = 0;
  // How many devices there are to deal to ranks, at least: all that the program's meshes have are counted besides.
  std::int64_t devices = 1;
  // The pool that arenas come from, unless ranks share memory. None: what this run takes is kept for nobody.
  std::shared_ptr<Pool> memory;
  // What tiles lie on and steps run on; none: the cores of this process, with `memory`.
  std::shared_ptr<Engine> engine;
  // The speeds of links and devices: a program that needs more memory on a device than that has is refused.
  synth::Machine machine;
  // Devices are made as unequal as the machine says they are, and a clock tells what that costs (throttle.hpp). All
  // ranks of a team, or none.
  bool throttle = false;
  // Large products of floats are summed in ascending order of their terms, and not by a BLAS.
  bool ordered_products = false;
  // The pass of every origin, if a program computes gradients: the run then reports what it kept for the backward pass.
  std::vector<synth::Pass> passes;
};

}  // namespace tessera::runtime
