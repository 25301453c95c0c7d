#include "synth/moves/collective/programmed.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/transfer/stretches.hpp"
#include "synth/moves/transfer/unit_moves.hpp"

namespace tessera::synth {

// The lanes, in and out, of the links to the first so many devices of the run: a mesh may lie on a small part of a
// machine, and no more of it is looked at.
class ProgrammedReduction::Lanes {
 public:
  Lanes(const Cluster& cluster, std::int64_t devices) : cluster_(&cluster) {
    for (const Cluster::Level& level : cluster.levels()) {
      first_.push_back(seconds_per_byte_.size());
      const auto units = static_cast<std::size_t>((devices + level.unit_devices - 1) / level.unit_devices);
      for (std::size_t unit = 0; unit < units; ++unit)
        seconds_per_byte_.insert(seconds_per_byte_.end(), 2, 1 / level.bandwidth_of(unit));
    }
  }
  const Cluster& cluster() const { return *cluster_; }
  std::size_t in(std::size_t level, std::int32_t device) const {
    return first_[level] + 2 * cluster_->unit(level, device);
  }
  std::size_t out(std::size_t level, std::int32_t device) const { return in(level, device) + 1; }
  const std::vector<double>& seconds_per_byte() const { return seconds_per_byte_; }

 private:
  const Cluster* cluster_;
  std::vector<std::size_t> first_;  // of every level
  std::vector<double> seconds_per_byte_;
};

// The bytes of the hops of one slot over every lane, and who talks to whom.
class ProgrammedReduction::SlotMessages {
 public:
  explicit SlotMessages(const Lanes& lanes) : bytes_(lanes.seconds_per_byte().size(), 0) {}

  void add(const Lanes& lanes, std::int32_t from, std::int32_t to, std::int64_t bytes) {
    if (from == to || bytes == 0) return;
    const Cluster& cluster = lanes.cluster();
    messages_.push_back({from, to, bytes});
    for (std::size_t level = cluster.parting(from, to); level < cluster.levels().size(); ++level) {
      bytes_[lanes.in(level, to)] += bytes;
      bytes_[lanes.out(level, from)] += bytes;
      delay_ = std::max(delay_, cluster.levels()[level].delay());
    }
  }

  // After the last `add`: what goes from one device to another is one message. Messages are dealt to their senders
  // first, who have few.
  void count_messages(std::int64_t devices) {
    std::vector<std::vector<Message>> by_sender(static_cast<std::size_t>(devices));
    for (const Message& message : messages_) by_sender[static_cast<std::size_t>(message.from)].push_back(message);
    std::vector<std::int64_t> senders(by_sender.size(), 0);
    for (std::vector<Message>& of_sender : by_sender) {
      std::sort(of_sender.begin(), of_sender.end(), [](const Message& a, const Message& b) { return a.to < b.to; });
      std::int64_t receivers = 0;
      std::int64_t bytes = 0;
      for (std::size_t i = 0; i < of_sender.size(); ++i) {
        bytes += of_sender[i].bytes;
        message_bytes_ = std::max(message_bytes_, bytes);
        if (i + 1 < of_sender.size() && of_sender[i + 1].to == of_sender[i].to) continue;
        bytes = 0;
        peers_ = std::max({peers_, ++receivers, ++senders[static_cast<std::size_t>(of_sender[i].to)]});
      }
    }
    messages_.clear();
  }
  std::int64_t peers() const { return peers_; }
  std::int64_t message_bytes() const { return message_bytes_; }  // of the largest message
  SlotBytes of_slot() const { return {delay_.of(static_cast<double>(peers_)), &bytes_}; }

 private:
  struct Message {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int64_t bytes = 0;
  };
  std::vector<std::int64_t> bytes_;
  std::vector<Message> messages_;
  std::int64_t peers_ = 0;
  std::int64_t message_bytes_ = 0;
  Delay delay_;
};

std::optional<ProgrammedReduction> ProgrammedReduction::of(const Collective& step, const ArrayType& before,
                                                           const ArrayType& after) {
  const auto axes = without(before.layout().pending(), after.layout().pending());
  if (program_of(step) == nullptr || !axes) return std::nullopt;
  ProgrammedReduction made;
  if (is_wide(after.devices(), shard_count(*axes))) {
    made.wide_ = EvenSum::of(step, before, after);
    if (!made.wide_) return std::nullopt;
    made.moves_.push_back(wide_moves(made.wide_->program()));
  }
  made.scatters_ = std::holds_alternative<ReduceScatter>(step.effect);
  made.element_bytes_ = bytes_of(after.element());
  made.mesh_ = after.mesh_ref();
  for (const BoxReduction& reduction : reductions(before, after)) {
    if (reduction.position != 0) continue;
    Group& group = made.groups_.emplace_back(Group{reduction.contributors, {reduction.box}, 0});
    if (!made.scatters_) continue;
    group.boxes.clear();
    for (const std::int32_t device : *reduction.contributors) group.boxes.push_back(tile(after, device));
  }
  return made.wide_ || made.make_moves(step, *axes) ? std::optional(std::move(made)) : std::nullopt;
}

bool ProgrammedReduction::make_moves(const Collective& step, const AxisList& reduced) {
  const ReduceProgram& program = *program_of(step);
  const bool by_units = std::any_of(program.steps.begin(), program.steps.end(),
                                    [](const ReduceStep& part) { return part.form == ReduceForm::units; });
  if (!by_units) {
    auto moves = reduce_moves(reduced, scatters_, program);
    if (moves) moves_.push_back(std::move(*moves));
    return moves.has_value();
  }
  const ReduceStep& whole = program.steps[0];
  const ReduceStepKind kind = scatters_ ? ReduceStepKind::reduce_scatter : ReduceStepKind::all_reduce;
  const bool is_all = program.steps.size() == 1 && whole.kind == kind && whole.axes == reduced && whole.first.empty();
  if (!is_all || whole.unit_devices < 1 || program.stretches < 1) return false;
  // If each sum belongs to one device, nothing is left to choose: that device makes it.
  if (scatters_ && !whole.unit_rates.empty()) return false;
  return make_unit_moves(program, shard_count(reduced));
}

// Groups whose members lie alike, in units of the same rates, have the same moves.
bool ProgrammedReduction::make_unit_moves(const ReduceProgram& program, std::int64_t members) {
  const ReduceStep& step = program.steps[0];
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, std::size_t> known;
  const auto kind_of = [&](const std::vector<std::int64_t>& units, const std::vector<std::int64_t>& rates) {
    const auto [at, is_new] = known.emplace(std::pair(units, rates), moves_.size());
    if (is_new) moves_.push_back(unit_moves(units, scatters_, program.stretches, rates));
    return at->second;
  };
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::vector<std::int64_t> units;
    std::vector<std::int64_t> rates;
    std::map<std::int64_t, std::int64_t> numbers;  // from 0 on, in the order in which they come
    for (std::int32_t member = 0; member < members; ++member) {
      const std::int64_t unit = run_device(group, member) / step.unit_devices;
      const auto [number, is_new] = numbers.emplace(unit, std::ssize(numbers));
      units.push_back(number->second);
      if (!is_new || step.unit_rates.empty()) continue;
      if (unit >= std::ssize(step.unit_rates)) return false;
      rates.push_back(step.unit_rates[static_cast<std::size_t>(unit)]);
    }
    groups_[group].moves = kind_of(units, rates);
  }
  if (moves_.empty()) kind_of(std::vector<std::int64_t>(static_cast<std::size_t>(members), 0), {});
  return true;
}

Interval ProgrammedReduction::chunk_interval(std::size_t group, std::int32_t chunk) const {
  const std::vector<Box>& boxes = groups_[group].boxes;
  if (scatters_) return {0, elements(boxes[static_cast<std::size_t>(chunk)])};
  return moves(group).chunk_of(elements(boxes[0]), chunk);
}

std::int64_t ProgrammedReduction::chunk_elements(std::size_t group, std::int32_t chunk) const {
  return chunk_interval(group, chunk).length();
}

std::vector<Box> ProgrammedReduction::boxes(std::size_t group, std::int32_t chunk) const {
  const std::vector<Box>& boxes = groups_[group].boxes;
  if (scatters_) return {boxes[static_cast<std::size_t>(chunk)]};
  return boxes_of_stretch(boxes[0], chunk_interval(group, chunk));
}

std::vector<Box> ProgrammedReduction::boxes(std::size_t group, std::int32_t chunk, std::int64_t stretch) const {
  const std::vector<Box>& boxes = groups_[group].boxes;
  const Box& box = boxes[scatters_ ? static_cast<std::size_t>(chunk) : 0];
  const Interval whole = chunk_interval(group, chunk);
  const Interval part = share(whole.length(), moves().stretches, stretch);
  if (part.length() == 0) return {};
  return boxes_of_stretch(box, {whole.begin + part.begin, whole.begin + part.end});
}

std::int64_t ProgrammedReduction::elements_of(std::size_t group, const std::vector<std::int32_t>& chunks) const {
  std::int64_t sum = 0;
  for (const std::int32_t chunk : chunks) sum += chunk_elements(group, chunk);
  return sum;
}

std::int64_t ProgrammedReduction::beside_bytes() const {
  if (wide_) return wide_->beside_bytes();
  std::int64_t most = 0;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (moves().has_aside) most = std::max(most, elements(groups_[group].boxes[0]));
    for (const auto& chunks : moves(group).foreign) most = std::max(most, elements_of(group, chunks));
  }
  return most * element_bytes_;
}

std::int64_t ProgrammedReduction::foreign_offset(std::size_t group, std::int32_t member, std::int32_t chunk) const {
  std::int64_t offset = 0;
  for (const std::int32_t other : moves(group).foreign_of(member)) {
    if (other == chunk) break;
    offset += chunk_elements(group, other);
  }
  return offset;
}

std::vector<std::int64_t> ProgrammedReduction::received_elements() const {
  if (wide_) return wide_->received_elements();
  std::vector<std::int64_t> received(static_cast<std::size_t>(mesh_->devices()), 0);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (const ProgramHop& hop : moves(group).hops) {
      for (const ReduceMove& move : hop.moves) {
        const auto others = std::count_if(move.from.begin(), move.from.end(),
                                          [&](const ReduceMove::From& from) { return from.member != move.to; });
        received[static_cast<std::size_t>(device(group, move.to))] += others * elements_of(group, move.chunks);
      }
    }
  }
  return received;
}

auto ProgrammedReduction::slots(const Lanes& lanes) const -> std::vector<SlotMessages> {
  std::vector<SlotMessages> slots(static_cast<std::size_t>(moves().hop_slots), SlotMessages(lanes));
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    base::look_for_stop();
    for (const ProgramHop& hop : moves(group).hops) {
      SlotMessages& slot = slots[static_cast<std::size_t>(hop.slot)];
      for (const ReduceMove& move : hop.moves) {
        const std::int64_t bytes = elements_of(group, move.chunks) * element_bytes_;
        for (const ReduceMove::From& from : move.from)
          slot.add(lanes, run_device(group, from.member), run_device(group, move.to), bytes);
      }
    }
  }
  for (SlotMessages& slot : slots) slot.count_messages(mesh_->devices_end());
  return slots;
}

SlotPrices ProgrammedReduction::prices(const Lanes& lanes, const std::vector<SlotMessages>& slots) {
  std::vector<SlotBytes> bytes;
  for (const SlotMessages& slot : slots) bytes.push_back(slot.of_slot());
  return {lanes.seconds_per_byte(), bytes};
}

StepCost ProgrammedReduction::cost(const Cluster& cluster) const {
  const Lanes lanes(cluster, mesh_->devices_end());
  const std::vector<SlotMessages> all = slots(lanes);
  StepCost cost;
  for (const std::int64_t received : received_elements()) {
    cost.received_bytes_total += received * element_bytes_;
    cost.received_bytes_max = std::max(cost.received_bytes_max, received * element_bytes_);
  }
  for (const SlotMessages& slot : all) cost.peers += slot.peers() * moves().stretches;
  cost.seconds = prices(lanes, all).seconds(moves().stretches);
  return cost;
}

std::pair<std::int64_t, double> ProgrammedReduction::best_stretches(const Cluster& cluster) const {
  const Lanes lanes(cluster, mesh_->devices_end());
  const std::vector<SlotMessages> all = slots(lanes);
  std::int64_t message = 0;
  for (const SlotMessages& slot : all) message = std::max(message, slot.message_bytes());
  SlotPrices slot_prices = prices(lanes, all);
  return best_stretches_of(static_cast<double>(message),
                           [&](std::int64_t stretches) { return slot_prices.seconds(stretches); });
}

std::vector<BoxSend> ProgrammedReduction::sends() const {
  std::vector<BoxSend> all;
  const auto of_all = [](std::size_t, std::int32_t) { return true; };
  for (std::size_t h = 0; h < moves().hops.size(); ++h) {
    for_each_move(h, of_all, [&](std::size_t group, const ReduceMove& move) {
      for (const std::int32_t chunk : move.chunks) {
        for (const Box& box : boxes(group, chunk)) {
          if (empty(box)) continue;
          for (const ReduceMove::From& from : move.from)
            all.push_back({run_device(group, from.member), run_device(group, move.to), box,
                           static_cast<std::int32_t>(h), move.from.size() > 1,
                           from.of_source ? Carried::own : Carried::both});
        }
      }
    });
  }
  return all;
}

}  // namespace tessera::synth
