// After an error inside a block: the statements of that block, and of those around it, that come later and can be read
// by themselves.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/token.hpp"

namespace tessera::frontend {

// `at` is the index of a token of one statement. The rows returned hold none of the block's own braces.
std::vector<Tokens> later_statements(Tokens statement, std::size_t at);

}  // namespace tessera::frontend
