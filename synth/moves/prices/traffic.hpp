// Private to synth: the messages of one step, or of one slot of it, summed by device and link: what they take
// (`cost`), and how busy the links are (`load`).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <variant>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/tile_exchange.hpp"
#include "synth/moves/prices/loads.hpp"

namespace tessera::synth {

class Traffic {
 public:
  explicit Traffic(const Cluster& cluster, std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  // The same between the first so many devices of the run.
  Traffic(const Cluster& cluster, std::int64_t devices, std::pmr::memory_resource* memory);

  // Between devices of the run. Local messages count nothing. The cost needs those to one target one after the other,
  // to count who talks to whom; the load does not.
  void add(std::int32_t source, std::int32_t target, std::int64_t bytes);
  // All messages of a direct reduction in a group, in one go.
  void add(const DirectGroup& group, std::int64_t element_bytes);
  // All messages of copies, in one go.
  void add(const Cluster& cluster, const TileExchange& exchange, std::int64_t element_bytes);
  // The same where nobody knows who sends: as if what goes out were dealt evenly over the units that hold something.
  // Only for the load.
  void add(const Cluster& cluster, const NearestExchange& exchange, std::int64_t element_bytes);
  StepCost cost() const;
  SlotLoad load() const;

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
    LinkLoad busiest_link(std::size_t number) const;
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

// The copies of a direct step: all messages, or where these are too many to count, what comes in over every link.
using Counted = std::variant<Traffic, NearestExchange>;
Counted count_copies(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                     std::pmr::memory_resource* memory = std::pmr::get_default_resource());
// The messages of a direct sum.
Traffic count_sum(const Cluster& cluster, CollectiveKind kind, const ArrayType& before, const ArrayType& after,
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tessera::synth
