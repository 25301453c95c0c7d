#include "synth/moves/prices/delivery_cost.hpp"

#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

void for_delivery_messages(const RowDeliveries& deliveries,
                           const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& numbers,
                           const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& rows) {
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

StepCost cost_of_deliveries(const RunMachine& machine, const RowDeliveries& deliveries) {
  const std::int64_t devices = deliveries.result().devices();
  const std::int64_t most = delivered_bytes_at_most(deliveries);
  if (devices * deliveries.tiles() > kExactMessagesMax) {  // every device's own link is what counts
    const std::int64_t own = (most + devices - 1) / devices;
    const double seconds =
        2 * slowest_delay(machine).of(1) + static_cast<double>(own) / Cluster(machine).levels().back().bandwidth;
    return {most, own, 0, seconds};
  }
  std::vector<BoxCopy> first;  // as boxes of as many bytes
  std::vector<BoxCopy> second;
  const auto add_to = [](std::vector<BoxCopy>& copies) {
    return [&copies](std::int32_t source, std::int32_t target, std::int64_t bytes) {
      copies.push_back({source, target, {{0, bytes}}});
    };
  };
  for_delivery_messages(deliveries, add_to(first), add_to(second));
  const Mesh& mesh = deliveries.result().mesh();
  const StepCost numbers = cost_of_copies(machine, mesh, first, 1);
  const StepCost rows = cost_of_copies(machine, mesh, second, 1);
  return {most, numbers.received_bytes_max + rows.received_bytes_max, numbers.peers + rows.peers,
          numbers.seconds + rows.seconds};
}

}  // namespace tessera::synth
