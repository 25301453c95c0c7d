// A checked program's moves, as the public headers tell of them.
#pragma once

#include <cstddef>

#include "embed/host/texts.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::embed {

// `statement` is the number of the statement of its text that moves something.
Redistribution to_public(const Texts& texts, const typeck::Redistribute& redistribute, std::size_t statement,
                         const synth::Machine& machine);
PartsMoved to_public(const Texts& texts, const typeck::Typed& typed, const typeck::Node& node, std::size_t statement);
// What the operation of that number among all that move parts does, array by array.
Result<std::vector<MovedBoxes>> moved_boxes_of(const Program::Impl& program, std::size_t index);

}  // namespace tessera::embed
