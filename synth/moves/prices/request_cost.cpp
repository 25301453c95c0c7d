#include "synth/moves/prices/request_cost.hpp"

#include <algorithm>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

namespace {

// Between very many devices every one's own link is what counts, as for copies whose messages are too many to list.
StepCost cost_of_many(const RunMachine& machine, const RowRequests& requests, const ArrayType& ids) {
  StepCost cost;
  cost.received_bytes_total = requested_bytes_at_most(requests, ids);
  const std::int64_t devices = ids.devices();
  cost.received_bytes_max = (cost.received_bytes_total + devices - 1) / devices;
  cost.seconds = 2 * slowest_delay(machine).of(1) +
                 static_cast<double>(cost.received_bytes_max) / Cluster(machine).levels().back().bandwidth;
  return cost;
}

}  // namespace

void for_request_messages(const RowRequests& requests, const ArrayType& ids,
                          const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& numbers,
                          const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& rows) {
  for (std::int32_t device = 0; device < ids.devices(); ++device) {
    const std::int64_t lacking = requests.table().shape()[0] - requests.rows(requests.own_tile(device)).length();
    const std::int64_t most = requests.rows_at_most(device, elements(tile(ids, device)));
    std::int64_t before = 0;  // rows of tiles that were gone through
    for (std::int64_t tile = 0; tile < requests.tiles(); ++tile) {
      if (tile == requests.own_tile(device)) continue;
      const std::int64_t until = before + requests.rows(tile).length();
      const std::int64_t count = lacking == 0 ? 0 : scaled(most, until, lacking) - scaled(most, before, lacking);
      before = until;
      if (count == 0) continue;
      const std::int32_t source = requests.source(device, tile);
      numbers(device, source, count * requests.number_bytes());
      rows(source, device, count * requests.row_bytes(device));
    }
  }
}

StepCost cost_of_requests(const RunMachine& machine, const RowRequests& requests, const ArrayType& ids) {
  if (ids.devices() * requests.tiles() > kExactMessagesMax) return cost_of_many(machine, requests, ids);
  std::vector<BoxCopy> asked;  // as boxes of as many bytes
  std::vector<BoxCopy> given;
  const auto add_to = [](std::vector<BoxCopy>& copies) {
    return [&copies](std::int32_t source, std::int32_t target, std::int64_t bytes) {
      copies.push_back({source, target, {{0, bytes}}});
    };
  };
  for_request_messages(requests, ids, add_to(asked), add_to(given));
  const StepCost numbers = cost_of_copies(machine, ids.mesh(), asked, 1);
  const StepCost rows = cost_of_copies(machine, ids.mesh(), given, 1);
  return {numbers.received_bytes_total + rows.received_bytes_total,
          numbers.received_bytes_max + rows.received_bytes_max, numbers.peers + rows.peers,
          numbers.seconds + rows.seconds};
}

}  // namespace tessera::synth
