// Plans for people.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::synth {

// What a text says beside the plan's own figures: where the ends lie, and what one exchange would take where the plan
// has several launches and receives more.
struct PlanWords {
  std::function<std::string(const Mesh&)> print = [](const Mesh& mesh) { return synth::print(mesh); };
  MeshRef understood = nullptr;      // is not mentioned; null: any, as long as it is one
  const Machine* machine = nullptr;  // the plan's; null: nothing of one exchange
};
// What a step is called. An exchange of which nobody receives anything, as between meshes on the same devices, is a
// copy on each of them: a slice, and no call of MPI.
std::string_view shown_name(const PlanStep& step);
std::string_view shown_mpi_name(const PlanStep& step);

// Is every tile of the target what its device holds already, between meshes too? Where nobody receives anything, the
// tiles lie within those before.
bool changes_nothing(const Plan& plan);

// For people: a line per step (collective, axes, MPI name, local shape before and after, bytes, peak), then totals
// beside their bounds.
std::string print_text(const Plan& plan, const PlanWords& words = {});

}  // namespace tessera::synth
