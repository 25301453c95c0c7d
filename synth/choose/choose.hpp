// Choosing the layouts of a program, jointly and with proof (docs/automatic.md).
//
// Example: on x:2 with links of 1 byte per second, x: f32[2, 4] and w: f32[4, 2] free, x @ w costs nothing to bring
// together: x by rows, w whole; or each device a column of w; or the contracted index on x, and then a sum is moved.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/choice/choice.hpp"
#include "synth/program/choice/problem.hpp"

namespace tessera::synth {

// Counts, not clocks: every rank finds the same program.
struct ChooseOptions {
  std::size_t sweeps = 60;                                 // of the ascent, each time that it starts
  std::size_t beam = 100;                                  // states that the search for good programs keeps
  std::size_t walk_states = 1'000'000;                     // of the exact walk, in all
  std::size_t elimination_entries = std::size_t{1} << 21;  // of one table
  double memory_share = 1;                                 // of what devices hold, for this program
  std::size_t rounds_above = 5'000;                        // strategies, over three axes and more: rounds.hpp
  std::size_t priced_searches = 60;                        // with prices of memory, where a limit of memory binds
};

// The layouts under which the program takes the fewest seconds on the cache's machine, and a lower bound; of a problem
// that says when its values are in memory (lives), those that keep within what devices hold, if any are found. A pure
// function of problem, machine and options. Conversions are priced by their plans; those that are chosen are verified
// and stay in the cache. Fails with `interrupted`, or where there is no plan.
base::Result<LayoutChoice> choose(const ChoiceProblem& problem, PlanCache& cache, const ChooseOptions& options = {},
                                  base::StopToken stop = {});

}  // namespace tessera::synth
