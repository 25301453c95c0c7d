// A plan's figures, counted anew: copy by copy, and element by element for the least bytes.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/prices/round_cost.hpp"
#include "tests/synth/support.hpp"
#include "tests/synth/verify/mutations.hpp"

namespace tessera::synth::test {

namespace {

using Bytes = std::vector<std::int64_t>;  // of every device

std::int64_t largest(const Bytes& bytes) { return *std::max_element(bytes.begin(), bytes.end()); }

Bytes tiles_of(const ArrayType& type) {
  Bytes bytes;
  for (std::int64_t device = 0; device < type.devices(); ++device) bytes.push_back(tile_bytes(type, device));
  return bytes;
}

bool same_sums(const ArrayType& a, const ArrayType& b) {
  return a.layout().pending() == b.layout().pending() && a.layout().reduce() == b.layout().reduce();
}

// Bytes that every device receives; nothing where types do not fit the kind.
std::optional<Bytes> received(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const std::int64_t element = bytes_of(after.element());
  Bytes bytes(static_cast<std::size_t>(after.devices()), 0);
  switch (kind_of(step)) {
    case CollectiveKind::slice:
    case CollectiveKind::keep: return bytes;
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::permute:
    case CollectiveKind::exchange:
    case CollectiveKind::relay:
      if (!same_sums(before, after)) return std::nullopt;
      for (const BoxCopy& copy : copies(before, after)) {
        if (copy.source != copy.target) bytes[static_cast<std::size_t>(copy.target)] += elements(copy.box) * element;
      }
      return bytes;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_reduce: break;
  }
  const auto axes = without(before.layout().pending(), after.layout().pending());
  if (!axes || before.mesh() != after.mesh()) return std::nullopt;
  if (program_of(step) != nullptr) {
    const auto programmed = ProgrammedReduction::of(step, before, after);
    if (!programmed) return std::nullopt;
    bytes = programmed->received_elements();
    for (std::int64_t& count : bytes) count *= element;
    return bytes;
  }
  const std::int64_t size = shard_count(*axes);
  for (std::int64_t device = 0; device < after.devices(); ++device) {
    const std::int64_t count = elements(tile(after, device));
    const std::int64_t own = share(count, size, position(after.mesh(), *axes, device)).length();
    const bool scatters = kind_of(step) == CollectiveKind::reduce_scatter;
    bytes[static_cast<std::size_t>(device)] =
        (scatters ? count * (size - 1) : own * (size - 1) + count - own) * element;
  }
  return bytes;
}

template <class Move>
std::int64_t shards(const std::vector<Move>& moves) {
  std::int64_t size = 1;
  for (const Move& move : moves) size *= shard_count(move.axes);
  return size;
}

std::int64_t members(const Collective& step, std::int64_t devices) {
  if (const auto* gather = std::get_if<AllGather>(&step.effect)) return shards(gather->moves);
  if (const auto* all_to_all = std::get_if<AllToAll>(&step.effect)) return shards(all_to_all->moves);
  if (movement(step) == Movement::sums) return shard_count(axes_of(step));
  return movement(step) == Movement::none ? 1 : devices;
}

bool holds(const ArrayType& type, std::int64_t device, const Box& element) {
  return elements(intersect(tile(type, device), element)) == elements(element);
}

// For one element: how often any plan must receive it.
std::int64_t least_receives(const ArrayType& from, const ArrayType& to, const Box& element) {
  const std::int64_t contributors = shard_count(from.layout().pending());
  std::int64_t needers = 0;
  std::int64_t needers_that_hold = 0;
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    if (!holds(to, device, element)) continue;
    ++needers;
    needers_that_hold += holds(from, device, element) ? 1 : 0;
  }
  if (contributors == 1) return needers - needers_that_hold;
  return contributors - 1 + needers - 1 + (needers_that_hold == 0 ? 1 : 0);
}

std::int64_t least_bytes(const ArrayType& from, const ArrayType& to) {
  if (!to.layout().pending().empty()) return 0;
  std::int64_t total = 0;
  std::vector<Box> all{Box{}};
  for (const std::int64_t extent : to.shape()) {
    std::vector<Box> longer;
    for (const Box& box : all) {
      for (std::int64_t i = 0; i < extent; ++i) {
        longer.push_back(box);
        longer.back().push_back(Interval{i, i + 1});
      }
    }
    all = std::move(longer);
  }
  for (const Box& element : all) total += least_receives(from, to, element);
  return total * bytes_of(to.element());
}

// What a device's input takes while steps follow each other: a slice is a view of it.
struct Live {
  Bytes bytes;

  std::int64_t peak(CollectiveKind kind, const Bytes& output) {
    if (kind == CollectiveKind::slice) return largest(bytes);
    const std::int64_t most = with(output);
    bytes = output;
    return most;
  }
  std::int64_t with(const Bytes& others) const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) most = std::max(most, bytes[i] + others[i]);
    return most;
  }
};

// What of a box lies at the coordinates of one round; by device, and of the whole array.
class RoundBytes {
 public:
  RoundBytes(const ArrayType& before, const ArrayType& after, const Round& round)
      : dimension_(round.dimension), element_(bytes_of(after.element())) {
    for (std::int64_t at = 0; at < after.shape()[round.dimension]; ++at)
      moves_.push_back(round_of(before, after, round.dimension, round.count, at) == round.index);
  }
  std::int64_t of(const Box& box) const {
    if (elements(box) == 0) return 0;
    const Interval& along = box[dimension_];
    const auto moved = std::count(moves_.begin() + along.begin, moves_.begin() + along.end, true);
    return elements(box) / along.length() * moved * element_;
  }

 private:
  std::size_t dimension_;
  std::int64_t element_;
  std::vector<bool> moves_;
};

void say_received(PlanStep& step, const Bytes& received) {
  step.local_bytes_max = largest(tiles_of(step.after));
  step.received_bytes_max = largest(received);
  step.received_bytes_total = std::accumulate(received.begin(), received.end(), std::int64_t{0});
}

bool recount_step(PlanStep& step, const ArrayType& before, Live& live, const RunMachine& machine) {
  const auto bytes = received(step.collective, before, step.after);
  if (!bytes || before.shape() != step.after.shape() || before.devices() != step.after.devices()) return false;
  const Bytes output = tiles_of(step.after);
  say_received(step, *bytes);
  step.group_size = members(step.collective, step.after.devices());
  step.groups = step.after.devices() / step.group_size;
  step.peak_bytes = live.peak(kind_of(step.collective), output);
  if (const auto programmed = ProgrammedReduction::of(step.collective, before, step.after))
    step.peak_bytes += programmed->beside_bytes();
  step.seconds = cost(machine, step.collective, before, step.after).seconds;
  return true;
}

// Rounds that are not all there, or are not of one exchange, have no figures.
bool are_rounds_of_one(std::span<const PlanStep> rounds) {
  const Collective& first = rounds[0].collective;
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    const Collective& step = rounds[k].collective;
    const Round here{static_cast<std::int64_t>(k), round_of(first)->count, round_of(first)->dimension};
    if (kind_of(step) != CollectiveKind::exchange || !(rounds[k].after == rounds[0].after)) return false;
    if (round_of(step) == nullptr || *round_of(step) != here) return false;
  }
  return true;
}

// An exchange in rounds: what has left makes room.
bool recount_rounds(std::span<PlanStep> rounds, const ArrayType& before, Live& live, const RunMachine& machine) {
  const ArrayType& after = rounds[0].after;
  const Round& first = *round_of(rounds[0].collective);
  if (!are_rounds_of_one(rounds) || !same_sums(before, after) || before.shape() != after.shape()) return false;
  if (before.devices() != after.devices() || first.dimension >= after.rank()) return false;
  const auto prices = costs_of_rounds(machine, before, after, first.dimension, first.count);
  Bytes arrived(static_cast<std::size_t>(after.devices()), 0);
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    PlanStep& step = rounds[k];
    const RoundBytes in_round(before, after, *round_of(step.collective));
    Bytes received(arrived.size(), 0);
    for (std::size_t d = 0; d < arrived.size(); ++d) {
      const auto device = static_cast<std::int64_t>(d);
      const std::int64_t arrives = in_round.of(tile(after, device));
      arrived[d] += arrives;
      received[d] = arrives - in_round.of(intersect(tile(after, device), tile(before, device)));
    }
    say_received(step, received);
    step.groups = 1;
    step.group_size = after.devices();
    step.peak_bytes = live.with(arrived);
    step.seconds = prices[k].seconds;
    for (std::size_t d = 0; d < arrived.size(); ++d)
      live.bytes[d] -= in_round.of(tile(before, static_cast<std::int64_t>(d)));
  }
  live.bytes = arrived;
  return true;
}

}  // namespace

bool follow_steps(Plan& plan) {
  ArrayType type = plan.from;
  for (PlanStep& step : plan.steps) {
    const auto after = apply(step.collective, type);
    if (!after.ok()) return false;
    step.after = type = *after;
  }
  return true;
}

bool recount(Plan& plan, const Machine& given) {
  if (plan.from.shape() != plan.to.shape() || plan.from.devices() != plan.to.devices()) return false;
  const auto machine = machine_for(given, plan.from.devices());
  if (!machine.ok()) return false;
  const Bytes from = tiles_of(plan.from);
  plan.bound_bytes = std::max(largest(from), largest(tiles_of(plan.to)));
  plan.local_bytes_max = plan.bound_bytes;
  plan.peak_bytes = plan.steps.empty() ? plan.bound_bytes : 0;
  plan.received_bytes_total = 0;
  plan.seconds = 0;
  plan.lower_bound_bytes_total = least_bytes(plan.from, plan.to);
  plan.lower_bound_seconds = lower_bound(*machine, plan.from, plan.to).seconds;
  Live live{from};
  ArrayType before = plan.from;
  for (std::size_t i = 0; i < plan.steps.size();) {
    const Round* round = round_of(plan.steps[i].collective);
    const std::size_t count = round != nullptr ? static_cast<std::size_t>(std::max<std::int64_t>(round->count, 1)) : 1;
    if (count > plan.steps.size() - i) return false;
    const std::span<PlanStep> steps(&plan.steps[i], count);
    const bool counted = round != nullptr ? recount_rounds(steps, before, live, *machine)
                                          : recount_step(steps[0], before, live, *machine);
    if (!counted) return false;
    before = steps.back().after;
    i += count;
  }
  for (const PlanStep& step : plan.steps) {
    plan.received_bytes_total += step.received_bytes_total;
    plan.local_bytes_max = std::max(plan.local_bytes_max, step.local_bytes_max);
    plan.peak_bytes = std::max(plan.peak_bytes, step.peak_bytes);
    plan.seconds += step.seconds;
  }
  return true;
}

bool same_figures(const Plan& claimed, const Plan& counted) {
  const auto figures = [](const PlanStep& s) {
    return std::array{s.local_bytes_max, s.received_bytes_total, s.received_bytes_max,
                      s.groups,          s.group_size,           s.peak_bytes};
  };
  const auto silent = [](const PlanStep& s) { return s.seconds == 0; };
  const bool times_unsaid = std::all_of(claimed.steps.begin(), claimed.steps.end(), silent);
  for (std::size_t i = 0; i < claimed.steps.size(); ++i) {
    if (figures(claimed.steps[i]) != figures(counted.steps[i])) return false;
    if (!times_unsaid && claimed.steps[i].seconds != counted.steps[i].seconds) return false;
  }
  return claimed.received_bytes_total == counted.received_bytes_total &&
         claimed.lower_bound_bytes_total == counted.lower_bound_bytes_total &&
         claimed.local_bytes_max == counted.local_bytes_max && claimed.bound_bytes == counted.bound_bytes &&
         claimed.peak_bytes == counted.peak_bytes && claimed.seconds == counted.seconds &&
         claimed.lower_bound_seconds == counted.lower_bound_seconds;
}

}  // namespace tessera::synth::test
