// What an array that is made of parts (Assemble) fetches from other devices, and how long that takes.
//
// Example: of p, f32[6@x] on x:2, device 0 has the elements 0 to 2. `p[2:6]` is f32[4@x], of which it needs p[2] and
// p[3]; device 1 has all of its own two. So one element is fetched, 4 bytes, in one step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

// Where a part lies in the result, for copies; of positions known at run time as if they were 0.
Offset offset_of(const Part& part);

// What a part whose positions are known only at run time may bring.
std::int64_t received_at_most(const ArrayType& part, const ArrayType& result);

// The bytes that devices receive; at most, where positions are known only at run time.
std::int64_t received_by_parts(const Assemble& assemble, const std::vector<ArrayType>& operands,
                               const ArrayType& result);

// The copies that lay a part, local ones included, and how many elements devices so receive from others; nothing where
// they are too many to be listed.
struct PartCopies {
  std::vector<BoxCopy> copies;
  std::int64_t received_elements = 0;
};
std::optional<PartCopies> copies_of_part(const Part& part, const ArrayType& own, const ArrayType& result);

struct FetchedParts {
  std::int64_t received_bytes = 0;   // as received_by_parts()
  double seconds = 0;                // of all copies as one step
  std::vector<BoxCopy> copies = {};  // local ones included; none where they are too many to list, or not known
};
FetchedParts fetched_parts(const Assemble& assemble, const std::vector<ArrayType>& operands, const ArrayType& result,
                           const RunMachine& machine);

}  // namespace tessera::synth
