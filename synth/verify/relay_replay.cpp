#include "synth/verify/relay_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/stop_scope.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/verify/slot_loads.hpp"

namespace tessera::synth::verifier {

namespace {

// A device's position along the pending axes, then its place in every dimension.
using Stand = std::vector<std::int64_t>;
using Groups = std::map<Stand, Numbers>;  // the devices of every stand, ascending

Groups groups_of(const Holdings& standing) {
  Groups groups;
  for (std::int64_t device = 0; device < standing.devices(); ++device) {
    const auto at = static_cast<std::size_t>(device);
    Stand stand{standing.pending[at]};
    for (const Numbers& places : standing.place) stand.push_back(places[at]);
    groups[stand].push_back(device);
  }
  return groups;
}

class RelayReplay {
 public:
  RelayReplay(const State& before, const RelayRecipe& recipe, const Holdings& after, const RunMachine& machine)
      : before_(before.standing),
        after_(after),
        recipe_(recipe),
        loads_(machine, bytes_of(before.type.element())),
        first_hop_(static_cast<std::size_t>(std::max(before_.ids.back(), after_.ids.back())) + 1, -1) {}

  Fault follow() {
    const Groups holders = groups_of(before_);
    const Groups needers = groups_of(after_);
    std::size_t task = 0;
    for (const auto& [target, wanting] : needers) {
      for (const auto& [source, holding] : holders) {
        if (source[0] != target[0] || !meet(holding.front(), wanting.front())) continue;  // parts of sums stay apart
        const std::vector<Interval> box = shared_box(holding.front(), wanting.front());
        const Numbers holders_of_run = of_run(before_, holding);
        const Numbers wanting_of_run = of_run(after_, wanting);
        Numbers needing;
        std::set_difference(wanting_of_run.begin(), wanting_of_run.end(), holders_of_run.begin(), holders_of_run.end(),
                            std::back_inserter(needing));
        if (needing.empty()) continue;
        if (task == recipe_.tasks.size()) return "a box that is needed is in none of its tasks";
        if (auto fault = follow_task(recipe_.tasks[task], box, holders_of_run, needing))
          return fmt::format("task {}: {}", task + 1, *fault);
        ++task;
      }
    }
    if (task != recipe_.tasks.size()) return "it has tasks for which there is no box";
    if (recipe_.stretches < 1) return "it has no stretch";
    if (loads_.hops() != recipe_.hops)
      return fmt::format("its hops are said to be {} and are {}", recipe_.hops, loads_.hops());
    return std::nullopt;
  }

  double seconds() const { return loads_.seconds(recipe_.stretches); }

 private:
  static Numbers of_run(const Holdings& standing, Numbers numbers) {
    for (std::int64_t& number : numbers) number = standing.ids[static_cast<std::size_t>(number)];
    return numbers;
  }
  bool meet(std::int64_t holder, std::int64_t needer) const {
    for (std::size_t d = 0; d < before_.extents.size(); ++d) {
      const Interval& held = before_.interval(d, holder);
      const Interval& wanted = after_.interval(d, needer);
      if (std::max(held.begin, wanted.begin) >= std::min(held.end, wanted.end)) return false;
    }
    return true;
  }
  std::vector<Interval> shared_box(std::int64_t holder, std::int64_t needer) const {
    std::vector<Interval> box;
    for (std::size_t d = 0; d < before_.extents.size(); ++d) {
      const Interval& held = before_.interval(d, holder);
      const Interval& wanted = after_.interval(d, needer);
      box.push_back(Interval{std::max(held.begin, wanted.begin), std::min(held.end, wanted.end)});
    }
    return box;
  }

  // Parts are stretches of the box' longest dimension, as long as their weights say.
  Fault follow_task(const std::vector<RelayPart>& parts, const std::vector<Interval>& box, const Numbers& holding,
                    const Numbers& needing) {
    Numbers lengths;
    for (const Interval& interval : box) lengths.push_back(interval.length());
    std::int64_t weights = 0;
    for (const RelayPart& part : parts) {
      if (part.weight < 1) return "a part weighs nothing";
      weights += part.weight;
    }
    if (weights == 0) return "it has no parts";
    const auto longest = std::max_element(lengths.begin(), lengths.end()) - lengths.begin();
    std::int64_t before = 0;
    for (const RelayPart& part : parts) {
      Numbers cut_lengths = lengths;
      if (!lengths.empty()) {
        const std::int64_t length = lengths[static_cast<std::size_t>(longest)];
        cut_lengths[static_cast<std::size_t>(longest)] =
            part_begin(length, weights, before + part.weight) - part_begin(length, weights, before);
      } else if (before > 0) {
        return std::nullopt;  // a scalar is not cut
      }
      before += part.weight;
      if (auto fault = follow_part(part, cut_lengths, holding, needing)) return fault;
    }
    return std::nullopt;
  }

  // Devices get the part in the order of hops, until nobody new has it.
  Fault follow_part(const RelayPart& part, const Numbers& lengths, const Numbers& holding, const Numbers& needing) {
    base::look_for_stop();
    if (part.sources.size() != needing.size()) return "a part does not say who sends to each device that needs it";
    constexpr std::int64_t kNever = -1;
    Numbers& has = first_hop_;  // the first hop in which a device can send it
    for (const std::int64_t device : holding) has[static_cast<std::size_t>(device)] = 0;
    std::size_t reached = 0;
    for (std::int64_t hop = 0; reached < needing.size(); ++hop) {
      Numbers reached_now;
      for (std::size_t i = 0; i < needing.size(); ++i) {
        const std::int64_t source = part.sources[i];
        const bool exists = source >= 0 && source < std::ssize(has);
        if (!exists || has[static_cast<std::size_t>(needing[i])] != kNever) continue;
        if (has[static_cast<std::size_t>(source)] != hop) continue;
        reached_now.push_back(needing[i]);
        loads_.add(source, needing[i], hop, lengths);
      }
      if (reached_now.empty()) break;
      for (const std::int64_t device : reached_now) has[static_cast<std::size_t>(device)] = hop + 1;
      reached += reached_now.size();
    }
    for (const auto* devices : {&holding, &needing}) {
      for (const std::int64_t device : *devices) has[static_cast<std::size_t>(device)] = kNever;
    }
    if (reached != needing.size()) return "a part does not reach a device that needs it";
    return std::nullopt;
  }

  const Holdings& before_;
  const Holdings& after_;
  const RelayRecipe& recipe_;
  SlotLoads loads_;
  Numbers first_hop_;
};

}  // namespace

Fault replay_relay(const State& before, const RelayRecipe& recipe, const Holdings& after, const RunMachine& machine,
                   double& seconds) {
  RelayReplay replay(before, recipe, after, machine);
  if (auto fault = replay.follow()) return fault;
  seconds = replay.seconds();
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
