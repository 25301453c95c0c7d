#include "synth/moves/prices/carry_cost.hpp"

#include <algorithm>
#include <map>

#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

StepCost cost_of_carries(const RunMachine& machine, const ArrayType& result, CarryKind kind,
                         const std::vector<CarryHop>& hops) {
  StepCost all;
  std::map<std::int32_t, std::int64_t> received;
  std::vector<BoxCopy> copies;  // of one boundary, as boxes of as many bytes
  for (std::size_t k = 0; k < hops.size(); ++k) {
    const std::int64_t bytes = carry_bytes(hops[k], result.element(), kind);
    all.received_bytes_total += bytes;
    all.received_bytes_max = std::max(all.received_bytes_max, received[hops[k].target] += bytes);
    copies.push_back({hops[k].source, hops[k].target, {{0, bytes}}});
    if (k + 1 < hops.size() && hops[k + 1].position == hops[k].position) continue;
    const StepCost one = cost_of_copies(machine, result.mesh(), copies, 1);
    all.seconds += one.seconds;
    all.peers += one.peers;
    copies.clear();
  }
  return all;
}

}  // namespace tessera::synth
