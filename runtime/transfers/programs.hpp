// Reductions by programs: in one address space each element is added up at once, in the order of the program; between
// ranks slot by slot, which gives the same bits.
#pragma once

#include <memory>

#include "runtime/transfers/moves.hpp"
#include "runtime/transfers/slots.hpp"
#include "synth/moves/collective/programmed.hpp"

namespace tessera::runtime {

Received received_by(const synth::ProgrammedReduction& reduction, const synth::ArrayType& to);

// `beside`: where a device has room for what neither of its tiles holds, in its part of the arena.
std::unique_ptr<SlotSchedule> schedule_program(const Team& team, const DeviceRanks& ranks,
                                               synth::ProgrammedReduction reduction, std::int64_t beside,
                                               const synth::ArrayType& to);

void run_program(const synth::ProgrammedReduction& reduction, const Storage& storage, synth::RegisterId from,
                 synth::RegisterId to);

}  // namespace tessera::runtime
