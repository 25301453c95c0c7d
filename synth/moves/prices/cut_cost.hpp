// The price of lines that are sorted by cuts (synth/moves/collective/sort_cuts.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/sort_cuts.hpp"

namespace tessera::synth {

// Rounds of samples and answers, then how much goes where, then the elements, as if each device's were spread evenly.
// All of it is the most that it can be.
//
// Example: f32[16@x] on x:2. Device 1 seeks the one cut, in two rounds: 16 elements, then at most 7. In each it
// receives 40 bytes and answers with 10; then each tells the other a number, and of its 8 elements any may go.
StepCost cost_of_cuts(const RunMachine& machine, const SortCuts& cuts);

// f(source, target, bytes) for what is told between two devices in all rounds together, and for the elements.
void for_cut_messages(const SortCuts& cuts, const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& told,
                      const std::function<void(std::int32_t, std::int32_t, std::int64_t)>& elements);

}  // namespace tessera::synth
