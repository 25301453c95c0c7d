#include "tests/synth/choose/choose_support.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "synth/program/compute_cost.hpp"
#include "synth/program/program.hpp"
#include "synth/program/type_rules.hpp"
#include "synth/verify/choice.hpp"

namespace tessera::synth::test {

std::size_t roll(Dice& dice, std::size_t sides) { return static_cast<std::size_t>(dice() % sides); }

namespace {

// ---- Layouts ----

// Every layout of so many dimensions: each axis, in each of its cuts, on a dimension, in a pending sum, or nowhere.
std::vector<Layout> layouts_in_cuts(const Mesh& mesh, std::size_t rank, const std::vector<ReduceOp>& kinds) {
  std::set<Layout> found;
  ReduceOp kind = ReduceOp::sum;
  const std::function<void(std::size_t, std::vector<AxisList>, AxisList)> put = [&](std::size_t axis, auto splits,
                                                                                    auto pending) {
    if (axis == mesh.axes().size()) {
      found.insert(Layout::make(mesh, splits, pending, pending.empty() ? ReduceOp::sum : kind).value());
      return;
    }
    put(axis + 1, splits, pending);
    for (std::size_t d = 0; d < rank; ++d) {
      for (std::size_t cut = 0; cut <= mesh.axes()[axis].cuts.size(); ++cut) {
        auto more = splits;
        more[d].push_back(whole_axis(mesh, axis));
        more[d].back().cut = static_cast<std::uint8_t>(cut);
        put(axis + 1, more, pending);
      }
    }
    if (kinds.empty()) return;
    auto sum = pending;
    sum.push_back(whole_axis(mesh, axis));
    put(axis + 1, splits, sum);
  };
  put(0, std::vector<AxisList>(rank), {});
  for (const ReduceOp own : kinds) {
    kind = own;
    put(0, std::vector<AxisList>(rank), {});
  }
  return {found.begin(), found.end()};
}

// ---- Random programs ----

class RandomProgram {
 public:
  RandomProgram(const MeshRef& mesh, Dice& dice) : dice_(dice) {
    problem_.mesh = mesh;
    problem_.axes.resize(mesh->axes().size());
    std::iota(problem_.axes.begin(), problem_.axes.end(), std::size_t{0});
    // Matrices of one square shape go together in every operation.
    extent_ = std::array<std::int64_t, 3>{8, 12, 64}.at(roll(dice, 3));
    element_ = roll(dice, 4) == 0 ? ElementType::i64 : ElementType::f32;
  }

  ChoiceProblem run(std::size_t operations) {
    for (std::size_t i = 0; i < 1 + roll(dice_, 2); ++i) parameter();
    for (std::size_t i = 0; i < operations; ++i) operation();
    finish();
    return std::move(problem_);
  }

 private:
  Shape matrix() const { return {extent_, extent_}; }
  Shape vector() const { return {extent_}; }

  ChoiceValueId push(ChoiceNode node, const Shape& shape) {
    node.result = problem_.add(element_, shape);
    problem_.nodes.push_back(std::move(node));
    return *problem_.nodes.back().result;
  }
  void parameter() {
    ChoiceNode node;
    if (roll(dice_, 3) == 0) {
      const std::vector<Layout> all = layouts_in_cuts(*problem_.mesh, 2, {});
      node.pin = all[roll(dice_, all.size())];
    }
    matrices_.push_back(push(node, matrix()));
    parameters_.push_back(problem_.nodes.size() - 1);
  }
  ChoiceValueId any(const std::vector<ChoiceValueId>& of) { return of[roll(dice_, of.size())]; }

  void apply(Operation operation, std::vector<ChoiceValueId> operands, const Shape& shape) {
    ChoiceNode node;
    node.operation = std::move(operation);
    for (const ChoiceValueId operand : operands) node.uses.push_back({operand, {}});
    node.executions = static_cast<double>(1 + roll(dice_, 2));
    node.scales_sums = roll(dice_, 4) == 0;
    const ChoiceValueId made = push(std::move(node), shape);
    (shape.size() == 2 ? matrices_ : vectors_).push_back(made);
  }

  void operation() {
    const ChoiceValueId a = any(matrices_);
    const ChoiceValueId b = any(matrices_);
    switch (roll(dice_, 9)) {
      case 0:
      case 1: return apply(Contract{{{0, 1}, {1, 2}}, {0, 2}}, {a, b}, matrix());
      case 2: return apply(Map{MapOp::add}, {a, b}, matrix());
      case 3: return apply(Map{MapOp::multiply}, {a, b}, matrix());
      case 4: return apply(Map{MapOp::relu}, {a}, matrix());
      case 5: return apply(Transpose{{1, 0}}, {a}, matrix());
      case 6: return apply(Reduce{ReduceKind::sum, {static_cast<std::uint8_t>(roll(dice_, 2))}}, {a}, vector());
      case 7: return apply(Scan{static_cast<std::uint8_t>(roll(dice_, 2)), false}, {a}, matrix());
      default:
        if (vectors_.empty()) return apply(Map{MapOp::negate}, {a}, matrix());
        return apply(Map{MapOp::subtract}, {a, any(vectors_)}, matrix());
    }
  }

  // What nobody reads is a result; a parameter's next value lies as the parameter does.
  void finish() {
    std::set<std::uint32_t> read;
    for (const ChoiceNode& node : problem_.nodes) {
      for (const ChoiceUse& use : node.uses) read.insert(use.value.value);
    }
    bool has_next = roll(dice_, 2) == 0;
    for (std::uint32_t v = 0; v < problem_.values.size(); ++v) {
      if (read.contains(v)) continue;
      if (has_next && problem_.values[v].shape.size() == 2) {
        problem_.nodes[parameters_[0]].uses.push_back({ChoiceValueId{v}, {}});
        has_next = false;
        continue;
      }
      ChoiceNode node;
      node.uses = {{ChoiceValueId{v}, {}}};
      problem_.nodes.push_back(std::move(node));
    }
  }

  Dice& dice_;
  ChoiceProblem problem_;
  std::int64_t extent_ = 8;
  ElementType element_ = ElementType::f32;
  std::vector<ChoiceValueId> matrices_;
  std::vector<ChoiceValueId> vectors_;
  std::vector<std::size_t> parameters_;
};

// ---- Enumeration ----

bool is_product(const ChoiceNode& node) {
  const auto* map = std::get_if<Map>(&*node.operation);
  return (map != nullptr && (map->op == MapOp::multiply || map->op == MapOp::divide)) ||
         (std::holds_alternative<Contract>(*node.operation) && node.uses.size() > 1);
}

}  // namespace

std::vector<std::vector<Layout>> accepted_layouts(const ChoiceProblem& problem, const ChoiceNode& node,
                                                  const std::vector<ReduceOp>& kinds) {
  std::vector<std::vector<Layout>> found;
  std::vector<std::vector<Layout>> of_operands;
  for (const ChoiceUse& use : node.uses)
    of_operands.push_back(layouts_in_cuts(*problem.mesh, problem[use.value].shape.size(), kinds));
  const ChoiceValue& result = problem[*node.result];
  const std::vector<Layout> results = layouts_in_cuts(*problem.mesh, result.shape.size(), kinds);
  const bool keeps_sums_out = is_product(node) && is_float(result.element) && !node.scales_sums;
  std::vector<Layout> taken;
  const std::function<void()> next = [&] {
    if (taken.size() < node.uses.size()) {
      for (const Layout& layout : of_operands[taken.size()]) {
        if (keeps_sums_out && !layout.pending().empty() && layout.reduce() == ReduceOp::sum) continue;
        taken.push_back(layout);
        next();
        taken.pop_back();
      }
      return;
    }
    std::vector<ArrayType> types;
    for (std::size_t u = 0; u < taken.size(); ++u)
      types.push_back(type_in(problem, node.uses[u].value, taken[u]).value());
    Operands operands;
    for (const ArrayType& type : types) operands.push_back(&type);
    for (const Layout& layout : results) {
      const auto type = type_in(problem, *node.result, layout);
      if (type_error(Program{}, *node.operation, operands, &*type)) continue;
      found.push_back(taken);
      found.back().push_back(layout);
    }
  };
  next();
  return found;
}

namespace {

class Enumeration {
 public:
  Enumeration(const ChoiceProblem& problem, const Machine& machine)
      : problem_(problem), cache_(machine), devices_(with_every_device(machine, problem.mesh->devices_end())) {}

  std::optional<double> run() {
    for (const ChoiceNode& node : problem_.nodes) ways_.push_back(node.operation ? operation(node) : join(node));
    readers_.resize(problem_.values.size());
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      for (std::size_t u = 0; u < problem_.nodes[n].uses.size(); ++u)
        readers_[problem_.nodes[n].uses[u].value.value].push_back({n, u});
    }
    taken_.resize(problem_.nodes.size(), nullptr);
    settled_.resize(problem_.nodes.size());
    for (std::size_t v = 0; v < readers_.size(); ++v) {
      if (!readers_[v].empty()) settled_[last_of(v)].push_back(v);
    }
    go_on(0, 0);
    if (tried_ > kTriesMax) return std::nullopt;
    return best_;
  }

 private:
  static constexpr std::int64_t kTriesMax = 100'000;
  struct Way {
    std::vector<Layout> layouts;  // of the uses and, last, the result
    double seconds = 0;
  };

  std::vector<Way> operation(const ChoiceNode& node) {
    std::vector<Way> ways;
    for (std::vector<Layout>& layouts : accepted_layouts(problem_, node, {ReduceOp::sum})) {
      std::vector<ArrayType> operands;
      for (std::size_t u = 0; u < node.uses.size(); ++u)
        operands.push_back(*type_in(problem_, node.uses[u].value, layouts[u]));
      const ArrayType result = *type_in(problem_, *node.result, layouts.back());
      ways.push_back({layouts, node.executions * local_seconds(devices_, *node.operation, operands, result)});
    }
    return ways;
  }

  std::vector<Way> join(const ChoiceNode& node) {
    const ChoiceValueId value = node.result ? *node.result : node.uses[0].value;
    std::vector<Way> ways;
    for (const Layout& layout : layouts_in_cuts(*problem_.mesh, problem_[value].shape.size(), {})) {
      if (!node.pin || *node.pin == layout) ways.push_back({std::vector<Layout>(node.uses.size() + 1, layout), 0});
    }
    return ways;
  }

  // The node with which a value's maker and readers all are laid out.
  std::size_t last_of(std::size_t value) const {
    std::size_t last = 0;
    for (std::size_t m = 0; m < problem_.nodes.size(); ++m) {
      if (problem_.nodes[m].result && problem_.nodes[m].result->value == value) last = std::max(last, m);
    }
    for (const auto& [node, use] : readers_[value]) last = std::max(last, node);
    return last;
  }

  void go_on(std::size_t n, double seconds) {
    if (seconds >= best_ || ++tried_ > kTriesMax) return;
    if (n == problem_.nodes.size()) {
      best_ = seconds;
      return;
    }
    for (const Way& way : ways_[n]) {
      taken_[n] = &way;
      double more = way.seconds;
      for (const std::size_t v : settled_[n]) more += conversions(v);
      go_on(n + 1, seconds + more);
    }
    taken_[n] = nullptr;
  }

  double seconds(std::size_t value, const Layout& from, const Layout& to) {
    const ChoiceValueId id{static_cast<std::uint32_t>(value)};
    const auto key = std::tuple(problem_[id].shape.size(), problem_[id].shape[0], from, to);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const auto plan = cache_.get(*type_in(problem_, id, from), *type_in(problem_, id, to));
    return known_.emplace(key, plan.ok() ? (*plan)->seconds : 1e30).first->second;
  }

  double conversions(std::size_t value) {
    std::vector<const void*> key{&readers_[value]};
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      if (problem_.nodes[n].result && problem_.nodes[n].result->value == value) key.push_back(taken_[n]);
    }
    for (const auto& [node, use] : readers_[value]) key.push_back(taken_[node]);
    const auto known = found_.find(key);
    if (known != found_.end()) return known->second;
    return found_.emplace(key, least_of_copies(value)).first->second;
  }

  // Tries every set of copies.
  double least_of_copies(std::size_t value) {
    double executions = 1;
    const Layout* made = nullptr;
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      if (!problem_.nodes[n].result || problem_.nodes[n].result->value != value) continue;
      made = &taken_[n]->layouts.back();
      executions = problem_.nodes[n].executions;
    }
    std::set<Layout> wants;
    std::set<Layout> may_be;
    for (const auto& [node, use] : readers_[value]) {
      wants.insert(taken_[node]->layouts[use]);
      for (const Way& way : ways_[node]) may_be.insert(way.layouts[use]);
    }
    std::erase_if(wants, [&](const Layout& want) { return seconds(value, *made, want) == 0; });
    const std::vector<Layout> copies(may_be.begin(), may_be.end());
    double best = wants.empty() ? 0 : 1e30;
    const std::function<void(std::size_t, double, const std::set<Layout>&)> copy = [&](std::size_t first, double spent,
                                                                                       const std::set<Layout>& open) {
      if (open.empty()) best = std::min(best, spent);
      for (std::size_t c = first; !open.empty() && c < copies.size(); ++c) {
        const double more = spent + executions * seconds(value, *made, copies[c]);
        if (more >= best) continue;
        std::set<Layout> left = open;
        std::erase_if(left, [&](const Layout& want) { return seconds(value, copies[c], want) == 0; });
        if (left.size() < open.size()) copy(c + 1, more, left);
      }
    };
    copy(0, 0, wants);
    return best;
  }

  const ChoiceProblem& problem_;
  PlanCache cache_;
  Machine devices_;
  std::vector<std::vector<Way>> ways_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> readers_;
  std::vector<const Way*> taken_;
  std::vector<std::vector<std::size_t>> settled_;  // of every node the values that are laid out with it
  std::map<std::vector<const void*>, double> found_;
  std::map<std::tuple<std::size_t, std::int64_t, Layout, Layout>, double> known_;
  double best_ = 1e30;
  std::int64_t tried_ = 0;
};

}  // namespace

ChoiceProblem random_problem(const MeshRef& mesh, std::size_t operations, Dice& dice) {
  return RandomProgram(mesh, dice).run(operations);
}

LayoutChoice verified_choice(const ChoiceProblem& problem, const Machine& machine, const ChooseOptions& options) {
  PlanCache cache(machine);
  auto choice = choose(problem, cache, options);
  EXPECT_TRUE(choice.ok()) << first_message(choice);
  const auto fault = fault_of_choice(problem, *choice, machine);
  EXPECT_FALSE(fault.has_value()) << *fault;
  return *choice;
}

std::optional<double> least_by_enumeration(const ChoiceProblem& problem, const Machine& machine) {
  return Enumeration(problem, machine).run();
}

std::vector<Machine> machines_of(const Mesh& mesh) {
  const std::int64_t devices = mesh.devices();
  Machine slow;
  slow.levels = {{"device", devices, 1e9, 5e-6}};
  Machine steep;
  steep.levels = {{"device", devices, 1e9, 1e-8}};
  steep.devices = {{1, 4e9, 1e9, 0}, {devices - 1, 1e9, 1e9, 0}};
  Machine levels;
  levels.levels = {{"node", 2, 1e9, 5e-6}, {"device", devices / 2, 1e11, 1e-6}};
  if (devices % 2 != 0) return {Machine{}, slow, steep};
  return {Machine{}, slow, steep, levels};
}

}  // namespace tessera::synth::test
