#include "synth/moves/prices/link_load.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/collective/rounds.hpp"
#include "synth/moves/prices/even_traffic.hpp"
#include "synth/moves/prices/traffic.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

StepLoads in_one_slot(const Traffic& traffic, std::int64_t hops) {
  return {hops, 1, {traffic.load()}, traffic.load(), {}};
}

StepLoads of_round(const RunMachine& machine, const Cluster& cluster, const Round& round, const ArrayType& before,
                   const ArrayType& after) {
  Traffic traffic(cluster);
  for (const BoxCopy& copy : copies_of_round(machine, before, after, round))
    traffic.add(before.mesh().run_device(copy.source), after.mesh().run_device(copy.target),
                elements(copy.box) * bytes_of(after.element()));
  return in_one_slot(traffic, 1);
}

StepLoads of_copies(const Cluster& cluster, const ArrayType& before, const ArrayType& after) {
  const Counted counted = count_copies(cluster, before, after);
  if (const auto* traffic = std::get_if<Traffic>(&counted)) return in_one_slot(*traffic, 1);
  Traffic traffic(cluster);
  traffic.add(cluster, std::get<NearestExchange>(counted), bytes_of(after.element()));
  return in_one_slot(traffic, 1);
}

StepLoads of_reduction(const Cluster& cluster, CollectiveKind kind, const ArrayType& before, const ArrayType& after) {
  return in_one_slot(count_sum(cluster, kind, before, after), DirectReduction(kind, 1).hops());
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
  Traffic bytes_;
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
  std::vector<Traffic> slots(static_cast<std::size_t>(transfer->slots()), Traffic(cluster));
  Traffic all(cluster);
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
  for (const Traffic& slot : slots) loads.slots.push_back(slot.load());
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

StepLoads of_wide(const RunMachine& machine, const EvenSum& sum, const ArrayType& after) {
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
  std::vector<Traffic> slots(static_cast<std::size_t>(moves.slots()), Traffic(cluster));
  Traffic all(cluster);
  for (std::size_t group = 0; group < reduction.groups(); ++group) {
    for (const ProgramHop& hop : reduction.moves(group).hops) {
      for (const ReduceMove& move : hop.moves) {
        const std::int32_t target = after.mesh().run_device(reduction.device(group, move.to));
        const std::vector<std::int64_t> elements = elements_of_stretches(reduction, group, move, moves.stretches);
        const std::int64_t total = std::accumulate(elements.begin(), elements.end(), std::int64_t{0});
        for (const ReduceMove::From& from : move.from) {
          const std::int32_t source = after.mesh().run_device(reduction.device(group, from.member));
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
  for (const Traffic& slot : slots) loads.slots.push_back(slot.load());
  loads.all = all.load();
  return loads;
}

}  // namespace

StepLoads loads_of(const RunMachine& machine, const Collective& step, const ArrayType& before, const ArrayType& after) {
  const Cluster cluster(machine);
  switch (movement(step)) {
    case Movement::none: return {};
    case Movement::copies:
      if (relay_of(step) != nullptr) return of_relay(cluster, step, before, after);
      if (const Round* round = round_of(step)) return of_round(machine, cluster, *round, before, after);
      return of_copies(cluster, before, after);
    case Movement::sums: {
      if (const auto wide = EvenSum::of(step, before, after)) return of_wide(machine, *wide, after);
      const auto programmed = ProgrammedReduction::of(step, before, after);
      return programmed ? of_program(cluster, *programmed, *program_of(step), after)
                        : of_reduction(cluster, kind_of(step), before, after);
    }
  }
  return {};
}

}  // namespace tessera::synth
