// The traffic of a plan's step over the links of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// A link of a machine: out of a unit of a level or into it, `node` 1 say, and how long it is busy.
struct BusyLink {
  std::string level;
  std::int64_t unit = 0;
  bool out = false;
  double seconds = 0;
};

// Simultaneous traffic: the bytes that devices receive, and the busiest link of every level that carries any, outermost
// first.
struct PlanSlot {
  std::int64_t received_bytes = 0;
  std::vector<BusyLink> links;
};

// A hop of a relay or of a reduction by a program, all its stretches together: who sends to whom, and how much.
struct PlanHop {
  std::string step;                     // the program's, `reduce_scatter dp:(4)16`; empty in a relay
  std::int64_t receivers = 0;           // devices that get something from others
  std::int64_t received_bytes_min = 0;  // by one of these
  std::int64_t received_bytes_max = 0;
  std::int64_t senders_min = 0;  // to one of these
  std::int64_t senders_max = 0;
  std::int64_t receiver = 0;          // the first of them, and who sends to it
  std::vector<std::int64_t> senders;  // ascending
  PlanSlot load;
};

// A relay, or a reduction by a program, moves stretch t - h at hop h in slot t, for all hops at once; any other step
// takes one slot.
struct PlanTraffic {
  std::int64_t hops = 0;
  std::int64_t stretches = 0;
  std::vector<PlanSlot> slots;
  std::vector<PlanHop> each_hop;  // of relays and programs only
  PlanSlot all;                   // of the step together
  double exchange_seconds = 0;  // what the change that the step makes takes where every device fetches by itself; of a
                                // relay only
};

// The traffic of step `index` of a plan, counted from 0, on the machine that the plan was made for. Fails where there
// is no such step.
TESSERA_API Result<PlanTraffic> traffic_of(const Plan& plan, std::size_t index);

}  // namespace tessera
