// Ranks that are lost.
#pragma once

#include <string>
#include <string_view>

#include "tessera/mpi.hpp"

namespace tessera::repl {

// True if the failure means that a rank is lost, so that others would wait for it for ever.
bool is_hopeless(const Diagnostics& why);

// Ends all ranks' processes, once it could be heard why: rank 0, which has said so, gives the launcher the time to pass
// it on, and the others give rank 0 the time to say it.
[[noreturn]] void abandon(Launch& launch, int status);

// Why the ranks are gone, in one line for people, made from the launcher's output and from what a rank reported, if any
// did.
std::string why_lost(std::string_view launcher_says, const std::string& rank_says);

}  // namespace tessera::repl
