// The limits of a choice.
#pragma once

#include <cstddef>

namespace tessera::synth {

// Counts, not clocks: every rank finds the same program.
struct ChooseOptions {
  std::size_t sweeps = 60;                                 // of the ascent, each time that it starts
  std::size_t beam = 100;                                  // states that the search for good programs keeps
  std::size_t walk_states = 1'000'000;                     // of the exact walk, in all
  std::size_t elimination_entries = std::size_t{1} << 21;  // of one table
  std::size_t halves = 400;                                // that branching looks at
  double memory_share = 1;                                 // of what devices hold, for this program
  std::size_t rounds_above = 5'000;                        // strategies, over three axes and more: rounds.hpp
  std::size_t priced_searches = 60;                        // with prices of memory, where a limit of memory binds
};

}  // namespace tessera::synth
