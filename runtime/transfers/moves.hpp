// Steps that move boxes between devices, as copies and reductions in one address space.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/transfers/storage.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::runtime {

// Bytes that devices receive from others in a step.
struct Received {
  std::int64_t bytes = 0;               // all devices together
  std::vector<std::int64_t> by_device;  // of the result's devices
  void add(std::int32_t device, std::int64_t more) {
    bytes += more;
    by_device[static_cast<std::size_t>(device)] += more;
  }
};

// A set of copies from one register's tiles to another's; where the target lies in the source is said by the offset.
// Between many devices the copies are not stored, but made one by one.
struct CopyPlan {
  synth::CopyWalk walk;
  std::vector<synth::BoxCopy> few;  // all, unless they are many
  synth::Offset offset;
};
// The edges of a copy's source and target; null: it has none.
struct CopyEdges {
  const WindowEdges* source = nullptr;  // of a part that is made where the target lies
  const WindowEdges* target = nullptr;  // of a window
};
CopyEdges edges_between(const Storage& storage, synth::RegisterId from, synth::RegisterId to);
// Copies to a window with edges are those to its edges, and so are copies of such a part those of its edges.
CopyPlan plan_copies(const synth::CopyWalk& walk, const synth::ArrayType& to, const synth::Offset& offset,
                     const CopyEdges& edges = {});
// Are the elements of a copy where they are wanted?
bool is_in_place(const synth::BoxCopy& copy, const synth::Offset& offset, const CopyEdges& edges);
// The bytes that the devices of this type receive by the copies.
Received received_by(const synth::CopyWalk& walk, const synth::ArrayType& to);
base::Status run_copies(const CopyPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to);

// Reductions, each done once; the other devices that want the same box from the same contributors copy it.
struct ReductionPlan {
  std::vector<synth::BoxReduction> reductions;
  std::vector<std::pair<std::int32_t, std::int32_t>> repeats;  // device that has it, device that wants it
  Received received;
};
ReductionPlan plan_reductions(const synth::Collective& step, const synth::ArrayType& from, const synth::ArrayType& to);
base::Status run_reductions(const ReductionPlan& plan, const Storage& storage, synth::RegisterId from,
                            synth::RegisterId to);

}  // namespace tessera::runtime
