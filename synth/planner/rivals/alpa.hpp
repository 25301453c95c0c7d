// Private to redistribute: whole boxes, each broadcast in chunks through all devices that need it, in a good order from
// balanced senders, as in the literature on communication between meshes. A box goes from when its sender's host may
// send and its receivers' hosts may receive, for its bytes over the slowest link that it crosses.
//
// The best of three orders: as the boxes come, from the hosts that send least; depth first, to 100,000 nodes; and
// greedily, of 100 random sets of boxes that can go at once the one of most boxes, then of least spread of what hosts
// still have to do. The numbers are drawn from one fixed beginning.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/plan/plan.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth::rivals {

// A box on the hosts of a run: its possible senders, its receivers, and the time that it takes.
struct HostBox {
  std::vector<std::int32_t> senders;
  std::vector<std::int32_t> receivers;
  double seconds = 0;
};
std::vector<HostBox> host_boxes(const Cluster& cluster, const std::vector<RelayTask>& tasks,
                                std::int64_t element_bytes);

// Boxes in the order in which they go, each with its sender's host.
struct BroadcastOrder {
  std::vector<std::size_t> boxes;
  std::vector<std::int32_t> senders;  // of every box, by its number
  double seconds = 0;                 // until the last has come
};
BroadcastOrder as_they_come(const std::vector<HostBox>& boxes, bool balanced);
BroadcastOrder greedy_order(const std::vector<HostBox>& boxes);
BroadcastOrder best_order(const std::vector<HostBox>& boxes);

// Broadcasts in an order, send by send; none where they would be too many.
ListedSends broadcasts(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                       const BroadcastOrder& order);

}  // namespace tessera::synth::rivals
