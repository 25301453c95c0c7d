// The steps of a run, as a host is told of them.
#pragma once

#include <functional>

#include "embed/session/session_impl.hpp"
#include "runtime/execute/world.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::embed {

// For World::trace: tells the host in its own words. All that is given has to be there as long as the run.
std::function<void(const runtime::TracedStep&)> trace_teller(const std::function<void(const TracedStep&)>& tell,
                                                             const Program::Impl& program,
                                                             const typeck::Lowered& lowered);

}  // namespace tessera::embed
