#include "synth/verify/hop_loads.hpp"

#include <algorithm>

#include "base/stop_scope.hpp"

namespace tessera::synth::verifier {

HopLoads::HopLoads(const RunMachine& machine, std::int64_t devices) : devices_(devices) {
  std::int64_t inside = devices;
  std::size_t lanes = 0;
  for (const MachineLevel& level : machine.levels) {
    inside /= level.count;
    levels_.push_back({inside, level, lanes, false});
    lanes += 2 * static_cast<std::size_t>(devices / inside);
  }
  lanes_.resize(lanes);
}

void HopLoads::add(std::int64_t from, std::int64_t to, std::int64_t elements) {
  if (from == to || elements == 0) return;
  sends_to_.resize(static_cast<std::size_t>(devices_));
  receives_from_.resize(static_cast<std::size_t>(devices_));
  sends_to_[static_cast<std::size_t>(from)].insert(to);
  receives_from_[static_cast<std::size_t>(to)].insert(from);
  for (Level& level : levels_) {
    const std::int64_t out = from / level.unit_devices;
    const std::int64_t in = to / level.unit_devices;
    if (out == in) continue;
    level.used = true;
    lanes_[level.first_lane + 2 * static_cast<std::size_t>(out)] += elements;
    lanes_[level.first_lane + 2 * static_cast<std::size_t>(in) + 1] += elements;
  }
}

void HopLoads::add_among(const std::vector<std::int64_t>& devices, std::int64_t elements) {
  if (devices.size() < 2 || elements == 0) return;
  peers_ = std::max(peers_, devices.size() - 1);
  for (Level& level : levels_) {
    Numbers units;  // of each device
    for (const std::int64_t device : devices) units.push_back(device / level.unit_devices);
    std::sort(units.begin(), units.end());
    if (units.front() == units.back()) continue;
    level.used = true;
    for (auto first = units.begin(); first != units.end();) {
      const std::int64_t unit = *first;
      const auto last = std::upper_bound(first, units.end(), unit);
      const std::int64_t count = last - first;
      first = last;
      const std::int64_t crossing = count * (std::ssize(devices) - count) * elements;
      for (const std::size_t lane : {0U, 1U})
        lanes_[level.first_lane + 2 * static_cast<std::size_t>(unit) + lane] += crossing;
    }
  }
}

double HopLoads::latency() const {
  std::size_t peers = peers_;
  for (std::size_t device = 0; device < sends_to_.size(); ++device)
    peers = std::max({peers, sends_to_[device].size(), receives_from_[device].size()});
  Waits waits;
  for (const Level& level : levels_) {
    if (level.used) waits.use(level.link);
  }
  return waits.of(static_cast<std::int64_t>(peers));
}

void HopLoads::add_busy(std::vector<double>& lanes, std::int64_t element_bytes) const {
  lanes.resize(lanes_.size(), 0);
  for (const Level& level : levels_) {
    const auto units = static_cast<std::size_t>(devices_ / level.unit_devices);
    for (std::size_t lane = 0; lane < 2 * units; ++lane) {
      const std::size_t index = level.first_lane + lane;
      lanes[index] += static_cast<double>(lanes_[index] * element_bytes) / link_bandwidth(level.link, lane / 2);
    }
  }
}

void HopLoads::add_received(Numbers& bytes, std::int64_t element_bytes) const {
  const Level& devices = levels_.back();
  for (std::size_t device = 0; device < bytes.size(); ++device)
    bytes[device] += lanes_[devices.first_lane + 2 * device + 1] * element_bytes;
}

namespace {

HopLoads& hop_at(std::vector<HopLoads>& hops, std::size_t index, std::int64_t devices, const RunMachine& machine) {
  while (hops.size() <= index) hops.emplace_back(machine, devices);
  return hops[index];
}

using PlaceDigits = GroupDigits;

// Do two devices agree in the digits from begin to end - 1?
bool agree(const PlaceDigits& digits, std::size_t a, std::size_t b, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    if (digits.of[a][k] != digits.of[b][k]) return false;
  }
  return true;
}

bool is_zero(const PlaceDigits& digits, std::size_t a, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    if (digits.of[a][k] != 0) return false;
  }
  return true;
}

// Elements that device `from` hands device `to` in the hop of digit k: what has been summed or gathered by then is what
// hops of inner digits (of sums) or outer ones (of gathers and broadcasts) brought.
std::int64_t handed(const GroupLoads& step, const PlaceDigits& digits, std::size_t k, std::size_t from,
                    std::size_t to) {
  const std::size_t count = digits.primes;
  std::int64_t elements = 0;
  switch (step.kind) {
    case ReduceStepKind::all_reduce: return step.all[from];
    case ReduceStepKind::reduce_scatter:
      for (std::size_t owner = 0; owner < step.devices.size(); ++owner) {
        if (agree(digits, owner, to, k, count)) elements += step.held[from][owner];
      }
      return elements;
    case ReduceStepKind::reduce:
      return is_zero(digits, from, k + 1, count) && digits.of[to][k] == 0 ? step.all[from] : 0;
    case ReduceStepKind::all_gather:
      for (std::size_t other = 0; other < step.devices.size(); ++other) {
        if (agree(digits, other, from, k, count)) elements += step.all[other];
      }
      return elements;
    case ReduceStepKind::broadcast: return is_zero(digits, from, k, count) ? step.all[step.first] : 0;
  }
  return 0;
}

bool spreads(ReduceStepKind kind) { return kind == ReduceStepKind::all_gather || kind == ReduceStepKind::broadcast; }

}  // namespace

void load_direct(const GroupLoads& step, std::int64_t devices, const RunMachine& machine, std::size_t begin,
                 std::vector<HopLoads>& hops) {
  HopLoads& hop = hop_at(hops, begin, devices, machine);
  for (std::size_t from = 0; from < step.devices.size(); ++from) {
    for (std::size_t to = 0; to < step.devices.size(); ++to) {
      const std::int64_t source = step.devices[from];
      const std::int64_t target = step.devices[to];
      switch (step.kind) {
        case ReduceStepKind::all_reduce:  // each adds up what is its own, and hands it to the others
          hop.add(source, target, step.held[from][to]);
          hop.add(source, target, step.held[from][from]);
          break;
        case ReduceStepKind::reduce_scatter: hop.add(source, target, step.held[from][to]); break;
        case ReduceStepKind::reduce: hop.add(source, target, to == step.first ? step.all[from] : 0); break;
        case ReduceStepKind::all_gather: hop.add(source, target, step.all[from]); break;
        case ReduceStepKind::broadcast: hop.add(source, target, from == step.first ? step.all[from] : 0); break;
      }
    }
  }
}

void load_halving(const GroupLoads& step, const GroupDigits& digits, std::int64_t devices, const RunMachine& machine,
                  std::size_t begin, std::vector<HopLoads>& hops) {
  const std::size_t count = digits.primes;
  for (std::size_t turn = 0; turn < count; ++turn) {
    const std::size_t k = spreads(step.kind) ? turn : count - 1 - turn;
    HopLoads& hop = hop_at(hops, begin + turn, devices, machine);
    for (std::size_t from = 0; from < step.devices.size(); ++from) {
      for (std::size_t to = 0; to < step.devices.size(); ++to) {
        const bool are_peers = agree(digits, from, to, 0, k) && agree(digits, from, to, k + 1, count);
        if (from != to && are_peers) hop.add(step.devices[from], step.devices[to], handed(step, digits, k, from, to));
      }
    }
  }
}

// In hop t position p hands the next one what belongs t + 1 positions before itself, where sums are made, and what was
// summed or held t positions before itself, where they are passed on.
void load_ring(const GroupLoads& step, const std::vector<std::size_t>& order, std::int64_t devices,
               const RunMachine& machine, std::size_t begin, std::vector<HopLoads>& hops) {
  const std::size_t count = order.size();
  const bool sums = step.kind != ReduceStepKind::all_gather;
  const bool passes = step.kind != ReduceStepKind::reduce_scatter;
  for (std::size_t turn = 0; turn + 1 < count; ++turn) {
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t from = order[place];
      const std::size_t to = order[(place + 1) % count];
      const std::size_t summed = order[(place + count - 1 - turn) % count];
      const std::size_t passed = order[(place + count - turn) % count];
      if (sums)
        hop_at(hops, begin + turn, devices, machine).add(step.devices[from], step.devices[to], step.held[from][summed]);
      if (!passes) continue;
      const std::int64_t elements = sums ? step.held[passed][passed] : step.all[passed];
      hop_at(hops, begin + (sums ? count - 1 : 0) + turn, devices, machine)
          .add(step.devices[from], step.devices[to], elements);
    }
  }
}

double seconds_of_slots(const std::vector<HopLoads>& hops, std::int64_t stretches, std::int64_t element_bytes) {
  const auto count = std::ssize(hops);
  double total = 0;
  double last = 0;
  std::pair<std::int64_t, std::int64_t> last_hops(-1, -1);
  for (std::int64_t slot = 0; slot < stretches + count - 1; ++slot) {
    const std::pair working(std::max<std::int64_t>(0, slot - stretches + 1), std::min(count, slot + 1));
    if (working != last_hops) {
      base::look_for_stop();
      double latency = 0;
      std::vector<double> lanes;
      for (std::int64_t i = working.first; i < working.second; ++i) {
        const HopLoads& hop = hops[static_cast<std::size_t>(i)];
        latency = std::max(latency, hop.latency());
        hop.add_busy(lanes, element_bytes);
      }
      const double busiest = lanes.empty() ? 0 : *std::max_element(lanes.begin(), lanes.end());
      last = latency + busiest / static_cast<double>(stretches);
      last_hops = working;
    }
    total += last;
  }
  return total;
}

}  // namespace tessera::synth::verifier
