// Reduction programs in which all members do the same: sums among all, scattered or whole, and gathers, directly or by
// halving. What a member holds then follows from its position alone, digit by digit, so that such a program is
// followed, priced and verified for any number of members without a list of who holds what.
//
// Of each digit the sums are *open* (each member has its own part of them), *scattered* (each has those of the chunks
// whose digit is its own) or *whole* (each has all). A sum takes open digits to whole or scattered, a gather takes
// scattered ones to whole.
//
// Example: of `reduce_scatter dp:(4)16; all_reduce dp:(1)4; all_gather dp:(4)16` over 64 members the first hop has 4
// chunks in each of its 15 messages to a member, the second and third one in each of three, and the last 4 in 15.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/moves/transfer/positions.hpp"
#include "synth/moves/transfer/reduce_program.hpp"

namespace tessera::synth {

struct EvenHop {
  // What a member does with what it gets: reduce_scatter adds up the chunks of its own digits, all_reduce all that it
  // holds, all_gather copies.
  ReduceStepKind kind = ReduceStepKind::all_reduce;
  Digits digits;  // along which those who talk differ
  Digits own;     // before the hop a member holds the chunks that agree with its position in these primes
  std::int64_t talkers = 1;
  std::int64_t chunks = 1;  // in each message
  std::int64_t slot = 0;
};

struct EvenProgram {
  std::int64_t members = 1;
  Digits digits;  // all, in primes, ascending by stride
  std::vector<EvenHop> hops;
  std::int64_t hop_slots = 0;
  std::int64_t stretches = 1;
  bool has_aside = false;
  std::int64_t foreign = 0;  // of a reduce_scatter, the chunks on the way that are not a member's own
};

// Nothing where it is no such program, or does not reduce over these axes, canonical and in mesh order.
std::optional<EvenProgram> even_program(const AxisList& reduced, bool scatters, const ReduceProgram& program);

// The chunks that a member holds before a hop, ascending.
std::vector<std::int32_t> chunks_held(const EvenProgram& program, const Digits& own, std::int32_t member);

}  // namespace tessera::synth
