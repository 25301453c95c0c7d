// `loop .. for const i < K`: its body is checked once for each turn, in which the index is a number, and no loop is
// left. What it carries may have another type in every turn. Private to typeck/elaborate/.
//
// Of `loop v = a for const i < 2 { v[:2 ** (1 - i)] }` with a of f32[4] come the operations of `a[:2]`, then
// those of `[:1]` of what the first turn gave.
#pragma once

#include "typeck/elaborate/values.hpp"

namespace tessera::typeck {

class Elaborator;

MaybeValue check_unrolled(Elaborator& elaborator, ExprId id, const frontend::Loop& loop, const Preference& want);

}  // namespace tessera::typeck
