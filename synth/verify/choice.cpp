#include "synth/verify/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "synth/program/choice/problem.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/program/type_rules.hpp"
#include "synth/verify/assembled.hpp"
#include "synth/verify/holdings.hpp"
#include "synth/verify/verify.hpp"

namespace tessera::synth {

namespace {

using ChoiceFault = std::optional<std::string>;

constexpr double kAddedUp = 1e-9;

// Of the boxes of one layout two are the same or have nothing in common. How many elements of a box all of these cover.
std::int64_t covered(const Box& box, std::vector<Box> tiles) {
  std::ranges::sort(tiles);
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  std::int64_t count = 0;
  for (const Box& own : tiles) count += elements(intersect(own, box));
  return count;
}

// Is `to` made of what every device has of `from`? It is finished, or a part of the same sum. Where the sum becomes
// pending over more axes, the devices along them give what they hold, each element one of them, and nothing else.
bool is_at_hand(const ArrayType& from, const ArrayType& to) {
  if (same_type(from, to)) return true;
  const AxisList& before = from.layout().pending();
  const AxisList& after = to.layout().pending();
  const auto is_in = [](const AxisList& list) {
    return [&list](const AxisPart& part) { return std::ranges::find(list, part) != list.end(); };
  };
  if (!std::ranges::all_of(before, is_in(after))) return false;
  if (!before.empty() && from.layout().reduce() != to.layout().reduce()) return false;
  AxisList more = after;
  std::erase_if(more, is_in(before));
  const verifier::Numbers leaders = verifier::group_leaders(to.mesh(), more);
  std::vector<std::vector<Box>> held(leaders.size());  // by the devices of each leader
  for (std::size_t device = 0; device < leaders.size(); ++device)
    held[static_cast<std::size_t>(leaders[device])].push_back(tile(from, static_cast<std::int64_t>(device)));
  for (std::size_t device = 0; device < leaders.size(); ++device) {
    const Box wanted = tile(to, static_cast<std::int64_t>(device));
    if (covered(wanted, held[static_cast<std::size_t>(leaders[device])]) != elements(wanted)) return false;
  }
  return true;
}

class ChoiceCheck {
 public:
  ChoiceCheck(const ChoiceProblem& problem, const LayoutChoice& choice, const Machine& machine)
      : problem_(problem),
        choice_(choice),
        machine_(machine),
        devices_(with_every_device(machine, problem.mesh->devices_end())),
        made_(problem.values.size()),
        executions_(problem.values.size(), 1),
        taken_(choice.conversions.size(), 0) {}

  ChoiceFault run() {
    if (choice_.nodes.size() != problem_.nodes.size()) return "it has not as many nodes as the problem";
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      if (auto fault = make(n)) return fault;
    }
    for (std::size_t c = 0; c < choice_.conversions.size(); ++c) {
      if (auto fault = convert(c)) return fault;
    }
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      if (auto fault = fault_of_node(n)) return fmt::format("node {}: {}", n, *fault);
    }
    if (auto fault = fault_of_sums()) return fault;
    return fault_of_memory();
  }

 private:
  const ChoiceNode& node(std::size_t n) const { return problem_.nodes[n]; }

  ChoiceFault make(std::size_t n) {
    const ChosenNode& chosen = choice_.nodes[n];
    if (chosen.uses.size() != node(n).uses.size() || chosen.result.has_value() != node(n).result.has_value())
      return fmt::format("node {} has not the uses and the result that it should have", n);
    if (!chosen.result) return std::nullopt;
    made_[node(n).result->value] = type_in(problem_, *node(n).result, *chosen.result);
    executions_[node(n).result->value] = node(n).executions;
    if (made_[node(n).result->value]) return std::nullopt;
    return fmt::format("the result of node {} cannot have its layout", n);
  }

  // The type that a use or a conversion begins with; nothing where there is none such.
  std::optional<ArrayType> source(ChoiceValueId value, std::optional<std::size_t> copy, std::size_t before) const {
    if (!copy) return made_[value.value];
    if (*copy >= before || choice_.conversions[*copy].value != value) return std::nullopt;
    return choice_.conversions[*copy].plan->to;
  }

  ChoiceFault convert(std::size_t c) {
    const ChosenConversion& own = choice_.conversions[c];
    const auto from = source(own.value, own.of_copy, c);
    if (own.plan == nullptr || !from || !(*from == own.plan->from))
      return fmt::format("conversion {} begins elsewhere", c);
    const auto fault = fault_of(*own.plan, machine_);
    if (!fault.ok()) return fmt::format("the machine does not fit conversion {}", c);
    if (*fault) return fmt::format("conversion {}: {}", c, **fault);
    conversions_ += own.executions * own.plan->seconds;
    return std::nullopt;
  }

  ChoiceFault fault_of_node(std::size_t n) {
    const ChosenNode& chosen = choice_.nodes[n];
    std::vector<ArrayType> operands;
    for (std::size_t u = 0; u < chosen.uses.size(); ++u) {
      const ChoiceUse& use = node(n).uses[u];
      const auto wanted = type_in(problem_, use.value, chosen.uses[u].layout);
      const auto from = source(use.value, chosen.uses[u].copy, choice_.conversions.size());
      if (!wanted || !from || !is_at_hand(*from, *wanted)) return fmt::format("use {} does not find what it wants", u);
      if (chosen.uses[u].copy) taken_[*chosen.uses[u].copy] += use.executions.value_or(executions_[use.value.value]);
      operands.push_back(*wanted);
    }
    if (node(n).pin && !has(chosen, *node(n).pin)) return "it has another layout than the text gives it";
    return node(n).operation ? fault_of_operation(n, operands) : fault_of_join(n, chosen);
  }

  static bool has(const ChosenNode& chosen, const Layout& pin) {
    return chosen.result ? *chosen.result == pin : chosen.uses[0].layout == pin;
  }

  ChoiceFault fault_of_join(std::size_t n, const ChosenNode& chosen) const {
    const Layout& own = chosen.result ? *chosen.result : chosen.uses[0].layout;
    for (const ChosenUse& use : chosen.uses) {
      if (use.layout != own) return "what it joins does not lie alike";
    }
    const bool is_open = node(n).pin || node(n).may_be_pending;
    return own.pending().empty() || is_open ? ChoiceFault() : ChoiceFault("it is not finished");
  }

  ChoiceFault fault_of_operation(std::size_t n, const std::vector<ArrayType>& operands) {
    const ArrayType& result = *made_[node(n).result->value];
    Operands pointers;
    for (const ArrayType& operand : operands) pointers.push_back(&operand);
    // Literals and paths are not of the problem.
    const Operation& operation = *node(n).operation;
    const bool is_told = std::holds_alternative<Constant>(operation) || std::holds_alternative<Load>(operation);
    if (!is_told) {
      if (auto error = type_error(Program{}, operation, pointers, &result)) return error;
    }
    if (const auto* assemble = std::get_if<Assemble>(&operation)) {
      if (auto fault = fault_of_assembly(*assemble, operands, result)) return fault;
    }
    local_ += node(n).executions * local_seconds(devices_, operation, operands, result);
    return std::nullopt;
  }

  // Copies are made as often as their uses and the copies of them want, and not oftener than the value.
  ChoiceFault fault_of_sums() {
    for (std::size_t c = choice_.conversions.size(); c-- > 0;) {
      const ChosenConversion& own = choice_.conversions[c];
      if (own.of_copy) taken_[*own.of_copy] += own.executions;
      const double needed = std::min(taken_[c], executions_[own.value.value]);
      if (own.executions < needed * (1 - kAddedUp)) return fmt::format("conversion {} is made too seldom", c);
    }
    if (differ(local_, choice_.local_seconds)) return "its local steps take another time";
    if (differ(local_ + conversions_, choice_.seconds)) return "its steps and conversions take another time";
    if (choice_.bound_seconds > choice_.seconds * (1 + kAddedUp)) return "its bound is above what it takes";
    return std::nullopt;
  }

  // Does a use take the value from this copy, or from one that is made of it?
  bool comes_by(const ChosenUse& use, std::size_t copy) const {
    for (auto own = use.copy; own; own = choice_.conversions[*own].of_copy) {
      if (*own == copy) return true;
    }
    return false;
  }

  // What comes and goes, by moments: all that goes is gone before the next moment.
  struct Change {
    std::vector<const ArrayType*> types;  // one after the other: the largest counts
    int sign = 1;
  };
  using Changes = std::map<std::size_t, std::vector<Change>>;

  static void stay(const std::vector<const ArrayType*>& types, std::size_t first, std::size_t last, Changes& changes) {
    changes[first].push_back({types, 1});
    changes[last + 1].push_back({types, -1});
  }
  static std::int64_t bytes_of(const Change& change, std::int64_t device) {
    std::int64_t most = 0;
    for (const ArrayType* type : change.types) most = std::max(most, tile_bytes(*type, device));
    return change.sign * most;
  }

  void count_copies(const ChoiceLife& life, const std::vector<std::size_t>& copies, Changes& changes) const {
    for (const std::size_t copy : copies) {
      std::set<std::size_t> moments;
      for (const ChoiceRead& read : life.reads) {
        if (comes_by(choice_.nodes[read.node].uses[read.use], copy)) moments.insert({read.moment, read.until});
      }
      if (moments.empty()) continue;
      const Plan& plan = *choice_.conversions[copy].plan;
      stay({&plan.to}, *moments.begin(), *moments.rbegin(), changes);
      std::vector<const ArrayType*> between;
      for (const PlanStep& step : plan.steps) between.push_back(&step.after);
      if (between.size() < 2) continue;
      between.pop_back();
      stay(between, *moments.begin(), *moments.begin(), changes);
    }
  }

  Changes changes() const {
    std::vector<std::vector<std::size_t>> copies(problem_.values.size());
    for (std::size_t c = 0; c < choice_.conversions.size(); ++c)
      copies[choice_.conversions[c].value.value].push_back(c);
    Changes all;
    for (const ChoiceLife& life : problem_.lives) {
      count_copies(life, copies[life.value.value], all);
      if (life.has_room) stay({&*made_[life.value.value]}, life.born, life.dies, all);
    }
    return all;
  }

  ChoiceFault fault_of_memory() const {
    if (choice_.peak_bytes.empty()) return std::nullopt;
    if (std::ssize(choice_.peak_bytes) != problem_.mesh->devices()) return "it has not a peak for each device";
    const Changes all = changes();
    for (std::int64_t device = 0; device < problem_.mesh->devices(); ++device) {
      std::int64_t held = 0;
      std::int64_t most = 0;
      for (const auto& [moment, own] : all) {
        for (const Change& change : own) held += bytes_of(change, device);
        most = std::max(most, held);
      }
      const std::int64_t limit = devices_.devices[problem_.mesh->device_of_run(device).value].memory_bytes;
      const std::int64_t said = choice_.peak_bytes[static_cast<std::size_t>(device)];
      if (said != most) return fmt::format("device {} needs {} bytes, not {}", device, most, said);
      if (limit > 0 && said > limit && !choice_.shortage) return fmt::format("device {} has too little memory", device);
    }
    return std::nullopt;
  }

  static bool differ(double a, double b) { return std::abs(a - b) > kAddedUp * std::max(a, b); }

  const ChoiceProblem& problem_;
  const LayoutChoice& choice_;
  const Machine& machine_;
  Machine devices_;
  std::vector<std::optional<ArrayType>> made_;  // of every value
  std::vector<double> executions_;              // of every value
  std::vector<double> taken_;                   // of every conversion how often it is wanted
  double local_ = 0;
  double conversions_ = 0;
};

}  // namespace

std::optional<std::string> fault_of_choice(const ChoiceProblem& problem, const LayoutChoice& choice,
                                           const Machine& machine) {
  return ChoiceCheck(problem, choice, machine).run();
}

}  // namespace tessera::synth
