// The independent verifier: replays a plan on tile maps, counts bytes and peak itself, and trusts no planner. It uses
// the types of synth/layout and its own arithmetic, for seconds and their bound too. Who sends a box that several
// devices hold is claimed by those who carry steps out; every box is looked at before it is counted. Up to 512 devices
// every pair of devices is looked at, and which contributors of a sum each device has gathered; above, only every
// device.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "synth/plan/plan.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth {

// Succeeds iff every step may be taken where it stands, the end holds the target's data, the planner's promised bound
// is kept, and every figure of the plan is what the replay counts. A failure is an `internal` diagnostic that says
// which step and what differs.
base::Status verify(const Plan& plan, const Machine& machine);

// The same for plans that anybody may have written: what is wrong, in a sentence without an end, or nothing. Fails
// where the machine is none for so many devices.
base::Result<std::optional<std::string>> fault_of(const Plan& plan, const Machine& machine);

namespace verifier {

// The same of a machine with its levels, with the senders of copies as claimed.
Fault run(const Plan& plan, const Machine& machine, const Senders& senders);

}  // namespace verifier

}  // namespace tessera::synth
