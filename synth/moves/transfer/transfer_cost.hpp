// Private to synth: the cost of a transfer on a machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/cluster/device_links.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/transfer/stretches.hpp"
#include "synth/moves/transfer/transfer.hpp"

namespace tessera::synth {

// The sends of a transfer summed by hop and link, so that it can be priced for any number of stretches.
//
// A slot takes the longest latency of its hops - the most peers that a device has in the hop, times the latency of the
// slowest level used - and the time of its busiest link, with the bytes of all its hops. A transfer takes the sum of
// its slots.
class TransferCost {
 public:
  // Several transfers at once, each of as many arrays: in a slot all hops of all of them count. Elements have so many
  // bytes.
  struct Part {
    const Transfer* transfer = nullptr;
    std::int64_t element_bytes = 0;
    std::int64_t arrays = 1;
  };
  TransferCost(const Cluster& cluster, std::span<const Part> parts);
  TransferCost(const Cluster& cluster, const Transfer& transfer, std::int64_t element_bytes)
      : TransferCost(cluster, std::array{Part{&transfer, element_bytes, 1}}) {}

  double seconds(std::int64_t stretches) const;
  // The number of stretches that takes the least time; the least of equal ones. Between two meshes also those near
  // sqrt(w(H - 1) / l), with w the busiest link of the whole transfer, H hops and l the latency of a slot: fewer leave
  // links idle while the first stretch passes and the last one ends, more wait for messages.
  std::int64_t best_stretches() const;
  std::int64_t best_stretches_of_any() const;
  // Bytes that devices receive, in all and at most; the most peers of a device in any hop, times the slots.
  StepCost cost(std::int64_t stretches) const;
  // The busiest link's bytes of the whole transfer, in seconds.
  double busiest_seconds() const;

 private:
  void add(const Cluster& cluster, const DeviceLinks& links, const Send& send, std::size_t shape);
  void add(const Cluster& cluster, const DeviceLinks& links, const Part& part,
           const std::vector<std::size_t>& shape_of);
  void keep_used_lanes();
  void count_peers(const Cluster& cluster, std::span<const Part> parts);
  std::size_t shape_number(const Box& box, const Part& part);
  // Boxes of a shape that a hop brings over every lane. A link has two: in, then out.
  std::vector<double>& boxes(std::size_t hop, std::size_t shape) { return boxes_[hop * shapes_.size() + shape]; }
  const std::vector<double>& boxes(std::size_t hop, std::size_t shape) const {
    return boxes_[hop * shapes_.size() + shape];
  }
  // The slots of one number of stretches.
  class Slots;
  // Stops early: a result of at least `most` need not be exact.
  double seconds(std::int64_t stretches, double most) const;
  std::vector<std::int64_t> candidates() const;
  std::int64_t best_of(const std::vector<std::int64_t>& candidates) const;

  // A box from 0 on, and what one of its elements counts: its bytes, times the arrays that have it.
  struct Shape {
    Box box;
    std::int64_t element_bytes = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  std::int64_t bytes_of(std::size_t shape) const { return elements(shapes_[shape].box) * shapes_[shape].element_bytes; }

  std::size_t hops_ = 0;
  std::vector<Shape> shapes_;             // that pieces have
  std::vector<double> seconds_per_byte_;  // of every lane that is used
  std::vector<std::vector<double>> boxes_;
  std::vector<std::int64_t> received_;  // bytes, of every device
  std::vector<std::int64_t> peers_;     // of every hop
  std::vector<Delay> delays_;           // of every hop
};

}  // namespace tessera::synth
