// The price of rows that are fetched by request (synth/moves/collective/requests.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/requests.hpp"

namespace tessera::synth {

// Numbers go first, then rows: two steps of messages. A device asks for as many rows as it can lack, and of each tile
// for its share of them.
//
// Example: on x:2, two ids a device of f32[8@x, 100] are at most two numbers of 4 bytes and two rows of 400 for each.
StepCost cost_of_requests(const RunMachine& machine, const RowRequests& requests, const ArrayType& ids);

// f(source, target, bytes) for every message of either step, as it is priced.
void for_request_messages(const RowRequests& requests, const ArrayType& ids,
                          const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& numbers,
                          const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& rows);

}  // namespace tessera::synth
