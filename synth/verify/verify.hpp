// The independent verifier: replays a plan on tile maps, counts bytes and peak itself, and trusts no planner. It uses
// the types of synth/layout and its own arithmetic, for seconds and their bound too. If several devices hold a box, its
// sender is claimed by the code that carries steps out; every box is checked before it is counted. For up to 512
// devices every pair of devices is looked at, and the contributors of each sum are followed; for more, only every
// device.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "synth/moves/plan/plan.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth {

// Succeeds iff every step may be taken where it stands, the end holds the target's data, the planner's promised bound
// is kept, and every figure of the plan is what the replay counts. A failure is an `internal` diagnostic that says
// which step and what differs.
base::Status verify(const Plan& plan, const Machine& machine);

// The same for plans from any source: the fault, in a sentence without a full stop, or nothing. Fails if the machine
// does not fit the number of devices.
base::Result<std::optional<std::string>> fault_of(const Plan& plan, const Machine& machine);

namespace verifier {

// The same of a machine with its levels, with the senders of copies as claimed.
Fault run(const Plan& plan, const RunMachine& machine, const Senders& senders);

}  // namespace verifier

}  // namespace tessera::synth
