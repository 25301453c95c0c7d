// A pipeline simulated with the times of its visits and borders: which stage does what when.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "synth/program/schedule/shape.hpp"

namespace tessera::synth {

struct TimedVisit {
  std::size_t visit = 0;
  std::int64_t microbatch = 0;
  double begin = 0;
  double end = 0;
};
struct TimedBorder {
  std::size_t border = 0;
  std::int64_t microbatch = 0;
  double begin = 0;
  double end = 0;
};

// In ascending order of their beginnings; of visits that begin together, those of the earlier stage first.
struct Timeline {
  std::vector<TimedVisit> visits;
  std::vector<TimedBorder> borders;
  double makespan = 0;
};

enum class Overlap : std::uint8_t {
  full,  // transfers go on beside work
  none,  // a stage waits until what it sends has gone
};

// A stage of two visits takes w forward, then one backward and one forward in turn. One of more takes the latest visit
// that is ready, with at most w microbatches between its first and its last; so do all where the others would wait for
// each other for ever. A value that goes over a border has places for the larger w of both ends, so that nobody runs
// ahead of a stage that does not send anything back.
Timeline timeline(const PipelineShape& shape, const WarmUps& warm_ups, bool late, std::int64_t microbatches,
                  Overlap overlap = Overlap::full, base::StopToken stop = {});

// The share of the stages' time in which they wait.
double bubble(const PipelineShape& shape, const Timeline& timeline);

}  // namespace tessera::synth
