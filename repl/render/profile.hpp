// Where the time of runs went, statement by statement.
#pragma once

#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// A table with a row for each statement that took a hundredth of the time or more. Empty where all took less than 10
// ms, of which the clock says little.
std::string profile_table(const std::vector<StatementProfile>& statements);

}  // namespace tessera::repl
