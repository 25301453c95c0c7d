// Ranks that are lost.
#pragma once

#include <string>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// A rank that would wait for ever waits for one that is lost.
bool is_hopeless(const Diagnostics& why);

// Ends all ranks' processes. Rank 0, which is the one that is heard, does so at once; the others give it the time to
// say why.
[[noreturn]] void abandon(Launch& launch, int status);

// Why the ranks are gone, in a line for people, by what their launcher has said and what a rank had to say, if
// any had.
std::string why_lost(std::string_view launcher_says, const std::string& rank_says);

}  // namespace tessera::repl
