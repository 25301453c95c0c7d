// What a value needs: every node whose result reaches it.
#pragma once

#include <set>
#include <span>

#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// Of a called function, a branch or `again` only what the results that are used need; of a loop everything, because
// each carried value may read the others in the next turn.
std::set<const Node*> needs_of(const Typed& typed, NodeId value);

}  // namespace tessera::typeck
