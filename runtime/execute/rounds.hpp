// Private to execute: the two places of a value that a loop carries from turn to turn (memory/plan.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::runtime {

// The last turn writes the result's place, the one before it the parameter's, and so on.
inline bool writes_result_place(std::int64_t round, std::int64_t rounds) { return (rounds - 1 - round) % 2 == 0; }

// A value that appears several times can be written straight to the first place only.
inline bool is_first(const std::vector<synth::RegisterId>& ids, std::size_t k) {
  return std::find(ids.begin(), ids.end(), ids[k]) == ids.begin() + static_cast<std::ptrdiff_t>(k);
}

}  // namespace tessera::runtime
