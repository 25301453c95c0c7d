// The state of a MovePlan.
#pragma once

#include <string>
#include <vector>

#include "synth/moves/prices/prices.hpp"
#include "synth/planner/company.hpp"
#include "tessera/move.hpp"

namespace tessera {

struct MovePlan::Impl {
  std::vector<std::string> names;
  std::vector<synth::LayoutChange> changes;
  synth::CompanyPlan company;
  synth::Machine machine;
};

}  // namespace tessera
