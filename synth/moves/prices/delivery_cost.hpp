// The price of rows that are delivered to those that their ids name (synth/moves/collective/deliveries.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/deliveries.hpp"

namespace tessera::synth {

// Numbers go first, then rows: two steps of messages. Ids are priced as if they named all rows equally often; the bytes
// in all are the most that it can be.
//
// Example: on x:2, the two ids of each device and f32[8@x, 100]: one of them names a row of the other device, which
// gets a number of 4 bytes and a row of 400. In all it is at most four numbers and four rows.
StepCost cost_of_deliveries(const RunMachine& machine, const RowDeliveries& deliveries);

// f(source, target, bytes) for every message of either step, as it is priced.
void for_delivery_messages(const RowDeliveries& deliveries,
                           const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& numbers,
                           const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& rows);

}  // namespace tessera::synth
