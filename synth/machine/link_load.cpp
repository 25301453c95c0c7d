#include "synth/machine/link_load.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "synth/collective/direct_reduction.hpp"
#include "synth/collective/programmed.hpp"
#include "synth/collective/rounds.hpp"
#include "synth/collective/routing.hpp"
#include "synth/collective/tile_exchange.hpp"
#include "synth/machine/even_traffic.hpp"
#include "synth/machine/machine.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

// Bytes over every link of a machine, each way.
class LinkBytes {
 public:
  explicit LinkBytes(const Cluster& cluster) : cluster_(cluster), in_(cluster.links(), 0), out_(cluster.links(), 0) {}

  void add(std::int32_t from, std::int32_t to, std::int64_t bytes) {
    if (from == to) return;
    received_ += bytes;
    for (std::size_t level = cluster_.parting(from, to); level < cluster_.levels().size(); ++level) {
      out_[cluster_.link(level, from)] += bytes;
      in_[cluster_.link(level, to)] += bytes;
    }
  }

  // All messages of a direct reduction in a group.
  void add(const DirectGroup& group, std::int64_t element_bytes) {
    for (const DirectGroup::Member& member : group.members())
      received_ += group.received(1, member.added) * element_bytes;
    for (std::size_t level = 0; level < cluster_.levels().size(); ++level) {
      const auto link = [&](std::int32_t device) { return cluster_.link(level, device); };
      group.walk_units(link, [&](std::size_t here, std::int64_t sent, std::int64_t received) {
        out_[here] += sent * element_bytes;
        in_[here] += received * element_bytes;
      });
    }
  }

  void add(const TileExchange& exchange, std::int64_t element_bytes) {
    for (std::size_t device = 0; device < exchange.devices(); ++device)
      received_ += exchange.device(device).received * element_bytes;
    for (std::size_t link = 0; link < exchange.links().size(); ++link) {
      out_[link] += exchange.links()[link].sent * element_bytes;
      in_[link] += exchange.links()[link].received * element_bytes;
    }
  }

  // Bytes that go out are dealt evenly over the links of the units that hold something, as the price takes it.
  void add(const NearestExchange& exchange, std::int64_t element_bytes) {
    for (std::size_t l = 0; l < cluster_.levels().size(); ++l) {
      const Cluster::Level& level = cluster_.levels()[l];
      if (!exchange.is_known(l)) continue;
      std::int64_t total = 0;
      std::int64_t holders = 0;
      for (std::size_t link = level.first_link; link < level.first_link + level.units; ++link) {
        total += exchange.received()[link] * element_bytes;
        holders += exchange.has_source(link) ? 1 : 0;
        in_[link] += exchange.received()[link] * element_bytes;
      }
      for (std::size_t link = level.first_link; link < level.first_link + level.units; ++link)
        out_[link] += exchange.has_source(link) ? total / holders : 0;
      if (l + 1 == cluster_.levels().size()) received_ += total;
    }
  }

  SlotLoad load() const {
    SlotLoad load{received_, {}};
    for (std::size_t level = 0; level < cluster_.levels().size(); ++level) {
      const LinkLoad busiest = busiest_of(level);
      if (busiest.seconds > 0) load.links.push_back(busiest);
    }
    return load;
  }

 private:
  LinkLoad busiest_of(std::size_t level) const {
    const Cluster::Level& here = cluster_.levels()[level];
    LinkLoad busiest{level, 0, true, 0};
    for (const bool out : {true, false}) {
      const std::vector<std::int64_t>& bytes = out ? out_ : in_;
      for (std::size_t unit = 0; unit < here.units; ++unit) {
        const double seconds = static_cast<double>(bytes[here.first_link + unit]) / here.bandwidth_of(unit);
        if (seconds > busiest.seconds) busiest = {level, static_cast<std::int64_t>(unit), out, seconds};
      }
    }
    return busiest;
  }

  const Cluster& cluster_;
  std::vector<std::int64_t> in_;
  std::vector<std::int64_t> out_;
  std::int64_t received_ = 0;
};

std::int32_t run_device(const ArrayType& type, std::int32_t number) {
  return static_cast<std::int32_t>(type.mesh().device_of_run(number).value);
}

StepLoads in_one_slot(const LinkBytes& bytes, std::int64_t hops) { return {hops, 1, {bytes.load()}, bytes.load(), {}}; }

StepLoads of_copies(const Machine& machine, const Cluster& cluster, const Collective& step, const ArrayType& before,
                    const ArrayType& after) {
  LinkBytes bytes(cluster);
  const std::int64_t element_bytes = bytes_of(after.element());
  if (const Round* round = round_of(step)) {
    for (const BoxCopy& copy : copies_of_round(machine, before, after, *round))
      bytes.add(run_device(before, copy.source), run_device(after, copy.target), elements(copy.box) * element_bytes);
    return in_one_slot(bytes, 1);
  }
  if (const auto exchange = TileExchange::of(cluster, before, after)) {
    bytes.add(*exchange, element_bytes);
    return in_one_slot(bytes, 1);
  }
  if (std::max(before.devices(), after.devices()) > kExactDevicesMax) {
    const NearestExchange nearest(cluster, before, after);
    if (nearest.messages_at_most() > static_cast<double>(kExactMessagesMax)) {
      bytes.add(nearest, element_bytes);
      return in_one_slot(bytes, 1);
    }
  }
  const Routing routing(before, after, nullptr, sender_rule(cluster));
  for (std::int32_t target = 0; target < routing.devices(); ++target) {
    routing.count_target(target, [&](std::int32_t from, std::int32_t to, std::int64_t count) {
      bytes.add(from, to, count * element_bytes);
    });
  }
  return in_one_slot(bytes, 1);
}

StepLoads of_reduction(const Cluster& cluster, const Collective& step, const ArrayType& before,
                       const ArrayType& after) {
  LinkBytes bytes(cluster);
  const DirectGroups groups(kind_of(step), before, after);
  for (std::size_t g = 0; g < groups.count(); ++g) bytes.add(groups[g], bytes_of(after.element()));
  return in_one_slot(bytes, DirectReduction(kind_of(step), 1).hops());
}

// The messages of one hop.
class HopMessages {
 public:
  explicit HopMessages(const Cluster& cluster) : bytes_(cluster) {}

  void add(std::int32_t from, std::int32_t to, std::int64_t bytes) {
    if (from == to || bytes == 0) return;
    bytes_.add(from, to, bytes);
    received_[to][from] += bytes;
  }

  HopLoad load(std::string step) const {
    HopLoad load;
    load.step = std::move(step);
    load.load = bytes_.load();
    load.receivers = std::ssize(received_);
    bool is_first = true;
    for (const auto& [to, from] : received_) {
      std::int64_t bytes = 0;
      for (const auto& [source, sent] : from) bytes += sent;
      const auto senders = std::ssize(from);
      load.received_bytes_max = std::max(load.received_bytes_max, bytes);
      load.senders_max = std::max(load.senders_max, senders);
      load.received_bytes_min = is_first ? bytes : std::min(load.received_bytes_min, bytes);
      load.senders_min = is_first ? senders : std::min(load.senders_min, senders);
      is_first = false;
    }
    if (is_first) return load;
    load.receiver = received_.begin()->first;
    for (const auto& [source, sent] : received_.begin()->second) load.senders.push_back(source);
    return load;
  }

 private:
  LinkBytes bytes_;
  std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> received_;  // by receiver, then sender
};

// The text of the step that each hop of a program belongs to.
std::vector<std::string> steps_of_hops(const Mesh& mesh, const ReduceProgram& program) {
  std::vector<std::string> texts;
  for (const ReduceStep& step : program.steps) {
    const ReduceProgram alone{{step}, 1};
    texts.insert(texts.end(), static_cast<std::size_t>(hop_slots(alone)), print(mesh, alone));
  }
  return texts;
}

StepLoads of_relay(const Cluster& cluster, const Collective& step, const ArrayType& before, const ArrayType& after) {
  StepLoads loads;
  const auto transfer = transfer_of(relay_tasks(before, after), *relay_of(step));
  if (!transfer) return loads;  // of a plan that does not verify
  loads.hops = transfer->hops;
  loads.stretches = transfer->stretches;
  std::vector<LinkBytes> slots(static_cast<std::size_t>(transfer->slots()), LinkBytes(cluster));
  LinkBytes all(cluster);
  std::vector<HopMessages> hops(static_cast<std::size_t>(transfer->hops), HopMessages(cluster));
  for (const Send& send : transfer->sends) {
    const Box& piece = transfer->pieces[static_cast<std::size_t>(send.piece)];
    hops[static_cast<std::size_t>(send.hop)].add(send.from, send.to, elements(piece) * bytes_of(after.element()));
    for (std::int64_t stretch = 0; stretch < transfer->stretches; ++stretch) {
      const std::int64_t bytes = elements(stretch_of(piece, transfer->stretches, stretch)) * bytes_of(after.element());
      slots[static_cast<std::size_t>(stretch + send.hop)].add(send.from, send.to, bytes);
      all.add(send.from, send.to, bytes);
    }
  }
  for (const LinkBytes& slot : slots) loads.slots.push_back(slot.load());
  for (const HopMessages& hop : hops) loads.each_hop.push_back(hop.load(""));
  loads.all = all.load();
  return loads;
}

// The elements of a move in each stretch. Chunks have few lengths: each is cut once.
std::vector<std::int64_t> elements_of_stretches(const ProgrammedReduction& reduction, std::size_t group,
                                                const ReduceMove& move, std::int64_t stretches) {
  std::map<std::int64_t, std::int64_t> chunks;  // of each length
  for (const std::int32_t chunk : move.chunks) ++chunks[reduction.chunk_elements(group, chunk)];
  std::vector<std::int64_t> elements(static_cast<std::size_t>(stretches), 0);
  for (const auto& [length, count] : chunks) {
    for (std::int64_t stretch = 0; stretch < stretches; ++stretch)
      elements[static_cast<std::size_t>(stretch)] += count * share(length, stretches, stretch).length();
  }
  return elements;
}

StepLoads of_wide(const Machine& machine, const EvenSum& sum, const ArrayType& after) {
  StepLoads loads = EvenTraffic(machine, sum, after).loads();
  const std::vector<std::string> steps = steps_of_hops(after.mesh(), sum.steps());
  TESSERA_CHECK(steps.size() == loads.each_hop.size(), "a program of other hops than its steps have");
  for (std::size_t hop = 0; hop < steps.size(); ++hop) loads.each_hop[hop].step = steps[hop];
  return loads;
}

StepLoads of_program(const Cluster& cluster, const ProgrammedReduction& reduction, const ReduceProgram& program,
                     const ArrayType& after) {
  const std::int64_t element_bytes = bytes_of(after.element());
  const ReduceMoves& moves = reduction.moves();
  std::vector<HopMessages> hops(static_cast<std::size_t>(moves.hop_slots), HopMessages(cluster));
  StepLoads loads{moves.hop_slots, moves.stretches, {}, {}, {}};
  std::vector<LinkBytes> slots(static_cast<std::size_t>(moves.slots()), LinkBytes(cluster));
  LinkBytes all(cluster);
  for (std::size_t group = 0; group < reduction.groups(); ++group) {
    for (const ProgramHop& hop : reduction.moves(group).hops) {
      for (const ReduceMove& move : hop.moves) {
        const std::int32_t target = run_device(after, reduction.device(group, move.to));
        const std::vector<std::int64_t> elements = elements_of_stretches(reduction, group, move, moves.stretches);
        const std::int64_t total = std::accumulate(elements.begin(), elements.end(), std::int64_t{0});
        for (const ReduceMove::From& from : move.from) {
          const std::int32_t source = run_device(after, reduction.device(group, from.member));
          hops[static_cast<std::size_t>(hop.slot)].add(source, target, total * element_bytes);
          all.add(source, target, total * element_bytes);
          for (std::size_t stretch = 0; stretch < elements.size(); ++stretch)
            slots[static_cast<std::size_t>(hop.slot) + stretch].add(source, target, elements[stretch] * element_bytes);
        }
      }
    }
  }
  const std::vector<std::string> steps = steps_of_hops(after.mesh(), program);
  TESSERA_CHECK(steps.size() == hops.size(), "a program of other hops than its steps have");
  for (std::size_t hop = 0; hop < hops.size(); ++hop) loads.each_hop.push_back(hops[hop].load(steps[hop]));
  for (const LinkBytes& slot : slots) loads.slots.push_back(slot.load());
  loads.all = all.load();
  return loads;
}

}  // namespace

StepLoads loads_of(const Machine& machine, const Collective& step, const ArrayType& before, const ArrayType& after) {
  const Cluster cluster(machine);
  switch (movement(step)) {
    case Movement::none: return {};
    case Movement::copies:
      return relay_of(step) != nullptr ? of_relay(cluster, step, before, after)
                                       : of_copies(machine, cluster, step, before, after);
    case Movement::sums: {
      if (const auto wide = EvenSum::of(step, before, after)) return of_wide(machine, *wide, after);
      const auto programmed = ProgrammedReduction::of(step, before, after);
      return programmed ? of_program(cluster, *programmed, *program_of(step), after)
                        : of_reduction(cluster, step, before, after);
    }
  }
  return {};
}

}  // namespace tessera::synth
