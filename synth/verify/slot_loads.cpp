#include "synth/verify/slot_loads.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

// Elements of a stretch of a box: the first dimension that is long enough is cut, else the longest.
std::int64_t stretch_volume(const Numbers& lengths, std::int64_t count, std::int64_t index) {
  const std::int64_t elements = volume(lengths);
  if (lengths.empty() || count == 1) return index == 0 ? elements : 0;
  auto cut_along = std::find_if(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n >= count; });
  if (cut_along == lengths.end()) cut_along = std::max_element(lengths.begin(), lengths.end());
  if (*cut_along == 0) return 0;
  return elements / *cut_along * (part_begin(*cut_along, count, index + 1) - part_begin(*cut_along, count, index));
}

}  // namespace

std::int64_t volume(const Numbers& lengths) {
  std::int64_t elements = 1;
  for (const std::int64_t length : lengths) elements *= length;
  return elements;
}

SlotLoads::SlotLoads(const RunMachine& machine, std::int64_t element_bytes)
    : machine_(machine), devices_(devices_of(machine)), element_bytes_(element_bytes) {}

void SlotLoads::add(std::int64_t from, std::int64_t to, std::int64_t hop, const Numbers& lengths) {
  if (volume(lengths) == 0) return;
  const std::size_t shape = shapes_.emplace(lengths, shapes_.size()).first->second;
  sendings_.push_back(Sending{from, to, hop, shape});
  hops_ = std::max(hops_, hop + 1);
}

// Bytes of every stretch of a box of each shape.
std::vector<Numbers> SlotLoads::stretches_of_shapes(std::int64_t stretches) const {
  std::vector<Numbers> bytes(shapes_.size());
  for (const auto& [lengths, shape] : shapes_) {
    for (std::int64_t s = 0; s < stretches; ++s)
      bytes[shape].push_back(stretch_volume(lengths, stretches, s) * element_bytes_);
  }
  return bytes;
}

// For every slot, how long its busiest link is busy. Links are counted by level and unit, in and out.
std::vector<double> SlotLoads::loads_of_slots(std::int64_t stretches) const {
  const auto slots = static_cast<std::size_t>(stretches + hops_ - 1);
  std::vector<double> longest(slots, 0);
  const std::vector<Numbers> moved = stretches_of_shapes(stretches);
  std::int64_t unit_devices = devices_;
  for (const MachineLevel& level : machine_.levels) {
    unit_devices /= level.count;
    const auto units = static_cast<std::size_t>(devices_ / unit_devices);
    std::vector<std::int64_t> bytes(slots * units * 2, 0);
    for (const Sending& sending : sendings_) {
      const std::int64_t out = sending.from / unit_devices;
      const std::int64_t in = sending.to / unit_devices;
      if (out == in) continue;
      for (std::int64_t s = 0; s < stretches; ++s) {
        const std::int64_t more = moved[sending.shape][static_cast<std::size_t>(s)];
        const auto slot = static_cast<std::size_t>(s + sending.hop);
        bytes[(slot * units + static_cast<std::size_t>(out)) * 2] += more;
        bytes[(slot * units + static_cast<std::size_t>(in)) * 2 + 1] += more;
      }
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      double& slot = longest[i / (units * 2)];
      const double per_byte = 1 / link_bandwidth(level, i / 2 % units);
      slot = std::max(slot, static_cast<double>(bytes[i]) * per_byte);
    }
  }
  return longest;
}

// The most peers of a device in each hop, at the latency of the slowest level that it uses.
std::vector<double> SlotLoads::hop_latencies() const {
  using Pair = std::pair<std::int64_t, std::int64_t>;
  std::vector<std::set<Pair>> pairs(static_cast<std::size_t>(hops_));
  for (const Sending& sending : sendings_)
    pairs[static_cast<std::size_t>(sending.hop)].emplace(sending.from, sending.to);
  std::vector<double> latencies;
  for (const auto& of_hop : pairs) {
    Numbers sends(static_cast<std::size_t>(devices_), 0);
    Numbers receives = sends;
    Waits waits;
    for (const auto& [from, to] : of_hop) {
      ++sends[static_cast<std::size_t>(from)];
      ++receives[static_cast<std::size_t>(to)];
      use_levels_between(from, to, waits);
    }
    const std::int64_t peers =
        std::max(*std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end()));
    latencies.push_back(waits.of(peers));
  }
  return latencies;
}

void SlotLoads::use_levels_between(std::int64_t a, std::int64_t b, Waits& waits) const {
  std::int64_t unit_devices = devices_;
  for (const MachineLevel& level : machine_.levels) {
    unit_devices /= level.count;
    if (a / unit_devices != b / unit_devices) waits.use(level);
  }
}

double SlotLoads::seconds(std::int64_t stretches) const {
  double total = 0;
  const std::vector<double> latencies = hop_latencies();
  const auto loads = loads_of_slots(stretches);
  for (std::size_t slot = 0; slot < loads.size(); ++slot) {
    double latency = 0;
    for (std::int64_t hop = 0; hop < hops_; ++hop) {
      const std::int64_t stretch = static_cast<std::int64_t>(slot) - hop;
      if (stretch >= 0 && stretch < stretches) latency = std::max(latency, latencies[static_cast<std::size_t>(hop)]);
    }
    total += latency + loads[slot];
  }
  return total;
}

}  // namespace tessera::synth::verifier
