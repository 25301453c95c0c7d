#include "synth/machine/link_load.hpp"

#include <algorithm>

#include "synth/collective/direct_reduction.hpp"
#include "synth/collective/programmed.hpp"
#include "synth/collective/rounds.hpp"
#include "synth/machine/machine.hpp"

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

StepLoads in_one_slot(const LinkBytes& bytes, std::int64_t hops) { return {hops, 1, {bytes.load()}, bytes.load()}; }

StepLoads of_copies(const Machine& machine, const Cluster& cluster, const Collective& step, const ArrayType& before,
                    const ArrayType& after) {
  LinkBytes bytes(cluster);
  for (const BoxCopy& copy :
       step.round ? copies_of_round(machine, before, after, *step.round) : copies(machine, before, after))
    bytes.add(run_device(before, copy.source), run_device(after, copy.target),
              elements(copy.box) * bytes_of(after.element()));
  return in_one_slot(bytes, 1);
}

StepLoads of_reduction(const Cluster& cluster, const Collective& step, const ArrayType& before,
                       const ArrayType& after) {
  LinkBytes bytes(cluster);
  std::int64_t hops = 1;
  for (const BoxReduction& reduction : reductions(before, after)) {
    const DirectReduction direct(step.kind, std::ssize(*reduction.contributors));
    hops = direct.hops();
    const std::int64_t box = elements(reduction.box);
    for (std::size_t sender = 0; sender < reduction.contributors->size(); ++sender) {
      const std::int64_t sent =
          direct.sent(box, static_cast<std::int64_t>(reduction.position), static_cast<std::int64_t>(sender));
      bytes.add(run_device(before, (*reduction.contributors)[sender]), run_device(after, reduction.target),
                sent * bytes_of(after.element()));
    }
  }
  return in_one_slot(bytes, hops);
}

StepLoads of_relay(const Cluster& cluster, const Collective& step, const ArrayType& before, const ArrayType& after) {
  StepLoads loads;
  const auto transfer = transfer_of(relay_tasks(before, after), *step.relay);
  if (!transfer) return loads;  // of a plan that does not verify
  loads.hops = transfer->hops;
  loads.stretches = transfer->stretches;
  std::vector<LinkBytes> slots(static_cast<std::size_t>(transfer->slots()), LinkBytes(cluster));
  LinkBytes all(cluster);
  for (const Send& send : transfer->sends) {
    const Box& piece = transfer->pieces[static_cast<std::size_t>(send.piece)];
    for (std::int64_t stretch = 0; stretch < transfer->stretches; ++stretch) {
      const std::int64_t bytes = elements(stretch_of(piece, transfer->stretches, stretch)) * bytes_of(after.element());
      slots[static_cast<std::size_t>(stretch + send.hop)].add(send.from, send.to, bytes);
      all.add(send.from, send.to, bytes);
    }
  }
  for (const LinkBytes& slot : slots) loads.slots.push_back(slot.load());
  loads.all = all.load();
  return loads;
}

StepLoads of_program(const Cluster& cluster, const ProgrammedReduction& reduction, const ArrayType& after) {
  const std::int64_t element_bytes = bytes_of(after.element());
  const ReduceMoves& moves = reduction.moves();
  StepLoads loads{moves.hop_slots, moves.stretches, {}, {}};
  std::vector<LinkBytes> slots(static_cast<std::size_t>(moves.slots()), LinkBytes(cluster));
  LinkBytes all(cluster);
  for (std::size_t group = 0; group < reduction.groups(); ++group) {
    for (const ProgramHop& hop : reduction.moves(group).hops) {
      for (const ReduceMove& move : hop.moves) {
        for (const std::int32_t chunk : move.chunks) {
          const std::int64_t count = reduction.chunk_elements(group, chunk);
          for (std::int64_t stretch = 0; stretch < moves.stretches; ++stretch) {
            const std::int64_t bytes = share(count, moves.stretches, stretch).length() * element_bytes;
            for (const ReduceMove::From& from : move.from) {
              const std::int32_t source = run_device(after, reduction.device(group, from.member));
              const std::int32_t target = run_device(after, reduction.device(group, move.to));
              slots[static_cast<std::size_t>(hop.slot + stretch)].add(source, target, bytes);
              all.add(source, target, bytes);
            }
          }
        }
      }
    }
  }
  for (const LinkBytes& slot : slots) loads.slots.push_back(slot.load());
  loads.all = all.load();
  return loads;
}

}  // namespace

StepLoads loads_of(const Machine& machine, const Collective& step, const ArrayType& before, const ArrayType& after) {
  const Cluster cluster(machine);
  switch (movement(step.kind)) {
    case Movement::none: return {};
    case Movement::copies:
      return step.relay != nullptr ? of_relay(cluster, step, before, after)
                                   : of_copies(machine, cluster, step, before, after);
    case Movement::sums: {
      const auto programmed = ProgrammedReduction::of(step, before, after);
      return programmed ? of_program(cluster, *programmed, after) : of_reduction(cluster, step, before, after);
    }
  }
  return {};
}

}  // namespace tessera::synth
