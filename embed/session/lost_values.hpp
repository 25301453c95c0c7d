// What is said of values that lay on a GPU that is lost.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "embed/session/session_impl.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::embed {

// The first input of a program that is gone, for a run on this engine; inputs that lie elsewhere are brought to host
// memory.
std::optional<base::Diagnostic> lost_input(const State& state, const typeck::Lowered& lowered,
                                           const runtime::Engine* engine);
// A failure of a run on this engine; of one that has lost a GPU with the names whose values lay there.
base::Diagnostics with_lost_names(base::Diagnostics why, const State& state, const runtime::Engine* engine);

}  // namespace tessera::embed
