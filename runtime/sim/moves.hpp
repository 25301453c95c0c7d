// Steps that move boxes between devices, as copies and reductions in one address space.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/sim/storage.hpp"
#include "synth/collective/moves.hpp"

namespace tessera::runtime {

// A set of copies from one register's tiles to another's; target element r is source element r + offset.
struct CopyPlan {
  std::vector<synth::BoxCopy> copies;
  synth::Offset offset;
  std::int64_t received_bytes = 0;  // by all devices, from others
};
CopyPlan plan_copies(const synth::ArrayType& from, const synth::ArrayType& to, const synth::Offset& offset);
void run_copies(const CopyPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to);

// Reductions, each done once; the other devices that want the same box from the same contributors copy it.
struct ReductionPlan {
  std::vector<synth::BoxReduction> reductions;
  std::vector<std::pair<std::int32_t, std::int32_t>> repeats;  // device that has it, device that wants it
  std::int64_t received_bytes = 0;
};
ReductionPlan plan_reductions(const synth::Collective& step, const synth::ArrayType& from, const synth::ArrayType& to);
void run_reductions(const ReductionPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to);

}  // namespace tessera::runtime
