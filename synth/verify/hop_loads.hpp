// Private to verify: the load of every link in the hops of a reduction program.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/verify/replay.hpp"
#include "synth/verify/waits.hpp"

namespace tessera::synth::verifier {

// The elements that one hop brings over every lane; each stretch an even share of them.
class HopLoads {
 public:
  HopLoads(const RunMachine& machine, std::int64_t devices);

  void add(std::int64_t from, std::int64_t to, std::int64_t elements);
  // Each of these devices hands every other so many elements.
  void add_among(const std::vector<std::int64_t>& devices, std::int64_t elements);
  double latency() const;
  // Seconds of every lane for all stretches together are added to `lanes`.
  void add_busy(std::vector<double>& lanes, std::int64_t element_bytes) const;
  void add_received(Numbers& bytes, std::int64_t element_bytes) const;

 private:
  struct Level {
    std::int64_t unit_devices;
    MachineLevel link;
    std::size_t first_lane;
    bool used = false;
  };
  std::int64_t devices_;
  std::vector<Level> levels_;
  Numbers lanes_;                                 // elements
  std::vector<std::set<std::int64_t>> sends_to_;  // by device; none where only groups were added
  std::vector<std::set<std::int64_t>> receives_from_;
  std::size_t peers_ = 0;  // of those in groups
};

// The loads of a group of devices that take a step together: the elements that they hold.
struct GroupLoads {
  ReduceStepKind kind;
  std::vector<std::int64_t> devices;  // ascending
  std::vector<Numbers> held;          // of every device, elements by the device (its index) whose chunks they are
  Numbers all;                        // of every device, all of them
  std::size_t first;                  // which of them is at position 0
};

// The places of the same devices along the step's axes, each part's digit cut into primes; outermost first.
struct GroupDigits {
  std::size_t primes = 0;
  std::vector<Numbers> of;
};

// The messages of a step, put on hops from `begin` on, which are made where there are none yet.
void load_direct(const GroupLoads& step, std::int64_t devices, const RunMachine& machine, std::size_t begin,
                 std::vector<HopLoads>& hops);
void load_halving(const GroupLoads& step, const GroupDigits& digits, std::int64_t devices, const RunMachine& machine,
                  std::size_t begin, std::vector<HopLoads>& hops);

// `order` has the index of the device at each place along the step's axes.
void load_ring(const GroupLoads& step, const std::vector<std::size_t>& order, std::int64_t devices,
               const RunMachine& machine, std::size_t begin, std::vector<HopLoads>& hops);

// In slot t hop i moves stretch t - i.
double seconds_of_slots(const std::vector<HopLoads>& hops, std::int64_t stretches, std::int64_t element_bytes);

}  // namespace tessera::synth::verifier
