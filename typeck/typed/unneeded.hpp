// Values that no result and no effect needs are left out of a function.
//
// In `let h = x @ w; let n = h * 2.0; h`, say, nobody reads `n`. An integer division stays, though nobody reads it: its
// divisor may be 0, and then the run ends there.
#pragma once

#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// Of every function. Loops, branches and calls stay whole, or go.
void drop_unneeded(Typed& typed);

}  // namespace tessera::typeck
