// The graph of a typed program as text, for people and for `read_graph`, whose graph prints the same. What is not of
// the graph is not in it: the syntax tree, what names mean afterwards, notes, and what was inserted around which
// expression.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "synth/moves/prices/prices.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

std::string print_graph(const Typed& typed);
// All numbers of values in what is read are in range; every plan in it has been verified on the machine. `verify`
// decides whether the whole makes sense.
base::Result<Typed> read_graph(std::string_view text, const synth::Machine& machine);

}  // namespace tessera::typeck
