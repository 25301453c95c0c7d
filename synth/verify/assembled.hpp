// The verifier of arrays that are made of parts (Assemble): it finds out by itself which elements of a part a device's
// tile of the result has, and follows every copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

// Along one dimension: for every number k the part's element first + step*k lies at add + spread*k of the result.
struct LaidElements {
  std::int64_t first = 0;
  std::int64_t step = 1;  // below 0: reversed
  std::int64_t add = 0;
  std::int64_t spread = 1;
};

// One device gives another one a box of numbers, or keeps it.
struct GivenBox {
  std::int64_t source = 0;
  std::int64_t target = 0;
  Box numbers;
};

// Why these copies do not bring every device what its tile of the result has of a part that lies so, each element once,
// from a device that has it and, of pending arrays, its contribution; or bring it what it has; or more or fewer
// elements from other devices than that. Nothing if they are right.
//
// Example: `a[::-1]` of f32[4@x] on x:2: device 0 needs the elements 3 and 2, its numbers 0 and 1, from device 1. One
// box [0:2] from device 1 to device 0 and one [2:4] the other way are right; two of [0:2] are refused.
std::optional<std::string> fault_of_part(const ArrayType& part, const ArrayType& result,
                                         const std::vector<LaidElements>& laid, const std::vector<GivenBox>& copies,
                                         std::int64_t received_elements);

// Why the copies that lay the parts are not right, as above; parts whose positions are known only at run time are
// passed over, and those of more copies than can be replayed.
std::optional<std::string> fault_of_assembly(const Assemble& assemble, const std::vector<ArrayType>& operands,
                                             const ArrayType& result);

}  // namespace tessera::synth
