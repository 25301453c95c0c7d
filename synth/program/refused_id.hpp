// Ids of ScatterAdd that are below 0 count from the end; those of `bincount` do not. Such a one is handed over so far
// below every table that it is out of range there, and by a distance that is known, so that a message can name it.
#pragma once

#include <cstdint>

namespace tessera::synth {

inline constexpr std::int64_t kRefusedIdDistance = std::int64_t{1} << 62;

// Was it handed over so?
constexpr bool is_refused_id(std::int64_t id) { return id < -(kRefusedIdDistance / 2); }
// The id that was written.
constexpr std::int64_t refused_id(std::int64_t id) { return id + kRefusedIdDistance; }

}  // namespace tessera::synth
