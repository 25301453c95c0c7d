// Private to redistribute: rivals between two meshes (docs/redistribution.md says what each does). Sums are finished on
// the source's mesh, and kept on the target's, by an all_reduce and a keep.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/planner/chain.hpp"

namespace tessera::synth::rivals {

// The host of each device: its innermost unit of several devices. Without such units each device is a host by itself.
class HostsOfRun {
 public:
  explicit HostsOfRun(const Cluster& cluster);
  std::int32_t of(std::int32_t device) const { return device / devices_; }
  std::size_t count() const { return count_; }

 private:
  std::int32_t devices_ = 1;
  std::size_t count_ = 1;
};

// Both ends with nothing pending.
base::Result<Chain> sendrecv_move(const ArrayType& from, const ArrayType& to);
base::Result<Chain> localgather_move(const ArrayType& from, const ArrayType& to, const RunMachine& machine);
base::Result<Chain> globalgather_move(const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth::rivals
