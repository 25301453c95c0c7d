// The facts from which the order of a pipeline is made: the stage and the time of each visit of a microbatch, and the
// transfers between visits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::synth {

// A visit's operations that borders wait for come first, then its rest.
struct VisitShape {
  std::size_t stage = 0;
  double main_seconds = 0;
  double rest_seconds = 0;
};

// All that goes from one visit to another is one transfer. Between two stages transfers go one after the other, in each
// direction by themselves.
struct BorderShape {
  std::size_t from = 0;  // visits
  std::size_t to = 0;
  double seconds = 0;
};

// Every microbatch takes all visits. A visit waits for the borders into it, and for the visit of its stage before it.
// Visits are listed so that none waits for a later one; stages are numbered by their first visits.
struct PipelineShape {
  std::size_t stages = 0;
  std::vector<VisitShape> visits;
  std::vector<BorderShape> borders;
  std::vector<std::vector<std::size_t>> sharing;  // of each stage, the others that have some of its devices

  // The visits of a stage, in order.
  std::vector<std::size_t> visits_of(std::size_t stage) const {
    std::vector<std::size_t> all;
    for (std::size_t v = 0; v < visits.size(); ++v) {
      if (visits[v].stage == stage) all.push_back(v);
    }
    return all;
  }
};

// How many microbatches are between the first and the last visit of each stage, at most.
using WarmUps = std::vector<std::int64_t>;

}  // namespace tessera::synth
