#include "synth/verify/relay_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera::synth::verifier {

namespace {

// Where a device stands: its position along the pending axes, then its place in every dimension.
using Stand = std::vector<std::int64_t>;
using Groups = std::map<Stand, Numbers>;  // the devices of every stand, ascending

Groups groups_of(const Standing& standing) {
  Groups groups;
  for (std::int64_t device = 0; device < standing.devices(); ++device) {
    const auto at = static_cast<std::size_t>(device);
    Stand stand{standing.pending[at]};
    for (const Numbers& places : standing.place) stand.push_back(places[at]);
    groups[stand].push_back(device);
  }
  return groups;
}

struct Sending {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t hop = 0;
  std::size_t shape = 0;  // of the box that is sent
};

std::int64_t volume(const Numbers& lengths) {
  std::int64_t elements = 1;
  for (const std::int64_t length : lengths) elements *= length;
  return elements;
}

// Elements of a stretch of a box: the first dimension that is long enough is cut, else the longest.
std::int64_t stretch_volume(const Numbers& lengths, std::int64_t count, std::int64_t index) {
  const std::int64_t elements = volume(lengths);
  if (lengths.empty() || count == 1) return index == 0 ? elements : 0;
  auto cut_along = std::find_if(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n >= count; });
  if (cut_along == lengths.end()) cut_along = std::max_element(lengths.begin(), lengths.end());
  if (*cut_along == 0) return 0;
  return elements / *cut_along * (part_begin(*cut_along, count, index + 1) - part_begin(*cut_along, count, index));
}

class RelayReplay {
 public:
  RelayReplay(const State& before, const RelayRecipe& recipe, const Standing& after, const Machine& machine)
      : before_(before.standing),
        after_(after),
        recipe_(recipe),
        machine_(machine),
        element_bytes_(bytes_of(before.type.element())),
        first_hop_(static_cast<std::size_t>(before.standing.devices()), -1) {}

  Fault follow() {
    const Groups holders = groups_of(before_);
    const Groups needers = groups_of(after_);
    std::size_t task = 0;
    for (const auto& [target, wanting] : needers) {
      for (const auto& [source, holding] : holders) {
        if (source[0] != target[0] || !meet(holding.front(), wanting.front())) continue;  // parts of sums stay apart
        const std::vector<Interval> box = shared_box(holding.front(), wanting.front());
        Numbers needing;
        std::set_difference(wanting.begin(), wanting.end(), holding.begin(), holding.end(),
                            std::back_inserter(needing));
        if (needing.empty()) continue;
        if (task == recipe_.tasks.size()) return "a box that is needed is in none of its tasks";
        if (auto fault = follow_task(recipe_.tasks[task], box, holding, needing))
          return fmt::format("task {}: {}", task + 1, *fault);
        ++task;
      }
    }
    if (task != recipe_.tasks.size()) return "it has tasks for which there is no box";
    if (recipe_.stretches < 1) return "it has no stretch";
    if (hops_ != recipe_.hops) return fmt::format("its hops are said to be {} and are {}", recipe_.hops, hops_);
    return std::nullopt;
  }

  double seconds() const {
    double total = 0;
    const std::vector<double> latencies = hop_latencies();
    const auto loads = loads_of_slots();
    for (std::size_t slot = 0; slot < loads.size(); ++slot) {
      double latency = 0;
      for (std::int64_t hop = 0; hop < hops_; ++hop) {
        const std::int64_t stretch = static_cast<std::int64_t>(slot) - hop;
        if (stretch >= 0 && stretch < recipe_.stretches)
          latency = std::max(latency, latencies[static_cast<std::size_t>(hop)]);
      }
      total += latency + loads[slot];
    }
    return total;
  }

 private:
  bool meet(std::int64_t holder, std::int64_t needer) const {
    for (std::size_t d = 0; d < before_.extents.size(); ++d) {
      const Interval& held = before_.interval(d, holder);
      const Interval& wanted = after_.interval(d, needer);
      if (std::max(held.begin, wanted.begin) >= std::min(held.end, wanted.end)) return false;
    }
    return true;
  }
  std::vector<Interval> shared_box(std::int64_t holder, std::int64_t needer) const {
    std::vector<Interval> box;
    for (std::size_t d = 0; d < before_.extents.size(); ++d) {
      const Interval& held = before_.interval(d, holder);
      const Interval& wanted = after_.interval(d, needer);
      box.push_back(Interval{std::max(held.begin, wanted.begin), std::min(held.end, wanted.end)});
    }
    return box;
  }

  // Parts are stretches of the box' longest dimension, as long as their weights say.
  Fault follow_task(const std::vector<RelayPart>& parts, const std::vector<Interval>& box, const Numbers& holding,
                    const Numbers& needing) {
    Numbers lengths;
    for (const Interval& interval : box) lengths.push_back(interval.length());
    std::int64_t weights = 0;
    for (const RelayPart& part : parts) {
      if (part.weight < 1) return "a part weighs nothing";
      weights += part.weight;
    }
    if (weights == 0) return "it has no parts";
    const auto longest = std::max_element(lengths.begin(), lengths.end()) - lengths.begin();
    std::int64_t before = 0;
    for (const RelayPart& part : parts) {
      Numbers cut_lengths = lengths;
      if (!lengths.empty()) {
        const std::int64_t length = lengths[static_cast<std::size_t>(longest)];
        cut_lengths[static_cast<std::size_t>(longest)] =
            part_begin(length, weights, before + part.weight) - part_begin(length, weights, before);
      } else if (before > 0) {
        return std::nullopt;  // a scalar is not cut
      }
      before += part.weight;
      if (auto fault = follow_part(part, cut_lengths, holding, needing)) return fault;
    }
    return std::nullopt;
  }

  // Devices get the part in the order of hops, until nobody new has it.
  Fault follow_part(const RelayPart& part, const Numbers& lengths, const Numbers& holding, const Numbers& needing) {
    if (part.sources.size() != needing.size()) return "a part does not say who sends to each device that needs it";
    constexpr std::int64_t kNever = -1;
    Numbers& has = first_hop_;  // the first hop in which a device can send it
    for (const std::int64_t device : holding) has[static_cast<std::size_t>(device)] = 0;
    const std::size_t sends = sendings_.size();
    const std::size_t shape = shape_number(lengths);
    for (std::int64_t hop = 0; sendings_.size() - sends < needing.size(); ++hop) {
      const std::size_t before = sendings_.size();
      for (std::size_t i = 0; i < needing.size(); ++i) {
        const std::int64_t source = part.sources[i];
        const bool exists = source >= 0 && source < before_.devices();
        if (!exists || has[static_cast<std::size_t>(needing[i])] != kNever) continue;
        if (has[static_cast<std::size_t>(source)] == hop) sendings_.push_back(Sending{source, needing[i], hop, shape});
      }
      for (std::size_t s = before; s < sendings_.size(); ++s) has[static_cast<std::size_t>(sendings_[s].to)] = hop + 1;
      if (sendings_.size() == before) break;
    }
    for (const auto* devices : {&holding, &needing}) {
      for (const std::int64_t device : *devices) has[static_cast<std::size_t>(device)] = kNever;
    }
    if (sendings_.size() - sends != needing.size()) return "a part does not reach a device that needs it";
    if (volume(lengths) == 0) sendings_.resize(sends, Sending{});
    for (std::size_t s = sends; s < sendings_.size(); ++s) hops_ = std::max(hops_, sendings_[s].hop + 1);
    return std::nullopt;
  }

  // Boxes of the same lengths are cut into stretches alike.
  std::size_t shape_number(const Numbers& lengths) { return shapes_.emplace(lengths, shapes_.size()).first->second; }
  // Bytes of every stretch of a box of each shape.
  std::vector<Numbers> stretches_of_shapes() const {
    std::vector<Numbers> bytes(shapes_.size());
    for (const auto& [lengths, shape] : shapes_) {
      for (std::int64_t s = 0; s < recipe_.stretches; ++s)
        bytes[shape].push_back(stretch_volume(lengths, recipe_.stretches, s) * element_bytes_);
    }
    return bytes;
  }

  // For every slot, how long its busiest link is busy. Links are counted by level and unit, in and out.
  std::vector<double> loads_of_slots() const {
    const auto slots = static_cast<std::size_t>(recipe_.stretches + hops_ - 1);
    std::vector<double> longest(slots, 0);
    const std::vector<Numbers> moved = stretches_of_shapes();
    std::int64_t unit_devices = before_.devices();
    for (const MachineLevel& level : machine_.levels) {
      unit_devices /= level.count;
      const auto units = static_cast<std::size_t>(before_.devices() / unit_devices);
      std::vector<std::int64_t> bytes(slots * units * 2, 0);
      for (const Sending& sending : sendings_) {
        const std::int64_t out = sending.from / unit_devices;
        const std::int64_t in = sending.to / unit_devices;
        if (out == in) continue;
        for (std::int64_t s = 0; s < recipe_.stretches; ++s) {
          const std::int64_t more = moved[sending.shape][static_cast<std::size_t>(s)];
          const auto slot = static_cast<std::size_t>(s + sending.hop);
          bytes[(slot * units + static_cast<std::size_t>(out)) * 2] += more;
          bytes[(slot * units + static_cast<std::size_t>(in)) * 2 + 1] += more;
        }
      }
      const double per_byte = 1 / level.bandwidth_bytes_per_second;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        double& slot = longest[i / (units * 2)];
        slot = std::max(slot, static_cast<double>(bytes[i]) * per_byte);
      }
    }
    return longest;
  }

  // The most peers of a device in each hop, at the latency of the slowest level that it uses.
  std::vector<double> hop_latencies() const {
    using Pair = std::pair<std::int64_t, std::int64_t>;
    std::vector<std::set<Pair>> pairs(static_cast<std::size_t>(hops_));
    for (const Sending& sending : sendings_)
      pairs[static_cast<std::size_t>(sending.hop)].emplace(sending.from, sending.to);
    std::vector<double> latencies;
    for (const auto& of_hop : pairs) {
      Numbers sends(static_cast<std::size_t>(before_.devices()), 0);
      Numbers receives = sends;
      double slowest = 0;
      for (const auto& [from, to] : of_hop) {
        ++sends[static_cast<std::size_t>(from)];
        ++receives[static_cast<std::size_t>(to)];
        slowest = std::max(slowest, latency_between(from, to));
      }
      const std::int64_t peers =
          std::max(*std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end()));
      latencies.push_back(static_cast<double>(peers) * slowest);
    }
    return latencies;
  }

  double latency_between(std::int64_t a, std::int64_t b) const {
    double slowest = 0;
    std::int64_t unit_devices = before_.devices();
    for (const MachineLevel& level : machine_.levels) {
      unit_devices /= level.count;
      if (a / unit_devices != b / unit_devices) slowest = std::max(slowest, level.latency_seconds);
    }
    return slowest;
  }

  const Standing& before_;
  const Standing& after_;
  const RelayRecipe& recipe_;
  const Machine& machine_;
  std::int64_t element_bytes_;
  std::vector<Sending> sendings_;
  std::map<Numbers, std::size_t> shapes_;
  Numbers first_hop_;
  std::int64_t hops_ = 0;
};

}  // namespace

Fault replay_relay(const State& before, const RelayRecipe& recipe, const Standing& after, const Machine& machine,
                   double& seconds) {
  RelayReplay replay(before, recipe, after, machine);
  if (auto fault = replay.follow()) return fault;
  seconds = replay.seconds();
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
