// Private to synth: messages of one step, summed by device and link.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/machine/machine.hpp"

namespace tessera::synth {

class Traffic {
 public:
  Traffic(const Machine& machine, std::int64_t devices);

  // Messages come grouped by target; local ones count nothing.
  void add(std::int32_t source, std::int32_t target, std::int64_t bytes);
  StepCost cost() const;

 private:
  struct Level {
    std::vector<std::int32_t> unit_of;  // of every device
    double bandwidth = 1;
    double latency = 0;
    bool used = false;
    std::vector<std::int64_t> bytes_in;   // by unit
    std::vector<std::int64_t> bytes_out;  // by unit
  };
  void count_peers(std::size_t source, std::size_t target);

  std::vector<Level> levels_;  // innermost first
  std::vector<std::int64_t> received_;
  std::vector<std::int64_t> senders_;
  std::vector<std::int64_t> receivers_;
  std::vector<std::int32_t> last_target_;  // of every source
};

}  // namespace tessera::synth
