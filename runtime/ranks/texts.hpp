// Short texts that ranks tell each other outside of runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// Called on all ranks: makes the text that each gives known to all, in the order of the ranks.
base::Result<std::vector<std::string>> share_texts(Team& team, std::string mine);

}  // namespace tessera::runtime
