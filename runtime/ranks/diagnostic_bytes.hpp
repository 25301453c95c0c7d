// Diagnostics as bytes, for another rank of the same build.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"

namespace tessera::runtime {

std::vector<std::byte> to_bytes(const base::Diagnostics& diagnostics);
base::Diagnostics diagnostics_from(std::span<const std::byte> bytes);

}  // namespace tessera::runtime
