#include "synth/moves/prices/even_traffic.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/moves/reduce/levels.hpp"
#include "synth/moves/transfer/slot_prices.hpp"

namespace tessera::synth {

namespace {

// Do the digits of every hop begin and end where levels do, and primes lie in one level each?
bool all_lie_alike(const RunMachine& machine, const Cluster& cluster, const Mesh& mesh, const ReduceProgram& program) {
  const auto matrix = fills_units(cluster, mesh) ? matrix_on(mesh, machine) : std::nullopt;
  if (!matrix) return false;
  return std::all_of(program.steps.begin(), program.steps.end(), [&](const ReduceStep& step) {
    if (step.form == ReduceForm::direct) return reduce_levels(*matrix, step.axes).has_value();
    return std::all_of(step.axes.begin(), step.axes.end(), [&](const AxisPart& part) {
      const auto levels = reduce_levels(*matrix, {part});
      return levels && levels->size() == 1;
    });
  });
}

}  // namespace

EvenTraffic::EvenTraffic(const RunMachine& machine, const EvenSum& sum, const ArrayType& after)
    : cluster_(machine),
      sum_(sum),
      mesh_(after.mesh_ref()),
      element_bytes_(bytes_of(after.element())),
      stretches_(sum.program().stretches),
      offsets_(place_offsets(*mesh_, sum.reduced())),
      is_alike_(all_lie_alike(machine, cluster_, *mesh_, sum.steps())) {
  for (std::size_t l = 0; l < cluster_.levels().size(); ++l) {
    const Cluster::Level& level = cluster_.levels()[l];
    std::size_t slowest = 0;
    for (std::size_t unit = 0; unit < level.units; ++unit) {
      if (level.bandwidth_of(unit) < level.bandwidth_of(slowest)) slowest = unit;
      if (!is_alike_) links_.push_back({l, static_cast<std::int64_t>(unit), 1 / level.bandwidth_of(unit)});
    }
    if (is_alike_) links_.push_back({l, static_cast<std::int64_t>(slowest), 1 / level.bandwidth_of(slowest)});
  }
  slots_.resize(static_cast<std::size_t>(sum_.program().hop_slots));
  for (const EvenHop& hop : sum_.program().hops) {
    Slot& slot = slots_[static_cast<std::size_t>(hop.slot)];
    slot.bytes.resize(links_.size(), 0);
    slot.peers = hop.talkers - 1;
    slot.digits = hop.digits;
    slot.received += (hop.talkers - 1) * sum_.message_elements(hop) * element_bytes_;
    is_alike_ ? add_alike(hop, slot) : add_all(hop, slot);
  }
  for (const std::int64_t received : sum_.received_elements()) {
    bytes_.received_bytes_total += received * element_bytes_;
    bytes_.received_bytes_max = std::max(bytes_.received_bytes_max, received * element_bytes_);
  }
  for (const Slot& slot : slots_) bytes_.peers += slot.peers * stretches_;
}

void EvenTraffic::add_alike(const EvenHop& hop, Slot& slot) const {
  const std::int64_t message = sum_.message_elements(hop) * element_bytes_;
  const std::int64_t own = device(0);
  const std::vector<std::int32_t> talkers = others_along(hop.digits, 0);
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Cluster::Level& level = cluster_.levels()[l];
    const auto outside = std::count_if(talkers.begin(), talkers.end(), [&](std::int32_t member) {
      return device(offsets_[static_cast<std::size_t>(member)]) / level.unit_devices != own / level.unit_devices;
    });
    if (outside == 0 || message == 0) continue;
    slot.bytes[l] += std::min(level.unit_devices, mesh_->devices()) * outside * message;
    slot.delay = std::max(slot.delay, level.delay());
  }
}

void EvenTraffic::add_all(const EvenHop& hop, Slot& slot) const {
  const std::int64_t message = sum_.message_elements(hop) * element_bytes_;
  if (message == 0) return;
  const std::vector<std::int32_t> positions = tessera::synth::positions(*mesh_, sum_.reduced());
  for (std::int64_t number = 0; number < mesh_->devices(); ++number) {
    const std::int32_t position = positions[static_cast<std::size_t>(number)];
    if (place_of(hop.digits, position) != 0) continue;
    base::look_for_stop();
    const std::int64_t first = mesh_->place(number) - offsets_[static_cast<std::size_t>(position)];
    std::vector<std::int64_t> talkers;
    for (const std::int32_t member : others_along(hop.digits, position))
      talkers.push_back(device(first + offsets_[static_cast<std::size_t>(member)]));
    for (const Cluster::Level& level : cluster_.levels()) {
      std::map<std::int64_t, std::int64_t> in_unit;
      for (const std::int64_t talker : talkers) ++in_unit[talker / level.unit_devices];
      if (in_unit.size() == 1) continue;
      slot.delay = std::max(slot.delay, level.delay());
      for (const auto& [unit, inside] : in_unit) {
        slot.bytes[level.first_link + static_cast<std::size_t>(unit)] +=
            inside * (std::ssize(talkers) - inside) * message;
      }
    }
  }
}

StepCost EvenTraffic::cost() const {
  StepCost cost = bytes_;
  std::vector<double> seconds_per_byte;
  for (const Link& link : links_) seconds_per_byte.push_back(link.seconds_per_byte);
  std::vector<SlotBytes> slots;
  for (const Slot& slot : slots_) slots.push_back({slot.delay.of(static_cast<double>(slot.peers)), &slot.bytes});
  cost.seconds = SlotPrices(seconds_per_byte, slots).seconds(stretches_);
  return cost;
}

// `part` of the bytes of slots begin to end - 1.
SlotLoad EvenTraffic::load(std::int64_t begin, std::int64_t end, double part) const {
  SlotLoad load;
  std::vector<LinkLoad> busiest;
  for (std::size_t l = 0; l < cluster_.levels().size(); ++l) busiest.push_back({l, 0, true, 0});
  for (std::size_t l = 0; l < links_.size(); ++l) {
    std::int64_t bytes = 0;
    for (std::int64_t i = begin; i < end; ++i) bytes += slots_[static_cast<std::size_t>(i)].bytes[l];
    const double seconds = static_cast<double>(bytes) * links_[l].seconds_per_byte * part;
    LinkLoad& known = busiest[links_[l].level];
    if (seconds > known.seconds) known = {links_[l].level, links_[l].unit, true, seconds};
  }
  for (const LinkLoad& link : busiest) {
    if (link.seconds > 0) load.links.push_back(link);
  }
  double received = 0;
  for (std::int64_t i = begin; i < end; ++i)
    received += static_cast<double>(slots_[static_cast<std::size_t>(i)].received);
  load.received_bytes = static_cast<std::int64_t>(received * part * static_cast<double>(mesh_->devices()));
  return load;
}

StepLoads EvenTraffic::loads() const {
  const auto count = std::ssize(slots_);
  StepLoads loads{count, stretches_, {}, load(0, count, 1), {}};
  for (std::int64_t t = 0; t < stretches_ + count - 1; ++t) {
    loads.slots.push_back(load(std::max<std::int64_t>(0, t - stretches_ + 1), std::min(count, t + 1),
                               1 / static_cast<double>(stretches_)));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const Slot& slot = slots_[static_cast<std::size_t>(i)];
    HopLoad hop;
    hop.load = load(i, i + 1, 1);
    hop.receivers = slot.received > 0 ? mesh_->devices() : 0;
    hop.received_bytes_min = hop.received_bytes_max = slot.received;
    hop.senders_min = hop.senders_max = slot.received > 0 ? slot.peers : 0;
    hop.receiver = static_cast<std::int32_t>(device(0));
    for (const std::int32_t member : others_along(slot.digits, 0)) {
      if (member != 0 && slot.received > 0)
        hop.senders.push_back(static_cast<std::int32_t>(device(offsets_[static_cast<std::size_t>(member)])));
    }
    std::sort(hop.senders.begin(), hop.senders.end());
    loads.each_hop.push_back(std::move(hop));
  }
  return loads;
}

}  // namespace tessera::synth
