// The traffic of a step on each link, in words.
#pragma once

#include <string>

#include "tessera/plan_traffic.hpp"

namespace tessera::repl {

// Does the step cross more than the devices' own links?
bool has_levels(const PlanTraffic& traffic);
// `node links are busy 41 us, gpu links 12 us; the busiest is out of node 1`.
std::string busy_text(const PlanSlot& slot);
// A line for each step that crosses more: how long its links are busy, and what a relay saves.
std::string links_text(const Plan& plan);
// A line for each slot of a relay, those that are like the one before it left out.
std::string slots_text(const PlanTraffic& traffic);

}  // namespace tessera::repl
