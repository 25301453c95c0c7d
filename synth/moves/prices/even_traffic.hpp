// Private to synth: what a wide reduction brings over the links of a machine, hop by hop.
//
// Where every group lies alike on the machine's levels, one link stands for all of a level; else every link is counted.
// All devices send as much as they receive, so a link's lanes carry the same.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/even_sum.hpp"
#include "synth/moves/prices/loads.hpp"

namespace tessera::synth {

class EvenTraffic {
 public:
  // `after` is the type of the sum's result.
  EvenTraffic(const RunMachine& machine, const EvenSum& sum, const ArrayType& after);

  StepCost cost() const;
  StepLoads loads() const;  // without the texts of the steps

 private:
  struct Link {
    std::size_t level = 0;
    std::int64_t unit = 0;
    double seconds_per_byte = 0;
  };
  struct Slot {
    std::int64_t peers = 0;
    std::int64_t received = 0;  // bytes, by each device
    Delay delay;
    std::vector<std::int64_t> bytes;  // over every link
    Digits digits;
  };
  void add_alike(const EvenHop& hop, Slot& slot) const;
  void add_all(const EvenHop& hop, Slot& slot) const;
  std::int64_t device(std::int64_t place) const { return mesh_->run_device(mesh_->device_at(place)); }
  SlotLoad load(std::int64_t begin, std::int64_t end, double part) const;

  Cluster cluster_;
  EvenSum sum_;
  MeshRef mesh_;
  std::int64_t element_bytes_;
  std::int64_t stretches_;
  std::vector<std::int64_t> offsets_;  // of the members of a group: how far their places lie from the first's
  bool is_alike_;
  std::vector<Link> links_;
  std::vector<Slot> slots_;  // of one stretch
  StepCost bytes_;           // without seconds
};

}  // namespace tessera::synth
