// The verifier of lines that are sorted by cuts: it counts positions, lines and bytes by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// The device that leads those of a device's lines, and the one of a leader's lines that has the tile at this place.
using LineLeader = std::function<std::int32_t(std::int32_t device)>;
using LineMember = std::function<std::int32_t(std::int32_t leader, std::int64_t tile)>;

// Why devices that sort lines of `type` along the last dimension with these others do not have all of each line
// together, every tile once, or why at most other bytes are received than that; nothing if they do. The result, which
// has positions or elements, must be cut as the lines are.
//
// Example: on x:2,y:2 f32[4@y, 6@x] has the second half of device 0's lines on device 2. Device 3 has other lines, and
// device 1 too.
std::optional<std::string> fault_of_cuts(const ArrayType& type, const ArrayType& result, bool positions,
                                         const LineLeader& leader, const LineMember& member,
                                         std::int64_t received_bytes);

}  // namespace tessera::synth
