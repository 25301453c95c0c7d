// The price of rows that are delivered to those that their ids name (synth/moves/collective/deliveries.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/deliveries.hpp"
#include "synth/moves/collective/line_deliveries.hpp"

namespace tessera::synth {

// Numbers go first, then rows: two steps of messages. Ids are priced as if they named all rows equally often; the bytes
// in all are the most that it can be.
//
// Example: on x:2, the two ids of each device and f32[8@x, 100]: one of them names a row of the other device, which
// gets a number of 4 bytes and a row of 400. In all it is at most four numbers and four rows.
StepCost cost_of_deliveries(const RunMachine& machine, const RowDeliveries& deliveries);

// Of elements along lines likewise: as if their ids named all places of a line equally often.
StepCost cost_of_deliveries(const RunMachine& machine, const LineDeliveries& deliveries);
// Of whatever a scatter_add of these delivers.
StepCost cost_of_deliveries(const RunMachine& machine, const ArrayType& rows, const ArrayType& ids,
                            const ArrayType& result);

// f(source, target, bytes) for every message of either step, as it is priced.
using DeliveryMessage = std::function<void(std::int32_t source, std::int32_t target, std::int64_t bytes)>;
void for_delivery_messages(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                           const DeliveryMessage& numbers, const DeliveryMessage& added);
// What a device receives at most.
std::int64_t delivered_bytes_at_most(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                                     std::int32_t device);

}  // namespace tessera::synth
