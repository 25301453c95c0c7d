#include "synth/planner/rivals/rivals.hpp"

#include <algorithm>

#include "synth/kinds.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/rivals/refusals.hpp"

namespace tessera::synth {

namespace {

using rivals::unsupported;

bool cuts_by_weights(const Layout& layout) {
  const auto weighted = [](const AxisPart& part) { return part.cut != 0; };
  return std::any_of(layout.splits().begin(), layout.splits().end(),
                     [&](const AxisList& split) { return std::any_of(split.begin(), split.end(), weighted); });
}

base::Result<Chain> rivals_own_chain(const ArrayType& from, const ArrayType& to, Planner planner,
                                     const RunMachine& machine) {
  if (from.mesh() != to.mesh()) return unsupported(planner, "the meshes differ");
  const bool knows_weights =
      planner == Planner::gather || planner == Planner::ring || planner == Planner::smp || planner == Planner::p2;
  if (!knows_weights && (cuts_by_weights(from.layout()) || cuts_by_weights(to.layout()))) {
    return unsupported(planner, "an axis is cut by weights");
  }
  switch (planner) {
    case Planner::paper: return paper_chain(from, to);
    case Planner::xla: return xla_chain(from, to);
    case Planner::shardy: return shardy_chain(from, to);
    case Planner::dtensor: return dtensor_chain(from, to);
    case Planner::gather: return gather_chain(from, to);
    case Planner::ring:
    case Planner::smp:
    case Planner::p2: return sum_chain(from, to, planner, machine);
    case Planner::sendrecv:
    case Planner::localgather:
    case Planner::globalgather:
    case Planner::alpa:
    case Planner::tessera: break;
  }
  return unsupported(planner, "it is not a rival");
}

}  // namespace

base::Result<Chain> rival_chain(const ArrayType& from, const ArrayType& to, Planner planner,
                                const RunMachine& machine) {
  auto chain = rivals_own_chain(from, to, planner, machine);
  if (!chain.ok() || after_chain(*chain, from).ok()) return chain;
  return unsupported(planner, "one of its steps is not possible here");
}

}  // namespace tessera::synth
