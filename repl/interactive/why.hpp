// The reasons for redistributions, in words.
#pragma once

#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// The other ways to lay out operands that were priced, as a table; empty where all of them cost the same.
std::string alternatives_text(const std::vector<Redistribution::Alternative>& compared);

}  // namespace tessera::repl
