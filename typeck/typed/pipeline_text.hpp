// The lines that `plan e` prints of pipelines: what their stages take, how all schedules do, and who works when.
#pragma once

#include <functional>
#include <string>

#include "base/source.hpp"
#include "base/stop.hpp"
#include "typeck/typed/pipelines.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// Empty where the region has no pipeline. `first_line` gives the number of a text's first line; empty: 1. Pipelines
// without peaks have no line about them.
std::string pipeline_text(const Typed& typed, const Region& region, const base::SourceMap& sources,
                          const std::function<std::uint32_t(base::SourceId)>& first_line, const PeaksByPlace& peaks,
                          base::StopToken stop = {});

}  // namespace tessera::typeck
