// Private to synth: what others would do (docs/redistribution.md says what each does).
#pragma once

#include "base/result.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/plan/plan.hpp"
#include "synth/planner/chain.hpp"

namespace tessera::synth {

// The chain of each; `unsupported` where a rival cannot express or finish the change.
base::Result<Chain> paper_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> xla_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> shardy_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> dtensor_chain(const ArrayType& from, const ArrayType& to);
// Gather everything, then slice.
base::Result<Chain> gather_chain(const ArrayType& from, const ArrayType& to);
// The chain of a rival for a change that only finishes sums, on a machine that a file describes: one sum, over a ring,
// by masters or by the best of a few steps (synth/moves/reduce/rivals.hpp).
base::Result<Chain> sum_chain(const ArrayType& from, const ArrayType& to, Planner planner, const RunMachine& machine);
base::Result<Chain> rival_chain(const ArrayType& from, const ArrayType& to, Planner planner, const RunMachine& machine);
// The chain of a rival for a change between two meshes.
base::Result<Chain> meshes_rival_chain(const ArrayType& from, const ArrayType& to, const RunMachine& machine,
                                       Planner planner);
// Lists the sends of the step of an `alpa` plan that leads from mesh to mesh, and prices them.
base::Status list_broadcasts(Plan& plan, const RunMachine& machine);

}  // namespace tessera::synth
