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

namespace embed {

// What the devices of a type's mesh hold.
Plan::Moment holdings(const synth::ArrayType& type);

}  // namespace embed

}  // namespace tessera
