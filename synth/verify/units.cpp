#include "synth/verify/units.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// A group's devices of the run, by position, and which of them lie in one unit.
class UnitGroup {
 public:
  UnitGroup(std::vector<std::int64_t> devices, std::int64_t unit_devices) : devices_(std::move(devices)) {
    std::map<std::int64_t, std::size_t> known;
    for (std::size_t member = 0; member < devices_.size(); ++member) {
      const auto [unit, is_new] = known.emplace(devices_[member] / unit_devices, units_.size());
      if (is_new) units_.emplace_back();
      unit_of_.push_back(unit->second);
      units_[unit->second].push_back(static_cast<std::int64_t>(member));
    }
  }

  std::int64_t device(std::int64_t member) const { return devices_[at(member)]; }
  std::int64_t size() const { return std::ssize(devices_); }
  std::size_t units() const { return units_.size(); }
  const Numbers& members(std::size_t unit) const { return units_[unit]; }
  std::size_t unit_of(std::int64_t member) const { return unit_of_[at(member)]; }

  // Do rates that a step gives go as far as the units?
  bool has_rates(const ReduceStep& step) const {
    return step.unit_rates.empty() || std::all_of(devices_.begin(), devices_.end(), [&](std::int64_t device) {
             return device / step.unit_devices < std::ssize(step.unit_rates);
           });
  }
  // The rate of every unit; without any given they are alike.
  Numbers rates(const ReduceStep& step) const {
    Numbers rates;
    for (const Numbers& unit : units_)
      rates.push_back(step.unit_rates.empty() ? 1 : step.unit_rates[at(device(unit[0]) / step.unit_devices)]);
    return rates;
  }

 private:
  std::vector<std::int64_t> devices_;
  std::vector<std::size_t> unit_of_;
  std::vector<Numbers> units_;
};

// The share of all sums that each unit makes, as parts of the last entry, to which they add up. With links of rates r a
// unit that makes a w-th carries 1 + (U - 2) w of the payload. The time is the larger of two: that of the fewest bytes
// over all links together, and that of the slowest link with w = 0. Every unit makes what it can in that time.
Numbers parts_of_units(const Numbers& rates) {
  const auto count = std::ssize(rates);
  Numbers parts;
  if (count < 3) {
    parts.assign(rates.size(), 1);
    parts.push_back(count);
    return parts;
  }
  std::int64_t sum = 0;
  std::int64_t slowest = rates[0];
  for (const std::int64_t rate : rates) {
    sum += rate;
    slowest = std::min(slowest, rate);
  }
  // The time as a fraction.
  std::int64_t bytes = 2 * (count - 1);
  std::int64_t over = sum;
  if (bytes * slowest < over) std::tie(bytes, over) = std::pair(std::int64_t{1}, slowest);
  const std::int64_t whole = over * (count - 2);
  std::int64_t made = 0;
  for (const std::int64_t rate : rates) {
    parts.push_back(std::min(bytes * rate - over, whole - made));
    made += parts.back();
  }
  parts.push_back(whole);
  return parts;
}

// Elements that share their way: who collects them in every unit, and which of the units adds up.
struct Stretch {
  std::int64_t elements = 0;
  Numbers collectors;
  std::size_t adder = 0;
  std::int64_t wanted_by = -1;  // by all, if negative
};

// Every member collects an even part of the tile in its unit; what lies between the cuts of all units is added up by
// the units in their parts.
std::vector<Stretch> stretches_of_tile(const UnitGroup& group, std::int64_t elements, const Numbers& parts) {
  std::set<std::int64_t> cuts{elements};
  for (std::size_t unit = 0; unit < group.units(); ++unit) {
    const auto count = std::ssize(group.members(unit));
    for (std::int64_t k = 0; k < count; ++k) cuts.insert(part_begin(elements, count, k));
  }
  std::vector<Stretch> all;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    const std::int64_t length = *std::next(cut) - *cut;
    Stretch stretch;
    for (std::size_t unit = 0; unit < group.units(); ++unit) {
      const Numbers& members = group.members(unit);
      std::int64_t k = std::ssize(members) - 1;
      while (part_begin(elements, std::ssize(members), k) > *cut) --k;
      stretch.collectors.push_back(members[at(k)]);
    }
    std::int64_t before = 0;
    for (std::size_t unit = 0; unit < group.units(); ++unit) {
      const std::int64_t after = before + parts[unit];
      stretch.elements = part_begin(length, parts.back(), after) - part_begin(length, parts.back(), before);
      before = after;
      stretch.adder = unit;
      if (stretch.elements > 0) all.push_back(stretch);
    }
  }
  return all;
}

// A member adds up its own result itself; all other sums are made by the collecting members in turn, by position.
std::vector<Stretch> stretches_of_members(const UnitGroup& group, const Numbers& elements) {
  std::vector<Stretch> all;
  for (std::int64_t member = 0; member < group.size(); ++member) {
    Stretch stretch{elements[at(member)], {}, group.unit_of(member), member};
    for (std::size_t unit = 0; unit < group.units(); ++unit) {
      const Numbers& members = group.members(unit);
      const std::int64_t turn = member * std::ssize(members) / group.size();
      stretch.collectors.push_back(unit == stretch.adder ? member : members[at(turn)]);
    }
    all.push_back(std::move(stretch));
  }
  return all;
}

// A stretch on its way through the slots.
class StretchReplay {
 public:
  StretchReplay(const UnitGroup& group, const Stretch& stretch, std::vector<HopLoads>& hops)
      : group_(group), stretch_(stretch), hops_(hops), has_(at(group.size()), Numbers(at(group.size()), 0)) {
    for (std::int64_t member = 0; member < group.size(); ++member) has_[at(member)][at(member)] = 1;
  }

  void run() {
    for (std::size_t unit = 0; unit < group_.units(); ++unit) {
      for (const std::int64_t member : group_.members(unit)) add(0, member, stretch_.collectors[unit]);
    }
    const std::int64_t adder = stretch_.collectors[stretch_.adder];
    for (const std::int64_t collector : stretch_.collectors) add(1, collector, adder);
    if (stretch_.wanted_by >= 0) return;
    for (const std::int64_t collector : stretch_.collectors) copy(1, adder, collector);
    for (std::size_t unit = 0; unit < group_.units(); ++unit) {
      for (const std::int64_t member : group_.members(unit)) copy(2, stretch_.collectors[unit], member);
    }
  }

  bool is_done() const {
    const auto is_whole = [](const Numbers& counts) {
      return std::all_of(counts.begin(), counts.end(), [](std::int64_t count) { return count == 1; });
    };
    if (stretch_.wanted_by >= 0) return is_whole(has_[at(stretch_.wanted_by)]);
    return std::all_of(has_.begin(), has_.end(), is_whole);
  }

 private:
  void send(std::size_t slot, std::int64_t from, std::int64_t to) {
    hops_[slot].add(group_.device(from), group_.device(to), stretch_.elements);
  }
  void add(std::size_t slot, std::int64_t from, std::int64_t to) {
    if (from == to) return;
    send(slot, from, to);
    for (std::size_t i = 0; i < has_.size(); ++i) has_[at(to)][i] += has_[at(from)][i];
  }
  void copy(std::size_t slot, std::int64_t from, std::int64_t to) {
    if (from == to) return;
    send(slot, from, to);
    has_[at(to)] = has_[at(from)];
  }

  const UnitGroup& group_;
  const Stretch& stretch_;
  std::vector<HopLoads>& hops_;
  std::vector<Numbers> has_;  // of every member, how often it has everybody's contribution
};

// Members that hold sums of others' elements on the way: those of a unit with more than one who collect for other
// units, or for others of their own.
void count_foreign(const UnitGroup& group, const Stretch& stretch, Numbers& foreign) {
  if (stretch.wanted_by < 0) return;
  for (std::size_t unit = 0; unit < group.units(); ++unit) {
    const std::int64_t collector = stretch.collectors[unit];
    if (group.members(unit).size() > 1 && collector != stretch.wanted_by) foreign[at(collector)] += stretch.elements;
  }
}

Fault replay_group(const UnitGroup& group, const std::vector<Stretch>& stretches, std::vector<HopLoads>& hops,
                   std::int64_t& beside) {
  Numbers foreign(at(group.size()), 0);
  for (const Stretch& stretch : stretches) {
    base::look_for_stop();
    StretchReplay replay(group, stretch, hops);
    replay.run();
    if (!replay.is_done()) return "a sum lacks a contribution in the end, or has one twice";
    count_foreign(group, stretch, foreign);
  }
  beside = std::max(beside, *std::max_element(foreign.begin(), foreign.end()));
  return std::nullopt;
}

// The digits outside the reduced axes, which the members of a group share, and the members' places in it.
std::map<Numbers, std::map<std::int64_t, std::int64_t>> groups_of(const ReductionRequest& request) {
  const Mesh& mesh = *request.mesh;
  const Numbers position = places(mesh, request.reduced);
  std::map<Numbers, std::map<std::int64_t, std::int64_t>> groups;
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    Numbers rest;
    for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
      const std::int64_t size = mesh.axes()[axis].size;
      std::int64_t digit = mesh.place(device) / mesh.stride(axis) % size;
      for (const AxisPart& part : request.reduced) {
        if (part.axis != axis) continue;
        const std::int64_t inside = size / (part.before * part.size);
        digit -= digit / inside % part.size * inside;
      }
      rest.push_back(digit);
    }
    groups[rest][position[at(device)]] = device;
  }
  return groups;
}

// Are these the reduced axes? How they cut a dimension in which they come to lie is no matter.
bool are_reduced(const AxisList& axes, const ReductionRequest& request) {
  const auto same_digits = [](const AxisPart& a, const AxisPart& b) {
    return a.axis == b.axis && a.before == b.before && a.size == b.size;
  };
  return std::equal(axes.begin(), axes.end(), request.reduced.begin(), request.reduced.end(), same_digits);
}

}  // namespace

bool is_by_units(const ReduceProgram& program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const ReduceStep& step) { return step.form == ReduceForm::units; });
}

Fault replay_units(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                   std::vector<HopLoads>& hops, std::int64_t& beside) {
  const ReduceStep& step = program.steps[0];
  const ReduceStepKind kind = request.scatters ? ReduceStepKind::reduce_scatter : ReduceStepKind::all_reduce;
  if (program.steps.size() != 1) return "a step by units is alone";
  if (step.kind != kind || !are_reduced(step.axes, request) || !step.first.empty())
    return "a step by units makes the whole sum";
  if (step.unit_devices < 1) return "a unit has no devices";
  if (request.scatters && !step.unit_rates.empty()) return "nobody has a choice of who makes a sum, whatever the rates";
  hops.assign(request.scatters ? 2 : 3, HopLoads(machine, devices_of(machine)));
  for (const auto& [rest, by_position] : groups_of(request)) {
    std::vector<std::int64_t> devices;
    Numbers elements;
    for (const auto& [position, device] : by_position) {
      devices.push_back(request.mesh->device_of_run(device).value);
      elements.push_back(request.elements[at(device)]);
    }
    const UnitGroup group(std::move(devices), step.unit_devices);
    if (!group.has_rates(step)) return "a unit has no rate";
    const auto stretches = request.scatters ? stretches_of_members(group, elements)
                                            : stretches_of_tile(group, elements[0], parts_of_units(group.rates(step)));
    if (const Fault fault = replay_group(group, stretches, hops, beside)) return fault;
  }
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
