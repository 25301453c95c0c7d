// Private to execute: the two places of a value that a loop carries from turn to turn (memory/memory_plan.hpp).
#pragma once

#include <cstdint>

namespace tessera::runtime {

// The last turn writes the result's place, the one before it the parameter's, and so on.
inline bool writes_result_place(std::int64_t round, std::int64_t rounds) { return (rounds - 1 - round) % 2 == 0; }

}  // namespace tessera::runtime
