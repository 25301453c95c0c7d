// Private to verify: sends in hops and stretches, and how long they take slot by slot: in slot t the sends of hop h
// move stretch t - h of their boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/verify/holdings.hpp"
#include "synth/verify/waits.hpp"

namespace tessera::synth::verifier {

std::int64_t volume(const Numbers& lengths);

class SlotLoads {
 public:
  SlotLoads(const RunMachine& machine, std::int64_t element_bytes);

  // Between devices of the run. A box of these lengths; one without elements is none.
  void add(std::int64_t from, std::int64_t to, std::int64_t hop, const Numbers& lengths);
  // One more than the last hop in which something is sent.
  std::int64_t hops() const { return hops_; }
  double seconds(std::int64_t stretches) const;

 private:
  struct Sending {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t hop = 0;
    std::size_t shape = 0;  // of the box that is sent
  };

  std::vector<Numbers> stretches_of_shapes(std::int64_t stretches) const;
  std::vector<double> loads_of_slots(std::int64_t stretches) const;
  std::vector<double> hop_latencies() const;
  void use_levels_between(std::int64_t a, std::int64_t b, Waits& waits) const;

  const RunMachine& machine_;
  std::int64_t devices_;
  std::int64_t element_bytes_;
  std::vector<Sending> sendings_;
  std::map<Numbers, std::size_t> shapes_;  // boxes of the same lengths are cut into stretches alike
  std::int64_t hops_ = 0;
};

}  // namespace tessera::synth::verifier
