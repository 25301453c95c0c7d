// The yardstick everybody knows: gather everything, then slice.

#include "synth/kinds.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

base::Result<Chain> gather_chain(const ArrayType& from, const ArrayType& to) {
  if (from.mesh() != to.mesh()) {
    return base::make(Kind::unsupported, name(Planner::gather), "the meshes differ");
  }
  const PendingChange change = pending_change(from, to);
  Chain chain;
  if (!change.resolve.empty()) chain.push_back(all_reduce_step(change.resolve));
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (!from.layout().split(d).empty()) chain.push_back(all_gather_step(from.layout().split(d), d));
  }
  for (std::size_t d = 0; d < to.rank(); ++d) {
    if (!to.layout().split(d).empty()) chain.push_back(slice_step(to.layout().split(d), d));
  }
  if (!change.keep.empty()) chain.push_back(keep_step(change.keep, to.layout().reduce()));
  return chain;
}

}  // namespace tessera::synth
