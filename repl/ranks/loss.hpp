// Ranks that are lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// A rank that would wait for ever waits for one that is lost.
bool is_hopeless(const Diagnostics& why);

// Why the ranks are gone, in a line for people, by what their launcher has said; `processes` are the ids of the ranks,
// where they are known, and `rank_says` is what a rank had to say, if any had.
std::string why_lost(std::string_view launcher_says, const std::vector<std::string>& processes,
                     const std::string& rank_says);

}  // namespace tessera::repl
