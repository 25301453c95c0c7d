// A value on other ranks, where a run has more devices than the run that made it.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/memory/pool.hpp"
#include "runtime/values/value.hpp"

namespace tessera::runtime {

// Moves each tile to the rank that has its device now. Called on all ranks of the value's team. Whole tiles move, and
// nothing moves if no tile changes its rank. `memory` is where the copy lies, unless ranks share memory.
base::Result<Value> on_ranks(const Value& value, const DeviceRanks& ranks, std::shared_ptr<Pool> memory);

}  // namespace tessera::runtime
