// Private to synth: messages of one step, summed by device and link.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "synth/machine/machine.hpp"

namespace tessera::synth {

class Traffic {
 public:
  Traffic(const Machine& machine, std::int64_t devices,
          std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Messages come grouped by target; local ones count nothing.
  void add(std::int32_t source, std::int32_t target, std::int64_t bytes);
  StepCost cost() const;

 private:
  struct Level {
    std::pmr::vector<std::int32_t> unit_of;  // of every device
    double bandwidth = 1;
    double latency = 0;
    bool used = false;
    std::pmr::vector<std::int64_t> bytes_in;   // by unit
    std::pmr::vector<std::int64_t> bytes_out;  // by unit
  };
  void count_peers(std::size_t source, std::size_t target);

  std::pmr::vector<Level> levels_;  // innermost first
  std::pmr::vector<std::int64_t> received_;
  std::pmr::vector<std::int64_t> senders_;
  std::pmr::vector<std::int64_t> receivers_;
  std::pmr::vector<std::int32_t> last_target_;  // of every source
};

inline void Traffic::count_peers(std::size_t source, std::size_t target) {
  if (last_target_[source] == static_cast<std::int32_t>(target)) return;
  last_target_[source] = static_cast<std::int32_t>(target);
  ++senders_[target];
  ++receivers_[source];
}

inline void Traffic::add(std::int32_t source, std::int32_t target, std::int64_t bytes) {
  if (source == target || bytes == 0) return;
  received_[static_cast<std::size_t>(target)] += bytes;
  count_peers(static_cast<std::size_t>(source), static_cast<std::size_t>(target));
  for (Level& level : levels_) {
    const std::int32_t out = level.unit_of[static_cast<std::size_t>(source)];
    const std::int32_t in = level.unit_of[static_cast<std::size_t>(target)];
    if (out == in) return;  // so are the units further out
    level.bytes_out[static_cast<std::size_t>(out)] += bytes;
    level.bytes_in[static_cast<std::size_t>(in)] += bytes;
    level.used = true;
  }
}

}  // namespace tessera::synth
