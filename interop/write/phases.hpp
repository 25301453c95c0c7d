// A plan as boxes that move between devices of the run: what the emitters write down. Every kind of step becomes one or
// two phases from an array to the next, each of stages in which all is read before anything is written.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::interop {

// Where a box is read: in a device's tile of the array before, or in what has come to its tile of the array after.
struct Piece {
  std::int32_t device = 0;
  bool of_after = false;
};

// One piece is copied to the device's tile of the array after; several are combined in this order.
struct BoxMove {
  std::int32_t target = 0;
  synth::Box box;
  std::vector<Piece> pieces;
};
using Stage = std::vector<BoxMove>;

// From one array to the next. Boxes are by device of the run; those outside of an end hold an empty one.
struct Phase {
  std::vector<synth::Box> before;
  std::vector<synth::Box> after;
  bool fills = false;  // the array after begins with the identity of its reduction
  std::vector<Stage> stages;
};

// Emitted text lists every send.
inline constexpr std::int64_t kEmittedDevicesMax = 1024;
inline constexpr std::size_t kEmittedPiecesMax = 400'000;

// How many pieces the stages have.
std::size_t pieces_in(const std::vector<Phase>& phases);

// The phases of a step. `devices` is how many the run has.
std::vector<Phase> phases_of(const synth::RunMachine& machine, const synth::Collective& step,
                             const synth::ArrayType& before, const synth::ArrayType& after, std::int64_t devices);

// Those of a whole plan; the rounds of an exchange are stages of one phase. `emit-unsupported` where they are too many
// to be listed.
base::Result<std::vector<Phase>> phases_of(const synth::Plan& plan, const synth::Machine& machine);

}  // namespace tessera::interop
