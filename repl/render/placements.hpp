// Placements of a mesh, ranked, for people and as JSON.
#pragma once

#include <string>

#include "tessera/placement.hpp"

namespace tessera::repl {

// A table, then what is moved under the best.
std::string placements_text(const PlacementRanking& ranking, const Machine& machine);
// One line: docs/placement.md says what the keys are.
std::string placements_json(const PlacementRanking& ranking);

}  // namespace tessera::repl
