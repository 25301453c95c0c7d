// Private to synth: messages of one step, summed by device and link.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "synth/collective/direct_reduction.hpp"
#include "synth/collective/tile_exchange.hpp"
#include "synth/machine/machine.hpp"

namespace tessera::synth {

class Traffic {
 public:
  explicit Traffic(const Machine& machine, std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  // The same between the first so many devices of the run.
  Traffic(const Machine& machine, std::int64_t devices, std::pmr::memory_resource* memory);

  // Between devices of the run. Messages come grouped by target; local ones count nothing.
  void add(std::int32_t source, std::int32_t target, std::int64_t bytes);
  // All messages of a direct reduction in a group, in one go.
  void add(const DirectGroup& group, std::int64_t element_bytes);
  // All messages of copies, in one go.
  void add(const Cluster& cluster, const TileExchange& exchange, std::int64_t element_bytes);
  StepCost cost() const;

 private:
  struct Device {
    std::int64_t received = 0;
    std::int64_t sent = 0;
    std::int64_t senders = 0;
    std::int64_t receivers = 0;
    std::int32_t last_target = -1;
  };
  // A level whose units are of several devices.
  struct Level {
    std::pmr::vector<std::int32_t> unit_of;  // of every device
    double bandwidth = 1;
    Delay delay;
    bool used = false;
    std::pmr::vector<std::int64_t> bytes_in;   // by unit
    std::pmr::vector<std::int64_t> bytes_out;  // by unit
    std::pmr::vector<double> bandwidths;       // by unit, where links differ
    double busiest_seconds() const;
    void add(const DirectGroup& group, std::int64_t element_bytes);
  };
  double busiest_device_seconds(std::int64_t most_bytes) const;

  std::pmr::vector<Device> devices_;
  double device_bandwidth_ = 1;
  std::pmr::vector<double> device_bandwidths_;  // where links differ
  Delay device_delay_;
  std::pmr::vector<Level> levels_;  // innermost first
};

inline void Traffic::add(std::int32_t source, std::int32_t target, std::int64_t bytes) {
  if (source == target || bytes == 0) return;
  Device& from = devices_[static_cast<std::size_t>(source)];
  Device& to = devices_[static_cast<std::size_t>(target)];
  from.sent += bytes;
  to.received += bytes;
  if (from.last_target != target) {
    from.last_target = target;
    ++from.receivers;
    ++to.senders;
  }
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
