// The pipelines of a region, and what they need on every device.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/source.hpp"
#include "synth/program/schedule/pipeline_plan.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

struct FoundPipeline {
  base::Span span;
  const synth::PipelinePlan* plan = nullptr;
};
// In the order of the text, those of each function once, where it is first called.
std::vector<FoundPipeline> pipelines(const Typed& typed, const Region& region);

// Bytes of every device of the run, by the place of a pipeline in the text. For a pipeline that is called several times
// the largest figure counts.
using PeaksByPlace = std::map<base::Span, std::vector<std::int64_t>>;
PeaksByPlace peaks_by_place(const Lowered& lowered, const std::vector<synth::PipelinePeaks>& peaks);

}  // namespace tessera::typeck
