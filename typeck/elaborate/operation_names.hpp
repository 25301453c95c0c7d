// The names of the table of operations (table.hpp), for who needs no more of it.
#pragma once

#include <string>
#include <vector>

namespace tessera::typeck {

std::vector<std::string> operation_names();

}  // namespace tessera::typeck
