// The lines that `plan e` prints of redistributions, with their steps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/source.hpp"
#include "synth/planner/text/print_text.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// Bytes that all steps of a region receive, those of a called function counted once.
std::int64_t received_bytes_of(const Typed& typed, const Region& region);

// `first_line` gives the number of a text's first line; empty: 1.
std::string plan_text(const Typed& typed, const Region& region, const base::SourceMap& sources,
                      const std::function<std::uint32_t(base::SourceId)>& first_line, const synth::PlanWords& words);

}  // namespace tessera::typeck
