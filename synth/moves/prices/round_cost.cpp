#include "synth/moves/prices/round_cost.hpp"

#include <algorithm>
#include <map>

#include "base/sorted.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/rounds.hpp"
#include "synth/moves/collective/routing.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/traffic.hpp"

namespace tessera::synth {

namespace {

// A copy between devices: its interval along the dimension, the piece it lies in, and bytes of one slice of it.
struct Message {
  std::int32_t source = 0;
  std::int32_t target = 0;
  Interval interval;
  Interval piece;
  std::int64_t slice_bytes = 0;
};

class RoundCosts {
 public:
  RoundCosts(const RunMachine& machine, const ArrayType& before, const ArrayType& after, std::size_t dimension)
      : machine_(machine),
        before_(before),
        after_(after),
        dimension_(dimension),
        element_bytes_(bytes_of(after.element())),
        pieces_(round_pieces(before, after, dimension)),
        cluster_(machine),
        routing_(before, after, nullptr, sender_rule(cluster_)) {
    for (const Interval& piece : pieces_) lengths_.push_back(piece.length());
    base::keep_one_of_each(lengths_);
  }

  std::vector<StepCost> all(std::int64_t count) {
    const bool exact = std::max(before_.devices(), after_.devices()) <= kExactDevicesMax ||
                       routing_.copies_at_most() <= kExactMessagesMax / count;
    return exact ? exact_costs(count) : simplified_costs(count);
  }

 private:
  void gather_messages() {
    const auto add = [&](std::int32_t source, std::int32_t target, const Box& box, std::int64_t count) {
      const Interval& interval = box[dimension_];
      if (source == target || count == 0) return;
      const auto ends_by = [](std::int64_t at, const Interval& piece) { return at < piece.end; };
      const Interval piece = *std::upper_bound(pieces_.begin(), pieces_.end(), interval.begin, ends_by);
      whole_pieces_ = whole_pieces_ && interval == piece;
      messages_.push_back(Message{source, target, interval, piece, count / interval.length() * element_bytes_});
    };
    routing_.walk(add);
  }

  // Rounds that move equally much of pieces of every length cost the same, where no message has but a part of a piece.
  std::vector<StepCost> exact_costs(std::int64_t count) {
    gather_messages();
    std::map<std::vector<std::int64_t>, StepCost> known;
    std::vector<StepCost> costs;
    for (std::int64_t index = 0; index < count; ++index) {
      const Round round{index, count, dimension_};
      std::vector<std::int64_t> moved;
      for (const std::int64_t length : lengths_) moved.push_back(part_of(Interval{0, length}, round).length());
      if (!whole_pieces_) moved.push_back(index);
      const auto [at, is_new] = known.try_emplace(std::move(moved));
      if (is_new) at->second = exact_cost(round);
      costs.push_back(at->second);
    }
    return costs;
  }

  StepCost exact_cost(const Round& round) const {
    Traffic traffic(cluster_);
    for (const Message& message : messages_) {
      const Interval part = part_of(message.piece, round);
      const Interval moved{std::max(part.begin, message.interval.begin), std::min(part.end, message.interval.end)};
      traffic.add(message.source, message.target, moved.length() * message.slice_bytes);
    }
    return traffic.cost();
  }

  std::vector<StepCost> simplified_costs(std::int64_t count) const {
    const std::int64_t devices = run_devices(before_, after_);
    const Tiling source(before_, devices);
    const Tiling target(after_, devices);
    const Delay delay = slowest_delay(machine_);
    const std::int64_t peers_max = std::max(before_.devices(), after_.devices()) - 1;
    std::vector<StepCost> costs(static_cast<std::size_t>(count));
    for (std::size_t device = 0; device < target.tile_of.size(); ++device) add_received(source, target, device, costs);
    for (StepCost& cost : costs) {
      if (cost.received_bytes_total == 0) continue;
      cost.peers = std::min(routing_.cells_max(), peers_max);
      cost.seconds = delay.of(static_cast<double>(cost.peers)) +
                     static_cast<double>(cost.received_bytes_max) / least_bandwidth(machine_.levels.back());
    }
    return costs;
  }

  // Adds the bytes that the device receives in every round: the parts of its tile's pieces that it does not hold.
  void add_received(const Tiling& source, const Tiling& target, std::size_t device,
                    std::vector<StepCost>& costs) const {
    const Interval& wanted = target.interval(dimension_, device);
    if (wanted.length() == 0) return;
    const Interval& held = source.interval(dimension_, device);
    const std::int64_t slice = target.elements(device) / wanted.length();
    const std::int64_t held_length =
        Interval{std::max(held.begin, wanted.begin), std::min(held.end, wanted.end)}.length();
    const std::int64_t held_slice =
        held_length == 0 ? 0 : shared_elements(source, device, target, device) / held_length;
    const std::vector<Interval> pieces = pieces_in(pieces_, wanted);
    const auto count = static_cast<std::int64_t>(costs.size());
    for (std::int64_t index = 0; index < count; ++index) {
      std::int64_t received = 0;
      for (const Interval& piece : pieces) {
        const bool is_held = held.begin <= piece.begin && piece.end <= held.end;
        received += part_of(piece, Round{index, count, dimension_}).length() * (slice - (is_held ? held_slice : 0));
      }
      StepCost& cost = costs[static_cast<std::size_t>(index)];
      cost.received_bytes_total += received * element_bytes_;
      cost.received_bytes_max = std::max(cost.received_bytes_max, received * element_bytes_);
    }
  }

  const RunMachine& machine_;
  const ArrayType& before_;
  const ArrayType& after_;
  std::size_t dimension_;
  std::int64_t element_bytes_;
  std::vector<Interval> pieces_;
  std::vector<std::int64_t> lengths_;  // of pieces, each once
  Cluster cluster_;
  Routing routing_;
  std::vector<Message> messages_;
  bool whole_pieces_ = true;
};

}  // namespace

std::vector<StepCost> costs_of_rounds(const RunMachine& machine, const ArrayType& before, const ArrayType& after,
                                      std::size_t dimension, std::int64_t count) {
  return RoundCosts(machine, before, after, dimension).all(count);
}

}  // namespace tessera::synth
