// Private to synth: ways for the boxes of a change of layout through a machine, so that no link is much busier than the
// busiest has to be.
//
// Every task is cut into equal parts, and each part takes one way, a tree. It enters a unit that lacks it once; there
// the device that got it sends it to the others. If k units lack it, the sender sends it to each, or to one, the *hub*,
// which sends it to the others: so the loads of a task can be shared by all devices that hold or get it. One after the
// other, each part takes the cheapest way, with busy links costing more than in proportion; then each is taken out and
// chooses again, given the ways of all the others.
//
// Example: device 0 of a node holds what its seven neighbours need. In seven parts, part i goes to device i and from
// there to the six others: device 0 sends the box once, the others six sevenths of it each.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

// dividing: a box's longest dimension divides into them, so that all parts of a box are alike.
enum class PartCounts : std::uint8_t { any, dividing };

// Into how many parts each task is cut, so that there are about as many sends as wanted.
std::vector<std::int32_t> relay_parts(const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                                      std::int64_t sends_wanted, PartCounts rule = PartCounts::any);

// One stretch, with `parts` parts of each task. `bound` is a lower bound in seconds: links that are busy for no longer
// than that do not matter.
RelayRecipe find_relay(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                       double bound, const std::vector<std::int32_t>& parts, RelayTrees trees = RelayTrees::hubs);

}  // namespace tessera::synth
