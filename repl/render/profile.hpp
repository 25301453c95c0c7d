// Where the time of runs went, statement by statement.
#pragma once

#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// A table with a row for each statement that took a hundredth of the time or more. Empty where all computed and moved
// for less than a tenth of a second: of that the clock says little, and how long ranks wait for each other says less.
std::string profile_table(const std::vector<StatementProfile>& statements);

}  // namespace tessera::repl
