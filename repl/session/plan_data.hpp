// Arrays to take through a plan.
#pragma once

#include "tessera/tessera.hpp"

namespace tessera::repl {

// An array of the type the plan begins with, on its mesh. Its elements are numbered, so that one sees where each goes
// (those of a bool are all true). `session` has no names.
Result<Array> numbered_source(const Plan& plan, Session session);

}  // namespace tessera::repl
