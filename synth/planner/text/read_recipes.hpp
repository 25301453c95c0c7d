// Private to synth: how a step's bytes move, read.
#pragma once

#include "base/result.hpp"
#include "synth/moves/collective/collective.hpp"
#include "synth/planner/text/json.hpp"

namespace tessera::synth {

struct ReadTransfer {
  RelayRef relay;    // null for a direct transfer and where the step has none
  ListedRef listed;  // null where no sends are listed
};

base::Result<ReadTransfer> read_transfer(const json::Object& step, const Shape& array);
base::Result<ReduceProgramRef> read_program(const json::Object& step, const Mesh& mesh);

}  // namespace tessera::synth
