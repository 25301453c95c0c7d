// Private to redistribute: what a rival cannot plan, and why.
#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostic.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::synth::rivals {

base::Diagnostic unsupported(Planner rival, std::string_view why);
// Why a rival that knows neither other meshes nor a change of what is pending cannot plan this; nothing where it can.
std::optional<base::Diagnostic> inexpressible(Planner rival, const ArrayType& from, const ArrayType& to);
inline constexpr std::string_view kCannotCoexist = "the layouts cut an axis in ways that cannot co-exist";

}  // namespace tessera::synth::rivals
