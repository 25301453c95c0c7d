// The decisions about a pipeline, made when its program is checked.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/program/program.hpp"
#include "synth/program/schedule/schedule.hpp"
#include "synth/program/schedule/shape.hpp"

namespace tessera::synth {

struct Cut;

struct PipelinePlan {
  Schedule schedule = Schedule::automatic;
  std::int64_t microbatches = 0;
  std::vector<MeshRef> meshes;  // of each stage
  PipelineShape shape;
  WarmUps warm_ups;
  std::vector<std::uint32_t> order;  // of visits, as Pipeline has it
  double makespan = 0;
  double bubble = 0;
};

// The shape of a body whose steps take so long.
PipelineShape shape_of(const Body& body, const Cut& cut, const std::vector<RegisterId>& next,
                       const std::vector<double>& seconds);
PipelinePlan plan_pipeline(const Cut& cut, PipelineShape shape, Schedule schedule, std::int64_t microbatches,
                           base::StopToken stop = {});

// How a schedule does: a line of the table that `plan` prints.
struct ScheduleFigures {
  Schedule schedule = Schedule::automatic;
  WarmUps warm_ups;
  double period = 0;
  double makespan = 0;
  double bubble = 0;
};
// All schedules, in the order of their table.
std::vector<ScheduleFigures> compare_schedules(const PipelineShape& shape, std::int64_t microbatches,
                                               base::StopToken stop = {});

// The work of a stage for a microbatch, as the figures of a pipeline are given.
struct StageFigures {
  double forward_seconds = 0;   // its first visit
  double backward_seconds = 0;  // the others
  double rest_seconds = 0;      // what no border of its visits waits for
  double border_seconds = 0;    // the longest border that it sends
};
std::vector<StageFigures> stage_figures(const PipelineShape& shape);

// The most that is alive while a pipeline of a device program runs, on every device of the run: payload, inputs
// included. The plan of memory says it, which is the runtime's.
struct PipelinePeaks {
  std::uint32_t origin = 0;  // of the pipeline's step
  std::vector<std::int64_t> bytes;
};

}  // namespace tessera::synth
