// Private to execute: the two places of a value that a loop carries from turn to turn (memory/memory_plan.hpp).
#pragma once

#include <cstdint>

namespace tessera::runtime {

// The last turn writes the result's place, the one before it the parameter's, and so on.
inline bool writes_result_place(std::int64_t turn, std::int64_t turns) { return (turns - 1 - turn) % 2 == 0; }

}  // namespace tessera::runtime
