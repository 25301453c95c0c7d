// The verifier of rows that are delivered to those that their ids name: it counts positions, rows and bytes by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/verify/requested.hpp"

namespace tessera::synth {

// Which device gives those of a leader's group what the ids at this place name. Groups are as in requested.hpp.
using GivingDevice = std::function<std::int32_t(std::int32_t leader, std::int64_t tile)>;

// Why these deliveries do not bring every device each row that is added to its own, once, in the order of the ids and
// in its own columns; or at most other bytes than that. Nothing if they do.
//
// Example: on x:2,y:2, rows f32[4@x, 6@y] are added to f32[8@x, 6@y]. Device 0 has the ids 0 and 1, and gets what ids 2
// and 3 name from device 2: device 3 has other columns, and device 1 other ids.
std::optional<std::string> fault_of_deliveries(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                                               const GroupLeader& leader, const GivingDevice& giver,
                                               std::int64_t received_bytes);

// The same of elements along lines (synth/moves/collective/line_deliveries.hpp): the boxes of values that a device is
// to add, and which devices have them, in the order in which it adds them. Why they do not bring every device all
// values of its lines once, each line's in their order, and its own from itself; or why other values than so many move
// at most.
//
// Example: on x:2, values [4@x, 3] are added into f32[4, 8@x]. Device 0 takes lines 0 and 1 from itself, 2 and 3 from
// device 1; where it takes all from itself, it is told that it has no line 2.
struct DeliveredBox {
  std::int32_t source = 0;
  Box box;  // of the values
};
using DeliveredBoxes = std::function<std::vector<DeliveredBox>(std::int32_t device)>;
std::optional<std::string> fault_of_line_deliveries(const ArrayType& values, const ArrayType& ids,
                                                    const ArrayType& result, const DeliveredBoxes& boxes,
                                                    std::int64_t moved_values);

}  // namespace tessera::synth
