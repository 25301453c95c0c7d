// The state of a Plan.
#pragma once

#include <memory>

#include "synth/planner/plan.hpp"
#include "tessera/tessera.hpp"

namespace tessera {

struct Plan::Impl {
  std::shared_ptr<const synth::Plan> plan;
  synth::Machine machine;  // that it was made for; no levels: flat
};

}  // namespace tessera
