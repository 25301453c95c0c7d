// Completion: words that may stand where the cursor is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

struct Completion {
  std::size_t begin = 0;                // where the word begins that is completed
  std::vector<std::string> candidates;  // whole words, in alphabetical order
};

// `line` is what stands before the cursor.
Completion complete(std::string_view line, const Session& session);

// The longest beginning that all candidates share; cut between code points.
std::string common_beginning(const std::vector<std::string>& candidates);

}  // namespace tessera::repl
