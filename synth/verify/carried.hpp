// The verifier of running sums, products, maxima and minima and of recurrences over tiles: it counts positions,
// boundaries and bytes by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "synth/moves/collective/carries.hpp"

namespace tessera::synth {

// Why these hops do not tell every device what stands in front of its tile, or receive other bytes than that; nothing
// if they do. Each hop is replayed in its turn: a source must know what stands in front of its own tile.
//
// Example: on x:3 and i64[6@x] the hops 0 -> 1 and 1 -> 2 are right. 1 -> 2 before 0 -> 1, 0 -> 2, or either of them
// alone is refused.
std::optional<std::string> fault_of_carries(const ArrayType& type, const Running& running,
                                            const std::vector<CarryHop>& hops, std::int64_t received_bytes);

}  // namespace tessera::synth
