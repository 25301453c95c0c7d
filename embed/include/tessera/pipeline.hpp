// The figures of a pipeline that are known before it runs. `tessera/tessera.hpp` includes this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/result.hpp"

namespace tessera {

// A pipeline, with what its stages, its schedule and all others take by the machine model (docs/pipelines.md).
struct Pipeline {
  // The peak of a device of a stage: the most that is alive on it while the pipeline runs, inputs included.
  struct DevicePeak {
    std::int64_t device = 0;  // of the run
    std::int64_t bytes = 0;
  };
  // The work of one mesh. Seconds are those of a microbatch.
  struct Stage {
    std::string mesh;
    double forward_seconds = 0;   // its first visit
    double backward_seconds = 0;  // the others
    double rest_seconds = 0;      // what no border waits for
    double border_seconds = 0;    // the longest border that it sends
    std::int64_t in_flight = 0;   // microbatches between its first and its last visit, at most
    std::vector<DevicePeak> peaks;
  };
  // How one of all schedules does.
  struct Schedule {
    std::string name;
    std::vector<std::int64_t> in_flight;  // of each stage
    double period_seconds = 0;            // between two microbatches, once the pipeline is full
    double makespan_seconds = 0;
    double bubble = 0;  // the share of the stages' time in which they wait
  };
  // A visit of a microbatch to a stage, and its time. Visits are listed by the pipeline's own schedule, in the order in
  // which they begin.
  struct Visit {
    std::int64_t stage = 0;
    std::int64_t visit = 0;  // number within a microbatch
    std::int64_t microbatch = 0;
    double begin_seconds = 0;
    double end_seconds = 0;
  };
  // A value on its way from one stage to another, and its time.
  struct Border {
    std::int64_t from_visit = 0;
    std::int64_t to_visit = 0;
    std::int64_t microbatch = 0;
    double begin_seconds = 0;
    double end_seconds = 0;
  };
  Place place;
  std::string schedule;  // its own
  std::int64_t microbatches = 0;
  std::vector<Stage> stages;
  std::vector<Schedule> schedules;  // all, in the order of docs/pipelines.md
  std::vector<Visit> visits;
  std::vector<Border> borders;
};

}  // namespace tessera
