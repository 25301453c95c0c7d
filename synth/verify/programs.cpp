#include "synth/verify/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/verify/hop_loads.hpp"
#include "synth/verify/price.hpp"
#include "synth/verify/units.hpp"
#include "synth/verify/wide.hpp"

namespace tessera::synth::verifier {

namespace {

using Sums = std::vector<std::uint64_t>;  // whose contributions, a bit for each position; all zero: not held

// Devices that differ in their places along a step's axes: each with its place, in order of device numbers.
struct Talkers {
  std::vector<std::int64_t> devices;
  Numbers places;
};

AxisList joined(AxisList a, const AxisList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class ProgramReplay {
 public:
  ProgramReplay(const ReductionRequest& request, const RunMachine& machine)
      : request_(request), mesh_(*request.mesh), machine_(machine), members_(product_of_sizes(request.reduced)) {
    position_ = places(mesh_, request.reduced);
    for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
      group_.push_back(outside_of(mesh_, request.reduced, device));
      device_at_[{group_.back(), position_[at(device)]}] = device;
    }
    foreign_.resize(at(mesh_.devices()));
    const auto words = static_cast<std::size_t>((members_ + 63) / 64);
    held_.assign(at(mesh_.devices()), std::vector<Sums>(at(members_), Sums(words, 0)));
    for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
      const std::int64_t own = position_[at(device)];
      for (Sums& chunk : held_[at(device)]) chunk[at(own / 64)] |= std::uint64_t{1} << (own % 64);
    }
  }

  Fault take(const ReduceStep& step, std::vector<HopLoads>& hops) {
    const bool of_one = step.kind == ReduceStepKind::reduce || step.kind == ReduceStepKind::broadcast;
    if (step.form == ReduceForm::ring && of_one) return "in a ring only parts are passed on";
    const AxisList all = joined(step.axes, step.first);
    if (step.axes.empty() || !independent(mesh_, all)) return "its axes are no distinct parts of the mesh";
    if (!are_reduced(all)) return "its axes are not among the reduced ones";
    std::map<std::int64_t, Talkers> groups;
    for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
      if (place_of(mesh_, step.first, device) != 0) continue;
      Talkers& talkers = groups[outside_of(mesh_, step.axes, device)];
      talkers.devices.push_back(device);
      talkers.places.push_back(place_of(mesh_, step.axes, device));
    }
    const std::size_t begin = hops.size();
    for (const auto& [outside, talkers] : groups) {
      if (const Fault fault = check(step.kind, talkers)) return fault;
      load(step, talkers, begin, hops);
      if (step.form == ReduceForm::halving) note_halfway(step, talkers);
      if (step.form == ReduceForm::ring) note_passed(step, talkers);
      apply(step, talkers);
      for (const std::int64_t device : talkers.devices) {
        if (step.kind != ReduceStepKind::broadcast || device != device_in(talkers, 0)) note_foreign(device);
      }
    }
    return std::nullopt;
  }

  // The most that a device has on the way, in elements, that neither of its tiles has a place for.
  std::int64_t beside() const {
    std::int64_t most = makes_aside_ ? *std::max_element(request_.elements.begin(), request_.elements.end()) : 0;
    for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
      std::int64_t elements = 0;
      for (const std::int64_t chunk : foreign_[at(device)]) elements += length(device, chunk);
      most = std::max(most, elements);
    }
    return most;
  }

  Fault check_end() const {
    for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
      for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
        const bool wanted = !request_.scatters || chunk == position_[at(device)];
        if (wanted && !is_whole(sums(device, chunk)))
          return fmt::format("device {} lacks a part of chunk {} in the end", device, chunk);
        if (!wanted && is_held(device, chunk)) return fmt::format("device {} has chunk {} in the end", device, chunk);
      }
    }
    return std::nullopt;
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  Sums& sums(std::int64_t device, std::int64_t chunk) { return held_[at(device)][at(chunk)]; }
  const Sums& sums(std::int64_t device, std::int64_t chunk) const { return held_[at(device)][at(chunk)]; }
  bool is_held(std::int64_t device, std::int64_t chunk) const {
    for (const std::uint64_t word : sums(device, chunk)) {
      if (word != 0) return true;
    }
    return false;
  }
  bool is_whole(const Sums& sums) const {
    std::int64_t contributors = 0;
    for (const std::uint64_t word : sums) contributors += __builtin_popcountll(word);
    return contributors == members_;
  }
  std::int64_t length(std::int64_t of_device, std::int64_t chunk) const {
    if (request_.scatters) return request_.elements[at(device_at_.at({group_[at(of_device)], chunk}))];
    const std::int64_t elements = request_.elements[at(of_device)];
    return part_begin(elements, members_, chunk + 1) - part_begin(elements, members_, chunk);
  }

  // Are all parts parts of the reduced axes?
  bool are_reduced(const AxisList& axes) const {
    return std::all_of(axes.begin(), axes.end(), [&](const AxisPart& part) {
      return std::any_of(request_.reduced.begin(), request_.reduced.end(), [&](const AxisPart& of) {
        return of.axis == part.axis && part.before % of.before == 0 &&
               of.before * of.size % (part.before * part.size) == 0;
      });
    });
  }

  Fault check(ReduceStepKind kind, const Talkers& talkers) const {
    const bool adds =
        kind == ReduceStepKind::all_reduce || kind == ReduceStepKind::reduce_scatter || kind == ReduceStepKind::reduce;
    if (adds) return check_sum(talkers);
    return kind == ReduceStepKind::all_gather ? check_gather(talkers) : check_broadcast(talkers);
  }

  Fault check_sum(const Talkers& talkers) const {
    bool any = false;
    for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
      Sums seen(sums(0, 0).size(), 0);
      const bool first = is_held(talkers.devices[0], chunk);
      any = any || first;
      for (const std::int64_t device : talkers.devices) {
        if (is_held(device, chunk) != first) return "its devices hold different chunks";
        for (std::size_t word = 0; word < seen.size(); ++word) {
          if ((seen[word] & sums(device, chunk)[word]) != 0) return "it would add a contribution twice";
          seen[word] |= sums(device, chunk)[word];
        }
      }
    }
    return any ? Fault() : Fault("its devices hold nothing");
  }

  Fault check_gather(const Talkers& talkers) const {
    std::set<std::int64_t> counts;
    for (const std::int64_t device : talkers.devices) {
      std::int64_t count = 0;
      for (std::int64_t chunk = 0; chunk < members_; ++chunk) count += is_held(device, chunk) ? 1 : 0;
      counts.insert(count);
    }
    if (counts.size() != 1 || *counts.begin() == 0) return "its devices do not hold equally many chunks";
    for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
      int holders = 0;
      for (const std::int64_t device : talkers.devices) holders += is_held(device, chunk) ? 1 : 0;
      if (holders > 1) return "its devices hold the same chunk";
    }
    return std::nullopt;
  }

  Fault check_broadcast(const Talkers& talkers) const {
    const std::int64_t first = device_in(talkers, 0);
    bool gives = false;
    for (const std::int64_t device : talkers.devices) {
      for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
        for (std::size_t word = 0; word < sums(0, 0).size(); ++word) {
          if ((sums(device, chunk)[word] & ~sums(first, chunk)[word]) != 0) return "the first lacks what others hold";
          gives = gives || sums(device, chunk)[word] != sums(first, chunk)[word];
        }
      }
    }
    return gives ? Fault() : Fault("the first gives nothing");
  }

  static std::int64_t device_in(const Talkers& talkers, std::int64_t place) {
    for (std::size_t i = 0; i < talkers.devices.size(); ++i) {
      if (talkers.places[i] == place) return talkers.devices[i];
    }
    return talkers.devices[0];
  }

  // The place along a step's axes of the device that a chunk belongs to.
  std::int64_t place_of_chunk(const AxisList& axes, std::int64_t of_device, std::int64_t chunk) const {
    return place_of(mesh_, axes, device_at_.at({group_[at(of_device)], chunk}));
  }

  // Chunks that are not the device's own, and that it holds now.
  void note_foreign(std::int64_t device) {
    for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
      if (request_.scatters && chunk != position_[at(device)] && is_held(device, chunk))
        foreign_[at(device)].insert(chunk);
    }
  }

  // Notes the elements that devices hold after the first hop of a sum by halving: the innermost digit, not the last.
  void note_halfway(const ReduceStep& step, const Talkers& talkers) {
    makes_aside_ = makes_aside_ || step.kind == ReduceStepKind::all_reduce;
    const GroupDigits digits = digits_of(step.axes, talkers);
    const std::size_t last = digits.primes - 1;
    for (std::size_t i = 0; i < talkers.devices.size(); ++i) {
      const std::int64_t device = talkers.devices[i];
      if (step.kind == ReduceStepKind::reduce && digits.of[i][last] == 0) note_foreign(device);
      if (step.kind != ReduceStepKind::reduce_scatter || !request_.scatters) continue;
      for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
        const std::int64_t owner = place_of_chunk(step.axes, device, chunk);
        const auto index = static_cast<std::size_t>(std::find(talkers.places.begin(), talkers.places.end(), owner) -
                                                    talkers.places.begin());
        const bool stays = digits.of[index][last] == digits.of[i][last];
        if (stays && chunk != position_[at(device)] && is_held(device, chunk)) foreign_[at(device)].insert(chunk);
      }
    }
  }

  // In a ring a device adds to all chunks but those that belong to the one before it, which start from itself.
  void note_passed(const ReduceStep& step, const Talkers& talkers) {
    if (step.kind != ReduceStepKind::reduce_scatter || !request_.scatters) return;
    const auto count = std::ssize(talkers.devices);
    for (std::size_t i = 0; i < talkers.devices.size(); ++i) {
      const std::int64_t device = talkers.devices[i];
      for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
        const bool starts = (place_of_chunk(step.axes, device, chunk) + 1) % count == talkers.places[i];
        if (!starts && chunk != position_[at(device)] && is_held(device, chunk)) foreign_[at(device)].insert(chunk);
      }
    }
  }

  // Counts the elements that the group's devices hold, by the place that each chunk belongs to.
  void load(const ReduceStep& step, const Talkers& talkers, std::size_t begin, std::vector<HopLoads>& hops) {
    GroupLoads loads{step.kind, {}, {}, {}, 0};
    for (const std::int64_t device : talkers.devices) loads.devices.push_back(mesh_.device_of_run(device).value);
    std::vector<std::size_t> index_of_place(talkers.devices.size());
    for (std::size_t i = 0; i < talkers.devices.size(); ++i) index_of_place[at(talkers.places[i])] = i;
    loads.first = index_of_place[0];
    for (const std::int64_t device : talkers.devices) {
      Numbers& by_owner = loads.held.emplace_back(talkers.devices.size(), 0);
      std::int64_t& all = loads.all.emplace_back(0);
      for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
        if (!is_held(device, chunk)) continue;
        by_owner[index_of_place[at(place_of_chunk(step.axes, device, chunk))]] += length(device, chunk);
        all += length(device, chunk);
      }
    }
    switch (step.form) {
      case ReduceForm::direct: return load_direct(loads, devices_of(machine_), machine_, begin, hops);
      case ReduceForm::halving:
        return load_halving(loads, digits_of(step.axes, talkers), devices_of(machine_), machine_, begin, hops);
      case ReduceForm::ring: return load_ring(loads, index_of_place, devices_of(machine_), machine_, begin, hops);
      case ReduceForm::units: return;  // alone, and replayed apart
    }
  }

  GroupDigits digits_of(const AxisList& axes, const Talkers& talkers) const {
    GroupDigits digits{0, std::vector<Numbers>(talkers.devices.size())};
    for (const AxisPart& part : axes) {
      std::int64_t rest = part.size;
      for (std::int64_t prime = 2; rest > 1; ++prime) {
        for (; rest % prime == 0; ++digits.primes) {
          rest /= prime;
          for (std::size_t i = 0; i < talkers.devices.size(); ++i)
            digits.of[i].push_back(place_of(mesh_, {part}, talkers.devices[i]) / rest % prime);
        }
      }
    }
    return digits;
  }

  void apply(const ReduceStep& step, const Talkers& talkers) {
    const std::int64_t first = device_in(talkers, 0);
    for (std::int64_t chunk = 0; chunk < members_; ++chunk) {
      Sums together(sums(0, 0).size(), 0);
      for (const std::int64_t device : talkers.devices) {
        if (step.kind == ReduceStepKind::broadcast && device != first) continue;
        for (std::size_t word = 0; word < together.size(); ++word) together[word] |= sums(device, chunk)[word];
      }
      const std::int64_t owner = place_of_chunk(step.axes, first, chunk);
      for (std::size_t i = 0; i < talkers.devices.size(); ++i) {
        const bool loses = (step.kind == ReduceStepKind::reduce && talkers.devices[i] != first) ||
                           (step.kind == ReduceStepKind::reduce_scatter && talkers.places[i] != owner);
        sums(talkers.devices[i], chunk) = loses ? Sums(together.size(), 0) : together;
      }
    }
  }

  const ReductionRequest& request_;
  const Mesh& mesh_;
  const RunMachine& machine_;
  std::int64_t members_;
  Numbers position_;  // along the reduced axes
  Numbers group_;     // a number that the members of a group share
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> device_at_;  // by group and position
  std::vector<std::vector<Sums>> held_;                                      // by device and chunk
  std::vector<std::set<std::int64_t>> foreign_;                              // of every device
  bool makes_aside_ = false;
};

}  // namespace

namespace {

Fault replay_steps(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                   std::vector<HopLoads>& hops, std::int64_t& beside) {
  ProgramReplay replay(request, machine);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    base::look_for_stop();
    if (const Fault fault = replay.take(program.steps[i], hops)) return fmt::format("step {}: {}", i + 1, *fault);
  }
  beside = replay.beside();
  return replay.check_end();
}

}  // namespace

Fault replay_program(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                     ProgramFigures& figures) {
  if (program.stretches < 1) return "it has no stretches";
  std::vector<HopLoads> hops;
  std::int64_t beside = 0;
  if (is_wide(request.mesh->devices(), product_of_sizes(request.reduced)))
    return replay_wide(request, program, machine, figures);
  const auto replay = is_by_units(program) ? replay_units : replay_steps;
  if (const Fault fault = replay(request, program, machine, hops, beside)) return fault;
  figures.hops = static_cast<std::int64_t>(hops.size());
  Numbers received(static_cast<std::size_t>(devices_of(machine)), 0);  // by device of the run
  for (const HopLoads& hop : hops) hop.add_received(received, request.element_bytes);
  figures.received_bytes.clear();
  for (std::int64_t device = 0; device < request.mesh->devices(); ++device)
    figures.received_bytes.push_back(received[request.mesh->device_of_run(device).value]);
  figures.beside_bytes = beside * request.element_bytes;
  figures.seconds = seconds_of_slots(hops, program.stretches, request.element_bytes);
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
