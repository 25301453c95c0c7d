#include "synth/planner/rivals/refusals.hpp"

#include "synth/kinds.hpp"

namespace tessera::synth::rivals {

base::Diagnostic unsupported(Planner rival, std::string_view why) {
  return base::make(Kind::unsupported, name(rival), why);
}

std::optional<base::Diagnostic> inexpressible(Planner rival, const ArrayType& from, const ArrayType& to) {
  const Layout& before = from.layout();
  const Layout& after = to.layout();
  if (from.mesh() != to.mesh()) return unsupported(rival, "the meshes differ");
  if (before.pending() == after.pending() && before.reduce() == after.reduce()) return std::nullopt;
  return unsupported(rival, "the pending sums differ");
}

}  // namespace tessera::synth::rivals
