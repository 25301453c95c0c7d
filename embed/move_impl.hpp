// The state of a MovePlan.
#pragma once

#include <string>
#include <vector>

#include "synth/machine/machine.hpp"
#include "synth/redistribute/company.hpp"
#include "tessera/move.hpp"

namespace tessera {

struct MovePlan::Impl {
  std::vector<std::string> names;
  std::vector<synth::LayoutChange> changes;
  synth::CompanyPlan company;
  synth::Machine machine;
};

}  // namespace tessera
