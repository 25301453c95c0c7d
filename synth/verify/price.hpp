// Private to verify: the time of a step on a machine, worked out from its messages. Shares nothing with the planner's
// prices but their definition (docs/redistribution.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "synth/moves/prices/prices.hpp"
#include "synth/verify/replay.hpp"
#include "synth/verify/waits.hpp"

namespace tessera::synth::verifier {

// Everything that goes on at once: the most peers of a device at the latency of the slowest level used, and the time of
// the busiest link.
class SlotPrice {
 public:
  explicit SlotPrice(const RunMachine& machine);

  // Between devices of the run.
  void add(std::int64_t from, std::int64_t to, std::int64_t bytes);
  // In place of single messages: the bytes on the link of a level's unit, and the number of a device's peers.
  void add_link(std::size_t level, std::int64_t unit, std::int64_t in, std::int64_t out);
  void add_peers(std::int64_t peers) { peers_ = std::max(peers_, peers); }
  double seconds();

  std::size_t levels() const { return levels_.size(); }
  std::int64_t unit_devices(std::size_t level) const { return levels_[level].unit_devices; }
  std::int64_t unit(std::size_t level, std::int64_t device) const { return device / unit_devices(level); }

 private:
  struct Level {
    std::int64_t unit_devices;
    MachineLevel link;
    Numbers in;  // bytes, by unit
    Numbers out;
  };
  std::int64_t most_peers();

  std::int64_t devices_;
  std::vector<Level> levels_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
  std::int64_t peers_ = 0;
};

// How many devices a machine with its levels has.
std::int64_t devices_of(const RunMachine& machine);

// Called with the sends, between devices of the run, that copy boxes from one type to another, in order of targets.
// They are a claim of the code that carries steps out; the replay checks every box before it counts its cost.
using ClaimBox = std::function<void(std::int32_t source, std::int32_t target, const Box& box)>;
using Senders = std::function<void(const ArrayType& before, const ArrayType& after, const ClaimBox& claim)>;

// A step that copies, or the rounds that it is cut into along a dimension.
class CopyPrices {
 public:
  CopyPrices(const State& before, const Holdings& after, const ArrayType& after_type, const RunMachine& machine)
      : before_(before), after_(after), after_type_(after_type), machine_(machine) {}

  // `received` has the bytes of every device in each round. Does every device get every element of its tile once, from
  // one that has it? Then `seconds` is what each round takes.
  Fault replay(const Senders& senders, const std::vector<Numbers>& received, std::size_t dimension,
               std::vector<double>& seconds);

 private:
  struct Sent {
    std::int64_t source;
    Box box;
  };
  bool is_exact(std::int64_t rounds) const;
  Fault check_target(std::int64_t target);
  bool fits(const Sent& sent, std::int64_t target) const;
  bool overlap();
  std::int64_t elements_in_round(const Box& box, std::int64_t round, std::int64_t rounds, std::size_t dimension) const;
  double simplified(const Numbers& received) const;
  std::int64_t peers() const;     // source tiles that a target tile meets
  std::int64_t replicas() const;  // devices that hold the same before the step
  // Source tiles that every target tile meets, by device, and the same for all dimensions together.
  Numbers cells_of_targets() const;

  const State& before_;
  const Holdings& after_;
  const ArrayType& after_type_;
  const RunMachine& machine_;
  Numbers bounds_;          // where tiles of either end begin or end along the dimension of the rounds, ascending
  std::vector<Sent> sent_;  // to the target that is looked at
};

// A step that copies, where every element has one holder and the tiles that each unit of the machine holds are all
// combinations of some intervals of each dimension: worked out from the overlaps of tiles, without a look at pairs of
// devices. Nothing in all other cases.
std::optional<double> seconds_by_tiles(const State& before, const Holdings& after, const RunMachine& machine,
                                       std::int64_t element_bytes);
// The same where an element may have several holders, of which the nearest send, and a device has so many peers: what
// comes into a unit is exact, and what goes out of units is dealt evenly over their links. Nothing counts of a level
// where a unit's different tiles are not all combinations.
double seconds_from_nearest(const State& before, const Holdings& after, const RunMachine& machine,
                            std::int64_t element_bytes, std::int64_t peers);

// A reduce_scatter or an all_reduce between devices that differ in their places along the step's axes: message by
// message up to 512 devices, above by groups. Both give the same figures.
double seconds_of_reduction(const State& before, const Collective& step, const Holdings& after,
                            const RunMachine& machine);
double seconds_by_pairs(const State& before, const Collective& step, const Holdings& after, const RunMachine& machine);
double seconds_by_groups(const State& before, const Collective& step, const Holdings& after, const RunMachine& machine);

}  // namespace tessera::synth::verifier
