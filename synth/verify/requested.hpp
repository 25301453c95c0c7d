// The verifier of rows that are fetched by request: it counts positions, rows and bytes by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// Devices that ask the same ones for rows are a group, which one of them leads. Groups have a device for every place of
// the table's rows, so that all that is to be checked are as many pairs as there are devices.
using GroupLeader = std::function<std::int32_t(std::int32_t device)>;
// Which device those of a leader's group ask for the rows that lie at this place of the table.
using AskedDevice = std::function<std::int32_t(std::int32_t leader, std::int64_t tile)>;

// Why these requests do not bring every device each row that its ids may name, or not as the result needs it, or at
// most other bytes than that; nothing if they do. A device that is asked must hold the rows, in the columns of the one
// that asks, and one that holds them itself asks nobody.
//
// Example: on x:2,y:2 a table f32[4@x, 6@y] has its rows 2 and 3 on devices 2 and 3. Device 0 has to ask device 2 for
// them: device 3 has other columns, and device 1 other rows.
std::optional<std::string> fault_of_requests(const ArrayType& table, const ArrayType& ids, const ArrayType& result,
                                             const GroupLeader& leader, const AskedDevice& asked,
                                             std::int64_t received_bytes);

}  // namespace tessera::synth
