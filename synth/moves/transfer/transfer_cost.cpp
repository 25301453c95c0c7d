#include "synth/moves/transfer/transfer_cost.hpp"
#include "base/sorted.hpp"
#include "base/stop_scope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tessera::synth {

namespace {

constexpr std::size_t kCandidatesMax = kStretches.size() + 6;

// The box' shape.
Box at_origin(Box box) {
  for (Interval& interval : box) interval = Interval{0, interval.length()};
  return box;
}

}  // namespace

TransferCost::TransferCost(const Cluster& cluster, std::span<const Part> parts)
    : received_(static_cast<std::size_t>(cluster.devices()), 0) {
  std::vector<std::vector<std::size_t>> shapes_of;
  for (const Part& part : parts) {
    hops_ = std::max(hops_, static_cast<std::size_t>(part.transfer->hops));
    auto& shape_of = shapes_of.emplace_back();
    for (const Box& piece : part.transfer->pieces) shape_of.push_back(shape_number(piece, part));
  }
  peers_.assign(hops_, 0);
  delays_.resize(hops_);
  seconds_per_byte_ = cluster.seconds_per_byte(2);
  boxes_.assign(hops_ * shapes_.size(), std::vector<double>(2 * cluster.links(), 0.0));
  const DeviceLinks links(cluster);
  for (std::size_t k = 0; k < parts.size(); ++k) add(cluster, links, parts[k], shapes_of[k]);
  keep_used_lanes();
  count_peers(cluster, parts);
}

// The meshes may lie on a small part of the machine.
void TransferCost::keep_used_lanes() {
  std::vector<std::size_t> used;
  for (std::size_t lane = 0; lane < seconds_per_byte_.size(); ++lane) {
    if (std::any_of(boxes_.begin(), boxes_.end(), [&](const std::vector<double>& boxes) { return boxes[lane] > 0; }))
      used.push_back(lane);
  }
  const auto keep = [&](std::vector<double>& of_lanes) {
    for (std::size_t i = 0; i < used.size(); ++i) of_lanes[i] = of_lanes[used[i]];
    of_lanes.resize(used.size());
  };
  keep(seconds_per_byte_);
  std::for_each(boxes_.begin(), boxes_.end(), keep);
}

std::size_t TransferCost::shape_number(const Box& box, const Part& part) {
  const Shape shape{at_origin(box), part.element_bytes * part.arrays};
  const auto found = std::find(shapes_.begin(), shapes_.end(), shape);
  if (found != shapes_.end()) return static_cast<std::size_t>(found - shapes_.begin());
  shapes_.push_back(shape);
  return shapes_.size() - 1;
}

void TransferCost::add(const Cluster& cluster, const DeviceLinks& links, const Part& part,
                       const std::vector<std::size_t>& shape_of) {
  for (const Send& send : part.transfer->sends) {
    const std::size_t shape = shape_of[static_cast<std::size_t>(send.piece)];
    received_[static_cast<std::size_t>(send.to)] += bytes_of(shape);
    add(cluster, links, send, shape);
  }
}

void TransferCost::add(const Cluster& cluster, const DeviceLinks& links, const Send& send, std::size_t shape) {
  const auto hop = static_cast<std::size_t>(send.hop);
  std::vector<double>& lanes = boxes(hop, shape);
  for (std::size_t l = links.parting(send.from, send.to); l < links.levels(); ++l) {
    lanes[2 * links.link(l, send.to)] += 1;
    lanes[2 * links.link(l, send.from) + 1] += 1;
    delays_[hop] = std::max(delays_[hop], cluster.levels()[l].delay());
  }
}

// Devices that a device sends to, or receives from, in a hop.
void TransferCost::count_peers(const Cluster& cluster, std::span<const Part> parts) {
  const auto devices = static_cast<std::size_t>(cluster.devices());
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> pairs(hops_);
  for (const Part& part : parts) {
    for (const Send& send : part.transfer->sends)
      pairs[static_cast<std::size_t>(send.hop)].emplace_back(send.from, send.to);
  }
  for (std::size_t hop = 0; hop < hops_; ++hop) {
    base::keep_one_of_each(pairs[hop]);
    std::vector<std::int64_t> senders(devices, 0);
    std::vector<std::int64_t> receivers(devices, 0);
    for (const auto& [from, to] : pairs[hop]) {
      ++receivers[static_cast<std::size_t>(from)];
      ++senders[static_cast<std::size_t>(to)];
    }
    peers_[hop] = std::max(*std::max_element(senders.begin(), senders.end()),
                           *std::max_element(receivers.begin(), receivers.end()));
  }
}

// Stretches that have the same bytes of every shape are of one kind, and slots whose hops work on the same kinds take
// the same time: most slots are priced once for many.
class TransferCost::Slots {
 public:
  Slots(const TransferCost& cost, std::int64_t stretches) : cost_(cost) {
    std::vector<std::vector<std::int64_t>> of_shapes;
    for (const Shape& shape : cost.shapes_) of_shapes.push_back(stretch_elements(shape.box, stretches));
    std::map<std::vector<double>, std::int32_t> kinds;
    std::vector<double> bytes(cost.shapes_.size());
    for (std::size_t s = 0; s < static_cast<std::size_t>(stretches); ++s) {
      for (std::size_t shape = 0; shape < bytes.size(); ++shape)
        bytes[shape] = static_cast<double>(of_shapes[shape][s] * cost.shapes_[shape].element_bytes);
      const auto [kind, is_new] = kinds.try_emplace(bytes, static_cast<std::int32_t>(kinds.size()));
      if (is_new) bytes_.push_back(bytes);
      kind_of_.push_back(kind->second);
    }
    lanes_.resize(bytes_.size() * cost.hops_);
  }

  double seconds(std::int64_t slot) {
    std::vector<std::int32_t> kinds;
    for (std::size_t hop = 0; hop < cost_.hops_; ++hop) {
      const std::int64_t stretch = slot - static_cast<std::int64_t>(hop);
      const bool works = stretch >= 0 && stretch < static_cast<std::int64_t>(kind_of_.size());
      kinds.push_back(works ? kind_of_[static_cast<std::size_t>(stretch)] : kIdle);
    }
    const auto [known, is_new] = known_.try_emplace(std::move(kinds), 0);
    if (is_new) base::look_for_stop();
    if (is_new) known->second = priced(known->first);
    return known->second;
  }

 private:
  static constexpr std::int32_t kIdle = -1;

  // `kinds`: of the stretch that each hop works on.
  double priced(const std::vector<std::int32_t>& kinds) {
    double latency = 0;
    std::vector<double> all(cost_.seconds_per_byte_.size(), 0.0);
    for (std::size_t hop = 0; hop < kinds.size(); ++hop) {
      if (kinds[hop] == kIdle) continue;
      latency = std::max(latency, cost_.delays_[hop].of(static_cast<double>(cost_.peers_[hop])));
      const std::vector<double>& of_hop = lanes(hop, static_cast<std::size_t>(kinds[hop]));
      for (std::size_t lane = 0; lane < all.size(); ++lane) all[lane] += of_hop[lane];
    }
    double busiest = 0;
    for (std::size_t lane = 0; lane < all.size(); ++lane)
      busiest = std::max(busiest, all[lane] * cost_.seconds_per_byte_[lane]);
    return latency + busiest;
  }

  // The bytes that a hop brings over every lane, of a stretch of that kind.
  const std::vector<double>& lanes(std::size_t hop, std::size_t kind) {
    std::vector<double>& lanes = lanes_[hop * bytes_.size() + kind];
    if (!lanes.empty()) return lanes;
    lanes.resize(cost_.seconds_per_byte_.size(), 0.0);
    for (std::size_t shape = 0; shape < cost_.shapes_.size(); ++shape) {
      const std::vector<double>& boxes = cost_.boxes(hop, shape);
      const double each = bytes_[kind][shape];
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += each * boxes[lane];
    }
    return lanes;
  }

  const TransferCost& cost_;
  std::vector<std::int32_t> kind_of_;                  // of every stretch
  std::vector<std::vector<double>> bytes_;             // of every kind, by shape
  std::vector<std::vector<double>> lanes_;             // of every hop and kind, once they have been asked for
  std::map<std::vector<std::int32_t>, double> known_;  // by the kinds that the hops work on
};

double TransferCost::seconds(std::int64_t stretches) const {
  return seconds(stretches, std::numeric_limits<double>::infinity());
}

double TransferCost::seconds(std::int64_t stretches, double most) const {
  if (hops_ == 0) return 0;
  Slots slots(*this, stretches);
  double total = 0;
  for (std::int64_t slot = 0; slot < stretches + static_cast<std::int64_t>(hops_) - 1 && total < most; ++slot)
    total += slots.seconds(slot);
  return total;
}

std::int64_t TransferCost::best_stretches() const { return hops_ <= 1 ? 1 : best_of(candidates()); }

std::int64_t TransferCost::best_stretches_of_any() const {
  if (hops_ <= 1) return 1;
  constexpr std::array<double, 6> kTimes = {0.25, 0.5, 0.71, 1, 1.41, 2};
  constexpr double kMost = 1024;
  double latency = 0;
  for (std::size_t hop = 0; hop < hops_; ++hop)
    latency = std::max(latency, delays_[hop].of(static_cast<double>(peers_[hop])));
  std::int64_t longest = 1;
  for (const Shape& shape : shapes_) {
    for (const Interval& interval : shape.box) longest = std::max(longest, interval.length());
  }
  std::vector<std::int64_t> all = candidates();
  if (latency == 0) return best_of(all);
  const double good = std::sqrt(busiest_seconds() * static_cast<double>(hops_ - 1) / latency);
  for (const double times : kTimes) {
    const double count = std::min({std::round(good * times), static_cast<double>(longest), kMost});
    if (count >= 1) all.push_back(static_cast<std::int64_t>(count));
  }
  std::sort(all.begin(), all.end());
  return best_of(all);
}

std::int64_t TransferCost::best_of(const std::vector<std::int64_t>& candidates) const {
  std::int64_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t stretches : candidates) {
    const double taken = seconds(stretches, least);
    if (taken >= least) continue;
    least = taken;
    best = stretches;
  }
  return best;
}

// A box that is cut at every element of a dimension has stretches that are all alike.
std::vector<std::int64_t> TransferCost::candidates() const {
  std::set<std::int64_t> all(kStretches.begin(), kStretches.end());
  for (const Shape& shape : shapes_) {
    for (const Interval& interval : shape.box) {
      if (interval.length() > 0 && interval.length() < kStretches.back()) all.insert(interval.length());
      if (all.size() == kCandidatesMax) return {all.begin(), all.end()};
    }
  }
  return {all.begin(), all.end()};
}

StepCost TransferCost::cost(std::int64_t stretches) const {
  StepCost cost;
  for (const std::int64_t bytes : received_) {
    cost.received_bytes_total += bytes;
    cost.received_bytes_max = std::max(cost.received_bytes_max, bytes);
  }
  for (const std::int64_t peers : peers_) cost.peers = std::max(cost.peers, peers);
  cost.seconds = seconds(stretches);
  return cost;
}

double TransferCost::busiest_seconds() const {
  double busiest = 0;
  for (std::size_t lane = 0; lane < seconds_per_byte_.size(); ++lane) {
    double bytes = 0;
    for (std::size_t hop = 0; hop < hops_; ++hop) {
      for (std::size_t shape = 0; shape < shapes_.size(); ++shape) {
        bytes += boxes(hop, shape)[lane] * static_cast<double>(bytes_of(shape));
      }
    }
    busiest = std::max(busiest, bytes * seconds_per_byte_[lane]);
  }
  return busiest;
}

}  // namespace tessera::synth
