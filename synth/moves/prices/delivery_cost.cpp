#include "synth/moves/prices/delivery_cost.hpp"

#include <map>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

namespace {

void for_row_messages(const RowDeliveries& deliveries, const DeliveryMessage& numbers, const DeliveryMessage& rows) {
  const std::int64_t extent = deliveries.result().shape()[0];
  for (std::int32_t device = 0; device < deliveries.result().devices(); ++device) {
    const Interval own = tile_interval(deliveries.result(), 0, device);
    for (std::int64_t tile = 0; tile < deliveries.tiles(); ++tile) {
      const std::int32_t source = deliveries.source(device, tile);
      if (source == device || extent == 0 || deliveries.row_bytes(device) == 0) continue;
      const std::int64_t ids = elements(synth::tile(deliveries.ids(), source));
      const std::int64_t count = scaled(ids, own.end, extent) - scaled(ids, own.begin, extent);
      if (count == 0) continue;
      numbers(source, device, count * deliveries.number_bytes());
      rows(source, device, count * deliveries.row_bytes(device));
    }
  }
}

// One message of each kind from each device that a device gets something of.
void for_line_messages(const LineDeliveries& deliveries, const DeliveryMessage& numbers,
                       const DeliveryMessage& values) {
  const std::int64_t extent = deliveries.result().shape().back();
  for (std::int32_t device = 0; device < deliveries.result().devices(); ++device) {
    const Interval own = deliveries.places(device);
    std::map<std::int32_t, std::int64_t> boxes;  // elements of the boxes of each source
    for (const BoxCopy& copy : deliveries.boxes(device)) {
      if (copy.source != device) boxes[copy.source] += elements(copy.box);
    }
    for (const auto& [source, all] : boxes) {
      const std::int64_t count = scaled(all, own.end, extent) - scaled(all, own.begin, extent);
      if (count == 0) continue;
      numbers(source, device, count * deliveries.number_bytes());
      values(source, device, count * bytes_of(deliveries.result().element()));
    }
  }
}

// Of more messages than can be listed every device's own link is what counts.
StepCost cost_of_many(const RunMachine& machine, std::int64_t devices, std::int64_t most) {
  const std::int64_t own = (most + devices - 1) / devices;
  const double seconds =
      2 * slowest_delay(machine).of(1) + static_cast<double>(own) / Cluster(machine).levels().back().bandwidth;
  return {most, own, 0, seconds};
}

// Two steps of messages, as boxes of as many bytes.
template <class Messages>
StepCost cost_of_messages(const RunMachine& machine, const Mesh& mesh, std::int64_t most, const Messages& messages) {
  std::vector<BoxCopy> first;
  std::vector<BoxCopy> second;
  const auto add_to = [](std::vector<BoxCopy>& copies) {
    return [&copies](std::int32_t source, std::int32_t target, std::int64_t bytes) {
      copies.push_back({source, target, {{0, bytes}}});
    };
  };
  messages(add_to(first), add_to(second));
  const StepCost numbers = cost_of_copies(machine, mesh, first, 1);
  const StepCost rows = cost_of_copies(machine, mesh, second, 1);
  return {most, numbers.received_bytes_max + rows.received_bytes_max, numbers.peers + rows.peers,
          numbers.seconds + rows.seconds};
}

}  // namespace

StepCost cost_of_deliveries(const RunMachine& machine, const RowDeliveries& deliveries) {
  const std::int64_t devices = deliveries.result().devices();
  const std::int64_t most = delivered_bytes_at_most(deliveries);
  if (devices * deliveries.tiles() > kExactMessagesMax) return cost_of_many(machine, devices, most);
  return cost_of_messages(machine, deliveries.result().mesh(), most,
                          [&](const auto& numbers, const auto& rows) { for_row_messages(deliveries, numbers, rows); });
}

StepCost cost_of_deliveries(const RunMachine& machine, const LineDeliveries& deliveries) {
  const std::int64_t most = deliveries.values_at_most() * deliveries.element_bytes();
  if (deliveries.boxes_at_most() > kExactMessagesMax) return cost_of_many(machine, deliveries.result().devices(), most);
  return cost_of_messages(machine, deliveries.result().mesh(), most, [&](const auto& numbers, const auto& values) {
    for_line_messages(deliveries, numbers, values);
  });
}

StepCost cost_of_deliveries(const RunMachine& machine, const ArrayType& rows, const ArrayType& ids,
                            const ArrayType& result) {
  return adds_along_by_delivery(rows, ids, result) ? cost_of_deliveries(machine, LineDeliveries(rows, result))
                                                   : cost_of_deliveries(machine, RowDeliveries(ids, result));
}

void for_delivery_messages(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                           const DeliveryMessage& numbers, const DeliveryMessage& added) {
  if (adds_along_by_delivery(rows, ids, result))
    for_line_messages(LineDeliveries(rows, result), numbers, added);
  else
    for_row_messages(RowDeliveries(ids, result), numbers, added);
}

std::int64_t delivered_bytes_at_most(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                                     std::int32_t device) {
  if (adds_along_by_delivery(rows, ids, result)) {
    const LineDeliveries deliveries(rows, result);
    return deliveries.values_at_most(device) * deliveries.element_bytes();
  }
  const RowDeliveries deliveries(ids, result);
  const std::int64_t row = tile_bytes(result, device) == 0 ? 0 : deliveries.row_bytes(device);
  const std::int64_t others = elements(ids.shape()) - elements(tile(ids, device));
  return row == 0 ? 0 : others * (deliveries.number_bytes() + row);
}

}  // namespace tessera::synth
