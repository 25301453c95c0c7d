// Which steps read a register's memory.
#pragma once

#include <functional>

#include "runtime/memory/memory_plan.hpp"

namespace tessera::runtime {

// Does the step, or one inside of it, read the memory of this root, under any name?
bool reads(const synth::Step& step, synth::RegisterId root, const MemoryPlan& plan);
bool reads(const synth::Body& body, synth::RegisterId root, const MemoryPlan& plan);
// Or of one of several.
using IsRoot = std::function<bool(synth::RegisterId root)>;
bool reads(const synth::Step& step, const IsRoot& is_root, const MemoryPlan& plan);
// Has one of the registers the memory of this root?
bool any_has_memory_of(synth::RegisterId root, const std::vector<synth::RegisterId>& ids, const MemoryPlan& plan);

}  // namespace tessera::runtime
