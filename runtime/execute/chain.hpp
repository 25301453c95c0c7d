// Steps taken together (memory/chains.hpp): each task takes a block of all arrays through all steps, so that
// intermediate values stay in the cache.
#pragma once

#include <span>

#include "base/result.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

// `steps` are those of the chain, and `lead` the dimensions its blocks are cut along; its constants are there already.
void run_chain(std::span<const synth::Step> steps, std::size_t lead, const MemoryPlan& plan, const Storage& storage);

}  // namespace tessera::runtime
