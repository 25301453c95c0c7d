// What the statements of a run cost, and what they kept, from what the runtime counted for origins.
#pragma once

#include <vector>

#include "embed/host/texts.hpp"
#include "runtime/execute/run.hpp"
#include "tessera/tessera.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::embed {

// The costs of the statements that communicated, in their order.
std::vector<StatementStatistics> costs_of_statements(const Texts& texts, const typeck::Typed& typed,
                                                     const typeck::Lowered& lowered,
                                                     const std::vector<runtime::OriginStatistics>& counted);

// Sums the seconds of each rank by statement, and compares the ranks.
std::vector<StatementProfile> profile_of(const Texts& texts, const typeck::Typed& typed, const typeck::Lowered& lowered,
                                         const std::vector<runtime::RankSeconds>& ranks);

// The values kept for backward passes; those of one expression for one reader are one entry.
std::vector<KeptValue> kept_values(const Texts& texts, const typeck::Typed& typed, const typeck::Lowered& lowered,
                                   const runtime::Outcome& outcome);

}  // namespace tessera::embed
