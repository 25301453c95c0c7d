#include "synth/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/stop_scope.hpp"
#include "base/wide.hpp"
#include "synth/verify/bounds.hpp"
#include "synth/verify/faults.hpp"
#include "synth/verify/least_bytes.hpp"
#include "synth/verify/price.hpp"
#include "synth/verify/programs.hpp"
#include "synth/verify/relay_replay.hpp"
#include "synth/verify/replay.hpp"
#include "synth/verify/sends_replay.hpp"

namespace tessera::synth::verifier {

namespace {

// By device of the run.
Numbers tile_bytes_of(const Holdings& standing, ElementType element) {
  Numbers bytes;
  for (std::int64_t d = 0; d < standing.devices(); ++d) bytes.push_back(standing.elements(d) * bytes_of(element));
  return by_run_device(standing, bytes);
}

std::int64_t largest(const Numbers& numbers) { return *std::max_element(numbers.begin(), numbers.end()); }

std::int64_t largest_sum(const Numbers& a, const Numbers& b) {
  Numbers sums(std::max(a.size(), b.size()), 0);
  std::copy(a.begin(), a.end(), sums.begin());
  std::transform(b.begin(), b.end(), sums.begin(), sums.begin(), std::plus<>{});
  return largest(sums);
}

std::int64_t sum(const Numbers& numbers) { return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}); }

// In a step between two meshes everybody who has a part in it is one group.
std::pair<std::int64_t, std::int64_t> groups_of(const Collective& step, const Holdings& before, const Holdings& after) {
  const std::int64_t devices = after.devices();
  if (movement(step) == Movement::none) return {devices, 1};
  if (target_of(step) != nullptr) {
    Numbers all;
    std::set_union(before.ids.begin(), before.ids.end(), after.ids.begin(), after.ids.end(), std::back_inserter(all));
    return {1, std::ssize(all)};
  }
  std::int64_t size = 1;
  for (const AxisList& list : named_axes(step)) size *= product_of_sizes(list);
  if (const auto* scatter = std::get_if<ReduceScatter>(&step.effect)) size = product_of_sizes(scatter->axes);
  return {devices / size, size};
}

// Parts of an axis that follow each other as one.
AxisList in_mesh_order(AxisList axes) {
  std::sort(axes.begin(), axes.end(), [](const AxisPart& a, const AxisPart& b) {
    return std::pair(a.axis, a.before) < std::pair(b.axis, b.before);
  });
  AxisList joined;
  for (const AxisPart& part : axes) {
    const bool follows =
        !joined.empty() && joined.back().axis == part.axis && joined.back().before * joined.back().size == part.before;
    if (follows)
      joined.back().size *= part.size;
    else
      joined.push_back(part);
  }
  return joined;
}

class PlanVerifier {
 public:
  PlanVerifier(const Plan& plan, const RunMachine& machine, const Senders& senders)
      : plan_(plan),
        machine_(machine),
        senders_(senders),
        state_(plan.from),
        live_(tile_bytes_of(state_.standing, plan.from.element())) {
    contributors_ = state_.standing.contributors;
    local_ = largest(live_);
  }

  Fault run() {
    if (auto fault = check_ends()) return at("its ends", fault);
    for (std::size_t i = 0; i < plan_.steps.size();) {
      const Collective& step = plan_.steps[i].collective;
      const auto where = fmt::format("step {} ({})", i + 1, name(step));
      const Round* round = round_of(step);
      if (auto fault = round != nullptr ? take_rounds(i) : take(plan_.steps[i])) return at(where, fault);
      i += round != nullptr ? static_cast<std::size_t>(round->count) : 1;
    }
    if (auto fault = check_end(state_, plan_.to)) return at("its end", fault);
    if (auto fault = check_sums(state_, contributors_)) return at("its end", fault);
    if (auto fault = check_figures()) return at("its figures", fault);
    return at("its bounds", check_bounds());
  }

 private:
  Fault check_ends() const {
    if (plan_.from.element() != plan_.to.element() || plan_.from.shape() != plan_.to.shape())
      return "the array changes";
    return first_of({check_sums_fit(state_.standing), check_sums_fit(Holdings(plan_.to))});
  }

  // No step makes devices receive more than twice what all of them hold.
  Fault check_sums_fit(const Holdings& standing) const {
    const base::Wide most = base::Wide{2} * largest(tile_bytes_of(standing, plan_.from.element())) * standing.devices();
    if (most <= std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return "its bytes are too many to count";
  }

  Fault take(const PlanStep& step) {
    base::look_for_stop();
    const Holdings after(step.after);
    if (auto fault = check_sums_fit(after)) return fault;
    if (auto fault = check_step(state_, step.collective, step.after, after)) return fault;
    Numbers received = received_bytes(state_, step.collective, after);
    double seconds = 0;
    ProgramFigures program;
    const bool has_program = program_of(step.collective) != nullptr;
    if (has_program) {
      if (auto fault = replay(step, after, program)) return fault;
    }
    if (auto fault = begins_anew(step.collective) ? check_sums(state_, contributors_)
                                                  : follow_contributors(state_, step.collective, after))
      return fault;
    if (auto fault = listed_of(step.collective) != nullptr ? follow_listed(step, after, received, seconds)
                                                           : price(step, after, received, seconds))
      return fault;
    if (has_program) {
      if (listed_of(step.collective) != nullptr && received != program.received_bytes)
        return "the listed sends are not those of its program";
      received = program.received_bytes;
      seconds = program.seconds;
    }
    const Fault figures = check_step_figures(step, received, after, program.beside_bytes);
    state_.type = step.after;
    state_.standing = after;
    if (begins_anew(step.collective)) {
      state_ = State(step.after);
      contributors_ = state_.standing.contributors;
    }
    add_seconds(step, seconds);
    return figures;
  }

  // Where tiles become parts of sums of larger tiles, not every element of a tile has the same parts any more. The sums
  // that were there have to be right; from here on each device's tile is one part of every sum.
  static bool begins_anew(const Collective& step) {
    const auto* keep = std::get_if<Keep>(&step.effect);
    return keep != nullptr && keep->from.has_value();
  }

  // A sum by a program. The state is the one before the step.
  Fault replay(const PlanStep& step, const Holdings& after, ProgramFigures& figures) const {
    if (movement(step.collective) != Movement::sums) return "only sums have programs";
    ReductionRequest request;
    request.mesh = step.after.mesh_ref();
    request.reduced = in_mesh_order(axes_of(step.collective));
    request.scatters = std::holds_alternative<ReduceScatter>(step.collective.effect);
    request.element_bytes = bytes_of(step.after.element());
    for (std::int64_t device = 0; device < after.devices(); ++device)
      request.elements.push_back(after.elements(device));
    return at("its program", replay_program(request, *program_of(step.collective), machine_, figures));
  }

  // Sends are followed as though the array were new: each device's value before the step is one part of a sum, also a
  // neutral element that a keep left. Otherwise a tile next to such parts would count as whole before they come to it.
  Fault follow_listed(const PlanStep& step, const Holdings& after, Numbers& received, double& seconds) const {
    if (auto fault = check_listed(step)) return fault;
    const State before(state_.type);
    State made = before;
    if (auto fault = follow_contributors(made, step.collective, after)) return fault;
    SendsReplay replay(before, after, made.gathered, program_of(step.collective) != nullptr);
    if (auto fault = replay.follow(*listed_of(step.collective), [](const Box&) { return true; })) return fault;
    received = in_bytes(replay.received());
    seconds = seconds_of_sends(*listed_of(step.collective), step.after, machine_);
    return replay.check_tiles();
  }
  Fault check_listed(const PlanStep& step) const {
    if (movement(step.collective) == Movement::none) return "it moves nothing, and sends are listed";
    if (state_.gathered.empty())
      return fmt::format("sends between more than {} devices are not followed", kExplicitDevicesMax);
    return std::nullopt;
  }

  // Seconds of each round's sends; `received` are the elements that the round has to bring.
  Fault follow_listed_rounds(std::size_t first, const Holdings& after, const RoundReplay& rounds,
                             const std::vector<Numbers>& received, std::vector<double>& seconds) const {
    const State before(state_.type);
    State made = before;
    if (auto fault = follow_contributors(made, plan_.steps[first].collective, after)) return fault;
    SendsReplay replay(before, after, made.gathered, false);
    for (std::size_t k = 0; k < received.size(); ++k) {
      const PlanStep& step = plan_.steps[first + k];
      const ListedSends* const listed = listed_of(step.collective);
      if (listed == nullptr) return fmt::format("the sends of its round {} are not listed", k + 1);
      if (auto fault = check_listed(step)) return fault;
      const auto moves = [&](const Box& box) { return rounds.moves(box, *round_of(step.collective)); };
      if (auto fault = replay.follow(*listed, moves)) return at(fmt::format("round {}", k + 1), fault);
      if (in_bytes(replay.received()) != received[k]) return fmt::format("its round {} brings too little", k + 1);
      seconds.push_back(seconds_of_sends(*listed, step.after, machine_));
    }
    return replay.check_tiles();
  }

  Fault price(const PlanStep& step, const Holdings& after, const Numbers& received, double& seconds) const {
    switch (movement(step.collective)) {
      case Movement::none: break;
      case Movement::sums:
        if (program_of(step.collective) == nullptr)
          seconds = seconds_of_reduction(state_, step.collective, after, machine_);
        break;
      case Movement::copies: {
        if (const RelayRecipe* relay = relay_of(step.collective))
          return replay_relay(state_, *relay, after, machine_, seconds);
        std::vector<double> prices;
        if (auto fault = CopyPrices(state_, after, step.after, machine_).replay(senders_, {received}, 0, prices))
          return fault;
        seconds = prices.front();
      }
    }
    return std::nullopt;
  }

  // All rounds of an exchange are there, in order, and nothing else.
  Fault check_rounds(std::size_t first) const {
    const Collective& step = plan_.steps[first].collective;
    const auto* exchange = std::get_if<Exchange>(&step.effect);
    if (exchange == nullptr) return "only an exchange is cut into rounds";
    const Round round = *round_of(step);
    if (round.index != 0) return "it is not the first of its rounds";
    if (round.count < 2) return "it is cut into fewer than two rounds";
    if (round.count > static_cast<std::int64_t>(plan_.steps.size() - first)) return "some of its rounds are missing";
    for (std::int64_t k = 0; k < round.count; ++k) {
      const PlanStep& next = plan_.steps[first + static_cast<std::size_t>(k)];
      const auto* next_exchange = std::get_if<Exchange>(&next.collective.effect);
      const Round* next_round = round_of(next.collective);
      const bool same = next_exchange != nullptr && next_exchange->target == exchange->target &&
                        next_round != nullptr && *next_round == Round{k, round.count, round.dimension} &&
                        next.after == plan_.steps[first].after;
      if (!same) return fmt::format("its round {} is another step", k + 1);
    }
    return std::nullopt;
  }

  // An exchange in rounds: what has left makes room, so that its source must be all that is alive.
  Fault take_rounds(std::size_t first) {
    if (auto fault = check_rounds(first)) return fault;
    const PlanStep& step = plan_.steps[first];
    const Holdings after(step.after);
    if (auto fault = check_sums_fit(after)) return fault;
    if (auto fault = check_step(state_, step.collective, step.after, after)) return fault;
    if (live_ != tile_bytes_of(state_.standing, step.after.element())) return "its source is a view of a larger tile";
    if (auto fault = follow_contributors(state_, step.collective, after)) return fault;
    if (auto fault = replay_rounds(first, after)) return fault;
    state_.type = step.after;
    state_.standing = after;
    return std::nullopt;
  }

  // In every round a device holds what has not left before it and what has arrived by then.
  Fault replay_rounds(std::size_t first, const Holdings& after) {
    const PlanStep& step = plan_.steps[first];
    const Round round = *round_of(step.collective);
    const Numbers output = tile_bytes_of(after, step.after.element());
    const RoundReplay replay(state_.standing, after, round.dimension);
    std::vector<Numbers> received_in;
    Numbers arrived(output.size(), 0);
    for (std::int64_t k = 0; k < round.count; ++k) {
      const RoundElements moved = replay.elements_of(Round{k, round.count, round.dimension});
      const Numbers received = in_bytes(moved.received);
      add(arrived, by_run_device(after, in_bytes(moved.arrive)), 1);
      const std::int64_t peak = largest_sum(live_, arrived);
      add(live_, by_run_device(state_.standing, in_bytes(moved.leave)), -1);
      const PlanStep& next = plan_.steps[first + static_cast<std::size_t>(k)];
      if (auto fault = check_step_counts(next, received, after, peak)) return fault;
      received_in.push_back(received);
    }
    std::vector<double> prices;
    Fault priced =
        listed_of(step.collective) == nullptr
            ? CopyPrices(state_, after, step.after, machine_).replay(senders_, received_in, round.dimension, prices)
            : follow_listed_rounds(first, after, replay, received_in, prices);
    if (priced) return priced;
    for (std::size_t k = 0; k < prices.size(); ++k) add_seconds(plan_.steps[first + k], prices[k]);
    if (arrived != output) return "its rounds do not bring every element once";
    if (largest(live_) != 0) return "its rounds do not take every element away";
    live_ = output;
    return std::nullopt;
  }

  Numbers in_bytes(Numbers elements) const {
    for (std::int64_t& count : elements) count *= bytes_of(plan_.from.element());
    return elements;
  }
  static void add(Numbers& to, const Numbers& more, std::int64_t times) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * more[i];
  }

  void add_seconds(const PlanStep& step, double seconds) {
    seconds_ += seconds;
    priced_ = priced_ || step.seconds != 0;
    price_fault_ = first_of({price_fault_, differs_in_seconds("seconds", step.seconds, seconds)});
  }

  // `beside`: what it needs on the way that is in neither of its tiles.
  Fault check_step_figures(const PlanStep& step, const Numbers& received, const Holdings& after, std::int64_t beside) {
    const Numbers output = tile_bytes_of(after, step.after.element());
    const bool is_view = std::holds_alternative<Slice>(step.collective.effect);
    const std::int64_t peak = is_view ? largest(live_) : largest_sum(live_, output) + beside;
    if (!is_view) live_ = output;
    return check_step_counts(step, received, after, peak);
  }

  Fault check_step_counts(const PlanStep& step, const Numbers& received, const Holdings& after, std::int64_t peak) {
    const Numbers output = tile_bytes_of(after, step.after.element());
    local_ = std::max(local_, largest(output));
    peak_ = std::max(peak_, peak);
    received_ += sum(received);
    const auto [groups, group_size] = groups_of(step.collective, state_.standing, after);
    return first_of({differs("local_bytes_max", step.local_bytes_max, largest(output)),
                     differs("received_bytes_total", step.received_bytes_total, sum(received)),
                     differs("received_bytes_max", step.received_bytes_max, largest(received)),
                     differs("peak_bytes", step.peak_bytes, peak), differs("groups", step.groups, groups),
                     differs("group_size", step.group_size, group_size)});
  }

  Fault check_figures() const {
    const Numbers from = tile_bytes_of(Holdings(plan_.from), plan_.from.element());
    const Numbers to = tile_bytes_of(Holdings(plan_.to), plan_.to.element());
    const std::int64_t bound = std::max(largest(from), largest(to));
    const std::int64_t local = std::max(local_, bound);
    const std::int64_t peak = plan_.steps.empty() ? bound : peak_;
    if (priced_ && price_fault_) return price_fault_;
    return first_of({differs("received_bytes_total", plan_.received_bytes_total, received_),
                     differs("local_bytes_max", plan_.local_bytes_max, local),
                     differs("bound_bytes", plan_.bound_bytes, bound), differs("peak_bytes", plan_.peak_bytes, peak),
                     differs_in_seconds("seconds", plan_.seconds, seconds_)});
  }

  Fault check_bounds() const {
    base::look_for_stop();
    const bool promises = plan_.bound_promised;
    if (promises && plan_.local_bytes_max > plan_.bound_bytes) return "an array is larger than both ends";
    if (const auto least = least_bytes(plan_.from, plan_.to)) {
      if (auto fault = differs("lower_bound_bytes_total", plan_.lower_bound_bytes_total, *least)) return fault;
    }
    if (plan_.received_bytes_total < plan_.lower_bound_bytes_total) return "it receives less than any plan can";
    if (auto fault = check_least_seconds()) return fault;
    if (plan_.seconds < plan_.lower_bound_seconds * (1 - kSecondsTolerance)) return "it is faster than any plan can be";
    return std::nullopt;
  }

  // For many devices a plan may claim a bound above what each device lacks, if the units prove it.
  Fault check_least_seconds() const {
    const Holdings from(plan_.from);
    const Holdings to(plan_.to);
    const std::int64_t element_bytes = bytes_of(plan_.to.element());
    const double least = least_seconds(from, to, machine_, element_bytes);
    const double claimed = plan_.lower_bound_seconds;
    const bool is_small = std::max(from.devices(), to.devices()) <= kExplicitDevicesMax;
    if (is_small || claimed < least) return differs_in_seconds("lower_bound_seconds", claimed, least);
    const double most = std::max(least, least_seconds_of_units(from, to, machine_, element_bytes));
    return claimed <= most ? Fault{} : differs_in_seconds("lower_bound_seconds", claimed, most);
  }

  const Plan& plan_;
  const RunMachine& machine_;
  const Senders& senders_;
  State state_;
  std::int64_t contributors_ = 1;
  Numbers live_;  // of every device: its input, or what its input is a view of
  std::int64_t local_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t received_ = 0;
  double seconds_ = 0;
  bool priced_ = false;  // a plan that was read says only the sum of its seconds
  Fault price_fault_;
};

}  // namespace

Fault run(const Plan& plan, const RunMachine& machine, const Senders& senders) {
  return PlanVerifier(plan, machine, senders).run();
}

}  // namespace tessera::synth::verifier
