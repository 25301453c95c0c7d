#include "synth/verify/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "synth/machine/compute_cost.hpp"
#include "synth/program/type_rules.hpp"
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
    return fault_of_sums();
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
