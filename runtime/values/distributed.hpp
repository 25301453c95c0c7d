// A value as Gatherer reads it.
#pragma once

#include "runtime/memory/gather.hpp"
#include "runtime/values/value.hpp"

namespace tessera::runtime {

// Good as long as the value is.
Distributed distributed(const Value& value);

}  // namespace tessera::runtime
