#include "synth/verify/price.hpp"
#include "base/sorted.hpp"
#include "base/stop_scope.hpp"

#include <algorithm>
#include <limits>

namespace tessera::synth::verifier {

namespace {

constexpr double kExactMessagesMax = 400'000;

double slowest_wait(const RunMachine& machine, std::int64_t peers) {
  Waits waits;
  for (const MachineLevel& level : machine.levels) waits.use(level);
  return waits.of(peers);
}

// So many peers one after the other, and the busiest device's own link, if that is the slowest of all.
double of_device_links(const RunMachine& machine, std::int64_t peers, std::int64_t received) {
  const MachineLevel& own = machine.levels.back();
  double bandwidth = own.bandwidth_bytes_per_second;
  for (const double of_device : own.unit_bandwidths) bandwidth = std::min(bandwidth, of_device);
  return slowest_wait(machine, peers) + static_cast<double>(received) / bandwidth;
}

std::int64_t volume(const Box& box) {
  std::int64_t elements = 1;
  for (const Interval& interval : box) elements *= interval.length();
  return elements;
}

}  // namespace

std::int64_t devices_of(const RunMachine& machine) {
  std::int64_t devices = 1;
  for (const MachineLevel& level : machine.levels) devices *= level.count;
  return devices;
}

SlotPrice::SlotPrice(const RunMachine& machine) : devices_(devices_of(machine)) {
  std::int64_t unit_devices = devices_;
  for (const MachineLevel& level : machine.levels) {
    unit_devices /= level.count;
    const Numbers none(static_cast<std::size_t>(devices_ / unit_devices), 0);
    levels_.push_back({unit_devices, level, none, none});
  }
}

void SlotPrice::add(std::int64_t from, std::int64_t to, std::int64_t bytes) {
  if (from == to || bytes == 0) return;
  const std::pair pair(static_cast<std::int32_t>(from), static_cast<std::int32_t>(to));
  if (pairs_.empty() || pairs_.back() != pair) pairs_.push_back(pair);
  for (Level& level : levels_) {
    const std::int64_t out = from / level.unit_devices;
    const std::int64_t in = to / level.unit_devices;
    if (out == in) continue;
    level.out[static_cast<std::size_t>(out)] += bytes;
    level.in[static_cast<std::size_t>(in)] += bytes;
  }
}

void SlotPrice::add_link(std::size_t level, std::int64_t unit, std::int64_t in, std::int64_t out) {
  Level& here = levels_[level];
  here.in[static_cast<std::size_t>(unit)] += in;
  here.out[static_cast<std::size_t>(unit)] += out;
}

std::int64_t SlotPrice::most_peers() {
  base::keep_one_of_each(pairs_);
  Numbers sends(static_cast<std::size_t>(devices_), 0);
  Numbers receives = sends;
  for (const auto& [from, to] : pairs_) {
    ++sends[static_cast<std::size_t>(from)];
    ++receives[static_cast<std::size_t>(to)];
  }
  return std::max(
      {peers_, *std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end())});
}

double SlotPrice::seconds() {
  Waits waits;
  double busiest = 0;
  for (const Level& level : levels_) {
    const auto carries = [](std::int64_t bytes) { return bytes > 0; };
    if (std::none_of(level.in.begin(), level.in.end(), carries)) continue;
    waits.use(level.link);
    for (std::size_t unit = 0; unit < level.in.size(); ++unit) {
      const auto bytes = static_cast<double>(std::max(level.in[unit], level.out[unit]));
      busiest = std::max(busiest, bytes / link_bandwidth(level.link, unit));
    }
  }
  return waits.of(most_peers()) + busiest;
}

// ---- Copies ----

Numbers CopyPrices::cells_of_targets() const {
  Numbers all(static_cast<std::size_t>(after_.devices()), 1);
  for (std::size_t d = 0; d < after_.extents.size(); ++d) {
    Numbers begins;  // of the source's tiles that are not empty
    for (const Interval& tile : before_.standing.tile[d]) {
      if (tile.length() > 0) begins.push_back(tile.begin);
    }
    base::keep_one_of_each(begins);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Interval& tile = after_.tile[d][i];
      const auto first = std::upper_bound(begins.begin(), begins.end(), tile.begin);
      const auto last = std::lower_bound(first, begins.end(), tile.end);
      all[i] *= tile.length() == 0 ? 0 : last - first + 1;
    }
  }
  return all;
}

std::int64_t CopyPrices::replicas() const {
  std::int64_t different = before_.standing.contributors;
  for (const std::int64_t shards : before_.standing.shards) different *= shards;
  return before_.standing.devices() / different;
}

bool CopyPrices::is_exact(std::int64_t rounds) const {
  if (std::max(before_.standing.devices(), after_.devices()) <= kExplicitDevicesMax) return true;
  double copies = 0;
  for (const std::int64_t cells : cells_of_targets()) copies += static_cast<double>(cells);
  return copies * static_cast<double>(replicas()) <= kExactMessagesMax / static_cast<double>(rounds);
}

std::int64_t CopyPrices::peers() const {
  const Numbers cells = cells_of_targets();
  const std::int64_t others = std::max(before_.standing.devices(), after_.devices()) - 1;
  return std::min(*std::max_element(cells.begin(), cells.end()), others);
}

double CopyPrices::simplified(const Numbers& received) const {
  const std::int64_t most = *std::max_element(received.begin(), received.end());
  return most == 0 ? 0 : of_device_links(machine_, peers(), most);
}

// In the sender's tile and in the receiver's, of the same part of every sum.
bool CopyPrices::fits(const Sent& sent, std::int64_t target) const {
  if (sent.source < 0) return false;
  if (before_.standing.pending[static_cast<std::size_t>(sent.source)] !=
      after_.pending[static_cast<std::size_t>(target)])
    return false;
  for (std::size_t d = 0; d < after_.extents.size(); ++d) {
    const Interval both = common(before_.standing.interval(d, sent.source), after_.interval(d, target));
    if (sent.box[d].begin < both.begin || sent.box[d].end > both.end) return false;
  }
  return true;
}

// Only boxes that overlap along the dimension that tells them apart best can overlap at all.
bool CopyPrices::overlap() {
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t d = 0; d < after_.extents.size(); ++d) {
    Numbers begins;
    for (const Sent& sent : sent_) begins.push_back(sent.box[d].begin);
    std::sort(begins.begin(), begins.end());
    const auto different = static_cast<std::size_t>(std::unique(begins.begin(), begins.end()) - begins.begin());
    if (different > most) best = d;
    most = std::max(most, different);
  }
  std::sort(sent_.begin(), sent_.end(), [&](const Sent& a, const Sent& b) { return a.box[best] < b.box[best]; });
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    for (std::size_t k = i + 1; k < sent_.size() && sent_[k].box[best].begin < sent_[i].box[best].end; ++k) {
      bool apart = false;
      for (std::size_t d = 0; d < after_.extents.size(); ++d)
        apart = apart || common(sent_[i].box[d], sent_[k].box[d]).length() == 0;
      if (!apart) return true;
    }
  }
  return false;
}

Fault CopyPrices::check_target(std::int64_t target) {
  std::int64_t elements = 0;
  for (const Sent& sent : sent_) {
    if (!fits(sent, target)) return "a device is sent what its sender does not have, or what it does not need";
    elements += volume(sent.box);
  }
  if (elements != after_.elements(target)) return "a device is not sent all elements of its tile once";
  if (sent_.size() > 1 && !after_.extents.empty() && overlap()) return "a device is sent an element twice";
  return std::nullopt;
}

// Between each bound and the next a round moves its part.
std::int64_t CopyPrices::elements_in_round(const Box& box, std::int64_t round, std::int64_t rounds,
                                           std::size_t dimension) const {
  const Interval& side = box[dimension];
  std::int64_t length = 0;
  auto at = std::upper_bound(bounds_.begin(), bounds_.end(), side.begin) - 1;
  for (; at + 1 != bounds_.end() && *at < side.end; ++at) {
    const std::int64_t stretch = *(at + 1) - *at;
    const Interval part{*at + part_begin(stretch, rounds, round), *at + part_begin(stretch, rounds, round + 1)};
    length += common(part, side).length();
  }
  return volume(box) / side.length() * length;
}

Fault CopyPrices::replay(const Senders& senders, const std::vector<Numbers>& received, std::size_t dimension,
                         std::vector<double>& seconds) {
  const auto rounds = static_cast<std::int64_t>(received.size());
  if (!is_exact(rounds)) {
    if (rounds == 1) {
      const std::int64_t element_bytes = bytes_of(after_type_.element());
      const auto exact =
          replicas() == 1 ? seconds_by_tiles(before_, after_, machine_, element_bytes) : std::optional<double>();
      seconds.push_back(exact ? *exact : seconds_from_nearest(before_, after_, machine_, element_bytes, peers()));
      return std::nullopt;
    }
    for (const Numbers& of_round : received) seconds.push_back(simplified(of_round));
    return std::nullopt;
  }
  if (rounds > 1) {
    for (const Holdings* standing : {&before_.standing, &after_}) {
      for (const Interval& tile : standing->tile[dimension]) bounds_.insert(bounds_.end(), {tile.begin, tile.end});
    }
    base::keep_one_of_each(bounds_);
  }
  std::vector<SlotPrice> slots(received.size(), SlotPrice(machine_));
  const std::int64_t element_bytes = bytes_of(after_type_.element());
  std::int64_t target = 0;
  Fault fault;
  const auto end_target = [&] {
    base::look_for_stop();
    if (!fault) fault = check_target(target);
    sent_.clear();
    ++target;
  };
  senders(before_.type, after_type_, [&](std::int32_t from, std::int32_t to, const Box& box) {
    const std::int64_t number = after_.number_of(to);
    while (target < number) end_target();
    if (fault || number < target) {
      if (!fault) fault = "its sends are not in order";
      return;
    }
    sent_.push_back({before_.standing.number_of(from), box});
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::int64_t elements = rounds == 1 ? volume(box) : elements_in_round(box, round, rounds, dimension);
      slots[static_cast<std::size_t>(round)].add(from, to, elements * element_bytes);
    }
  });
  while (target < after_.devices()) end_target();
  if (fault) return fault;
  for (SlotPrice& slot : slots) seconds.push_back(slot.seconds());
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
