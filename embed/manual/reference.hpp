// The reference, docs/language.md: the entry of each operation in its section "All operations".
#pragma once

#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::embed {

// The whole file. Its definition is made by the build.
std::string_view reference_text();

// The rows of an operation in the tables of "All operations"; `max` stands there as two.
std::vector<OperationHelp> operation_rows(std::string_view text, std::string_view name);

}  // namespace tessera::embed
