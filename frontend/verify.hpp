// Is this tree one that the parser could have made? The next stage calls it first; a failure is our bug.
#pragma once

#include "base/result.hpp"
#include "frontend/ast.hpp"

namespace tessera::frontend {

base::Status verify(const Ast& ast);

}  // namespace tessera::frontend
