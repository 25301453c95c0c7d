// Who reads a value of a function whose layouts were chosen, and how.
#pragma once

#include <vector>

#include "embed/host/texts.hpp"
#include "tessera/choice.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::embed {

// Readers in the function's own body, in its order: loops and branches are looked into, called functions are readers.
// Those that read alike for the same expression are one.
std::vector<ValueReader> readers_of(const typeck::Typed& typed, const typeck::ChosenFunction& chosen,
                                    typeck::NodeId value, const Texts& texts);

}  // namespace tessera::embed
