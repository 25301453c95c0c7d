// Box copies and reductions between the devices of several ranks, as this rank takes part in them: the same copies, in
// the same order of additions, as in one address space (runtime/transfers/moves.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/ranks/reads.hpp"
#include "runtime/transfers/moves.hpp"

namespace tessera::runtime {

// Parcels of the source and `target` name devices by their numbers in the source's and in the target's mesh. If several
// devices of a node want the same box from a far device, it comes once; when all far boxes are there, the others copy
// it from the first.
struct CopySchedule {
  struct Copy {
    TileBox source;
    std::size_t target = 0;
    SteppedBox where;  // in the target
  };
  ReadPlan reads;
  std::vector<Copy> copies;  // of this rank: to its devices
  ReadPlan repeat_reads;     // of the target array
  std::vector<Copy> repeats;
};
CopySchedule schedule_copies(const Team& team, const DeviceRanks& ranks, const synth::CopyWalk& walk,
                             const synth::MeshRef& from, const synth::ArrayType& to, const synth::Offset& offset,
                             const CopyEdges& edges = {});
base::Status run_copies(Team& team, const CopySchedule& schedule, const Storage& storage, synth::RegisterId from,
                        synth::RegisterId to);

// A box that several devices want is cut evenly between them, in row-major order: each combines its stretch, then they
// copy the others'. Of a box of two far devices, and of a small one in one memory, each rank combines the whole.
struct ReductionSchedule {
  ReadPlan reads;
  std::vector<synth::BoxReduction> reductions;  // of this rank
  CopySchedule spread;                          // from the result to itself
};
ReductionSchedule schedule_reductions(const Team& team, const DeviceRanks& ranks, const synth::ArrayType& from,
                                      const synth::ArrayType& to);
base::Status run_reductions(Team& team, const ReductionSchedule& schedule, const Storage& storage,
                            synth::RegisterId from, synth::RegisterId to);

}  // namespace tessera::runtime
