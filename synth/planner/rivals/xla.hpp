// Private to synth: XLA's partitioner as a rival, with functions for its tests.
#pragma once

#include "synth/planner/chain.hpp"
#include "synth/planner/rivals/xla_reshard.hpp"

namespace tessera::synth::xla {

struct FlowChain {
  Chain chain;
  bool full_rematerialization = false;
  bool partial_rematerialization = false;
};

// Fails with unsupported, as xla_chain does.
base::Result<FlowChain> flow_chain(const ArrayType& from, const ArrayType& to, Flow flow);

// The list of axes along which the devices have these places, if there is one.
std::optional<AxisList> axes_of_places(const Mesh& mesh, const Devices& places);

}  // namespace tessera::synth::xla
