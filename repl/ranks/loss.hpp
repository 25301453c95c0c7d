// Ranks that are lost.
#pragma once

#include <string>
#include <string_view>

#include "tessera/mpi.hpp"

namespace tessera::repl {

// A rank that would wait for ever waits for one that is lost.
bool is_hopeless(const Diagnostics& why);

// Ends all ranks' processes, once it could be heard why: rank 0, which has said so, gives the launcher the time to pass
// it on, and the others give rank 0 the time to say it.
[[noreturn]] void abandon(Launch& launch, int status);

// Why the ranks are gone, in a line for people, by what their launcher has said and what a rank had to say, if
// any had.
std::string why_lost(std::string_view launcher_says, const std::string& rank_says);

}  // namespace tessera::repl
