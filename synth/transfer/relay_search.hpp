// Private to synth: ways for the boxes of a change of layout through a machine, so that no link is much busier than the
// busiest has to be.
//
// Every task is cut into equal parts, and each part takes one way, a tree. It enters a unit that lacks it once; there
// the device that got it sends it to the others. Where k units lack it, the sender sends it to each, or to one, the
// *hub*, which sends it to the others: so the loads of a task can be shared by all who hold or get it. Parts choose one
// after the other the cheapest way, where busy links cost more than in proportion; then each is taken out and chooses
// again, against what all the others do.
//
// Example: device 0 of a node holds what its seven neighbours need. In seven parts, part i goes to device i and from
// there to the six others: device 0 sends the box once, the others six sevenths of it each.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/cluster/cluster.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::synth {

// dividing: a box's longest dimension divides into them, so that all parts of a box are alike.
enum class PartCounts : std::uint8_t { any, dividing };

// Into how many parts each task is cut, so that there are about as many sends as wanted.
std::vector<std::int32_t> relay_parts(const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                                      std::int64_t sends_wanted, PartCounts rule = PartCounts::any);

// By which trees more than a few units get a part: from the sender or from a hub all of them, or also along two trees
// in which half of them pass it on, to two others each. Those of one tree are the leaves of the other.
enum class RelayTrees : std::uint8_t { hubs, hubs_and_halves };

// One stretch, of so many parts of each task. `bound` is what no way can beat, in seconds: links that are busy for no
// longer do not matter.
RelayRecipe find_relay(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                       double bound, const std::vector<std::int32_t>& parts, RelayTrees trees = RelayTrees::hubs);

}  // namespace tessera::synth
