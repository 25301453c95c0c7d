// A session as somebody at a terminal sees it: typed lines behind their prompts, and what came.
#pragma once

#include <string>
#include <string_view>

#include "tests/cases/scenario.hpp"

namespace tessera::cases {

// The transcript with its answers made anew: its lines that begin with `> ` or `. ` are typed, all others are left out.
std::string replay(std::string_view transcript, const Settings& settings);

}  // namespace tessera::cases
