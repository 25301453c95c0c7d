// What `plan e` prints: every redistribution of an expression, with its steps.
#pragma once

#include <cstdint>
#include <string>

#include "base/source.hpp"
#include "typeck/typed.hpp"

namespace tessera::typeck {

// Bytes that all steps of a region receive, those of a called function counted once.
std::int64_t received_bytes_of(const Typed& typed, const Region& region);

std::string plan_text(const Typed& typed, const Region& region, const base::SourceMap& sources);

}  // namespace tessera::typeck
