// Random sums on machines of levels, by the planner's programs, on the ranks of a crew and on simulated devices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/ranks/team.hpp"

namespace tessera::ranks {

// Says how this rank differs from the simulation in the sum of that seed: tiles, to the bit, and the most that is alive
// on a device in a step, which is compared with the plan. Empty if nothing differs.
std::string differences_of_sum(std::uint64_t seed, const std::shared_ptr<runtime::Team>& team);

}  // namespace tessera::ranks
