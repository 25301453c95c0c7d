// A relay between the devices of several ranks, slot by slot; and listed sends, hop by hop.
#pragma once

#include <memory>

#include "runtime/transfers/slots.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::runtime {

std::unique_ptr<SlotSchedule> schedule_relay(const Team& team, const DeviceRanks& ranks,
                                             const synth::RelayRecipe& recipe, const synth::ArrayType& from,
                                             const synth::ArrayType& to);

// The sends are copies, and every device gets each element that it lacks once. A hop is a beat (slots.hpp).
std::unique_ptr<SlotSchedule> schedule_sends(const Team& team, const DeviceRanks& ranks,
                                             const synth::ListedSends& listed, const synth::ArrayType& from,
                                             const synth::ArrayType& to);

}  // namespace tessera::runtime
