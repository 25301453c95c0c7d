// A relay between the devices of several ranks, slot by slot.
#pragma once

#include <memory>

#include "runtime/transfers/slots.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::runtime {

std::unique_ptr<SlotSchedule> schedule_relay(const Team& team, const DeviceRanks& ranks,
                                             const synth::RelayRecipe& recipe, const synth::ArrayType& from,
                                             const synth::ArrayType& to);

}  // namespace tessera::runtime
