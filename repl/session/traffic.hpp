// The traffic of a step on each link, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/plan_traffic.hpp"

namespace tessera::repl {

// Does the step cross more than the devices' own links?
bool has_levels(const PlanTraffic& traffic);
// `node links are busy 41 us, gpu links 12 us; the busiest is out of node 1`.
std::string busy_text(const PlanSlot& slot);
// A line for each hop of a relay or a program: whose step it is, and who sends to whom.
std::vector<std::string> hop_lines(const PlanTraffic& traffic);
std::string hops_text(const PlanTraffic& traffic, std::string_view margin);
// A line for each step that crosses more: how long its links are busy, and what a relay saves.
std::string links_text(const Plan& plan);
// A line for each slot of a relay or a program, those that are like the one before it left out.
std::string slots_text(const PlanTraffic& traffic);

}  // namespace tessera::repl
