// Private to verify: what any plan must receive.
#pragma once

#include <cstdint>
#include <optional>

#include "synth/layout/array_type.hpp"

namespace tessera::synth::verifier {

// The bytes that any plan must receive; not counted for many devices with pending sums.
std::optional<std::int64_t> least_bytes(const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth::verifier
