// A relay between the devices of several ranks, slot by slot, as this rank takes part in it.
//
// In every slot a rank sends each far rank at most one message, with all boxes of the slot, and copies what it wants of
// near ranks out of their memory. What it passes on it has by then: a box that is sent at hop h came in an earlier
// slot. Receives are begun a slot ahead, and so are messages that pass on nothing, so that the link is never idle
// between two slots. Nobody waits for those he has no part with.
#pragma once

#include <memory>
#include <vector>

#include "runtime/ranks/team.hpp"
#include "runtime/transfers/storage.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::runtime {

// The sends of a relay that this rank makes or receives, and what all ranks must know alike: the slots.
struct RelaySchedule {
  synth::Transfer transfer;       // its sends are those that concern this rank
  std::vector<synth::Box> kept;   // of every device, what it holds of its target tile
  std::vector<int> near_sources;  // ranks whose memory this one reads
  std::vector<int> near_readers;  // ranks that read this one's
  bool has_reads = false;         // does any rank read of another?
};
RelaySchedule schedule_relay(const Team& team, const DeviceRanks& ranks, const synth::RelayRecipe& recipe,
                             const synth::ArrayType& from, const synth::ArrayType& to);
base::Status run_relay(Team& team, const RelaySchedule& schedule, const Storage& storage, synth::RegisterId from,
                       synth::RegisterId to);

}  // namespace tessera::runtime
