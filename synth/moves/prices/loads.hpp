// The loads of links: of one slot of a step, of a hop, of a whole step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::synth {

// The busiest link of a level: the one out of a unit, or into it.
struct LinkLoad {
  std::size_t level = 0;
  std::int64_t unit = 0;
  bool out = false;
  double seconds = 0;
};

// The loads of simultaneous copies: the bytes that devices receive, and the busiest link of every level that carries
// any, outermost first.
struct SlotLoad {
  std::int64_t received_bytes = 0;
  std::vector<LinkLoad> links;
};

// The sends in a hop of a relay or of a reduction by a program, its stretches together.
struct HopLoad {
  std::string step;                     // of a program, `reduce_scatter dp:(4)16`; empty in a relay
  std::int64_t receivers = 0;           // devices that get something from others
  std::int64_t received_bytes_min = 0;  // by one of these
  std::int64_t received_bytes_max = 0;
  std::int64_t senders_min = 0;  // to one of these
  std::int64_t senders_max = 0;
  std::int32_t receiver = 0;          // the first of them, and who sends to it
  std::vector<std::int32_t> senders;  // ascending
  SlotLoad load;
};

// The slots of a relay or of a reduction by a program; any other step that moves data has one slot. `all` has
// everything together.
struct StepLoads {
  std::int64_t hops = 0;
  std::int64_t stretches = 0;
  std::vector<SlotLoad> slots;
  SlotLoad all;
  std::vector<HopLoad> each_hop;  // of relays and programs only
};

}  // namespace tessera::synth
