// Private to synth: programs for the sums of a plan.
#pragma once

#include <memory>
#include <optional>

#include "synth/moves/collective/collective.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/reduce/search.hpp"

namespace tessera::synth {

// Are sums over `members` members made by programs? Yes if a machine file describes the links; of wide reductions only
// those whose groups all lie alike.
bool has_programs(const RunMachine& machine, const Mesh& mesh, std::int64_t members);

// The groups of devices that differ along these axes, as levels of the machine; nothing where they do not end where
// units do.
std::optional<ReduceLevels> levels_of_sum(const RunMachine& machine, const Mesh& mesh, const AxisList& axes);

// The fastest program of a reduce_scatter or an all_reduce: by the closed formulas of synth/moves/reduce, or, where
// groups end inside a unit or links differ, by units of the best level; of a wide reduction a nested one. Null where
// none takes less than so many seconds. Asked only if has_programs.
ReduceProgramRef best_reduce_program(ReduceGraphs& graphs, const RunMachine& machine, const Collective& step,
                                     const ArrayType& before, const ArrayType& after, double seconds);

}  // namespace tessera::synth
