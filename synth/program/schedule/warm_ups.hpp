// How many microbatches a stage has to have in flight so that what is on its way hides behind work, and how fast a
// pipeline goes with as many as it has.
//
// A microbatch of stage i comes back from stage j after L(i,j): all visits from i to j and back, the borders between
// them, and the rest of those (of stage i alone, if rests are late). In that time stage i takes w(i) - w(j) + 1 others,
// so that no period is shorter than L(i,j) / (w(i) - w(j) + 1), nor than a border; and the longest of these is the
// period.
//
// Example: two stages that take a second forward and a second backward, and borders of a second each way. A microbatch
// of the first stage comes back after 6 seconds. With w = 2 there the period is 6 / 2 seconds, with w = 3 it is 6 / 3,
// which is the work of a stage: more in flight do not help.
#pragma once

#include <cstdint>

#include "base/stop.hpp"
#include "synth/program/schedule/schedule.hpp"
#include "synth/program/schedule/shape.hpp"

namespace tessera::synth {

// The warm-ups of a schedule for so many microbatches; never more than there are.
WarmUps warm_ups(const PipelineShape& shape, Schedule schedule, std::int64_t microbatches, base::StopToken stop = {});

// The least under which the slowest stage or border is the period.
WarmUps least_warm_ups(const PipelineShape& shape, base::StopToken stop = {});

// Seconds between two microbatches once the pipeline is full.
double period(const PipelineShape& shape, const WarmUps& warm_ups, bool late, base::StopToken stop = {});

// The slowest stage or border: no order has a shorter period.
double least_period(const PipelineShape& shape);

}  // namespace tessera::synth
