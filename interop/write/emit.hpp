// Plans as programs for other systems.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::interop {

// FOREACH(identifier, "name", "what messages call it")
#define TESSERA_EMIT_TARGETS(FOREACH) \
  FOREACH(jax, "jax", "JAX")          \
  FOREACH(mpi_c, "mpi-c", "MPI")

enum class Target : std::uint8_t {
#define MEMBER(identifier, name, what) identifier,
  TESSERA_EMIT_TARGETS(MEMBER)
#undef MEMBER
};
std::optional<Target> target_by_name(std::string_view name);

// The program's text; `emit-unsupported` where the target cannot do what the plan does. `head` is a comment of several
// lines that tells of the plan. The machine is that of the plan.
base::Result<std::string> emit(const synth::Plan& plan, const synth::Machine& machine, Target target,
                               const std::string& head);

// Of each target.
base::Result<std::string> emit_jax(const synth::Plan& plan, const synth::Machine& machine, const std::string& head);
base::Result<std::string> emit_mpi_c(const synth::Plan& plan, const synth::Machine& machine, const std::string& head);

}  // namespace tessera::interop
