#include "synth/program/choice/problem.hpp"

#include <algorithm>
#include <set>

#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

bool is_operation_of_choices(const Operation& operation) {
  return has_result(operation) && !std::holds_alternative<Collect>(operation);
}

void check_lives(const ChoiceProblem& problem) {
  if (problem.lives.empty()) return;
  std::set<std::pair<std::size_t, std::size_t>> read;
  for (const ChoiceLife& life : problem.lives) {
    TESSERA_CHECK(life.value.value < problem.values.size() && life.born <= life.dies, "a life is of no value");
    for (const ChoiceRead& own : life.reads) {
      const bool is_use = own.node < problem.nodes.size() && own.use < problem.nodes[own.node].uses.size();
      TESSERA_CHECK(is_use && problem.nodes[own.node].uses[own.use].value == life.value, "a read is of no use");
      TESSERA_CHECK(own.moment <= own.until && own.until <= life.dies, "a value is read when it is there no more");
      read.emplace(own.node, own.use);
    }
  }
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    for (std::size_t u = 0; u < problem.nodes[n].uses.size(); ++u)
      TESSERA_CHECK(read.contains({n, u}), "a use takes its value at no time");
  }
}

}  // namespace

ChoiceValueId ChoiceProblem::add(ElementType element, const Shape& shape) {
  values.push_back({element, shape});
  return ChoiceValueId{static_cast<std::uint32_t>(values.size() - 1)};
}

void check_problem(const ChoiceProblem& problem) {
  std::vector<char> made(problem.values.size(), 0);
  for (const std::size_t axis : problem.axes) {
    TESSERA_CHECK(axis < problem.mesh->axes().size(), "a chosen axis is not of the mesh");
  }
  for (const ChoiceNode& node : problem.nodes) {
    TESSERA_CHECK(node.executions > 0, "a node never runs");
    TESSERA_CHECK(!node.operation || (node.result && is_operation_of_choices(*node.operation)),
                  "an effect or a collective stands among the operations");
    for (const ChoiceUse& use : node.uses) {
      TESSERA_CHECK(use.value.value < made.size(), "a use is of no value");
      TESSERA_CHECK(!node.operation || made[use.value.value] != 0, "an operation uses what is made later");
    }
    TESSERA_CHECK(node.result || !node.uses.empty(), "a join has neither a use nor a result");
    if (!node.result) continue;
    TESSERA_CHECK(node.result->value < made.size() && made[node.result->value] == 0, "a value is made twice");
    made[node.result->value] = 1;
  }
  TESSERA_CHECK(std::ranges::find(made, 0) == made.end(), "nobody makes a value");
  check_lives(problem);
}

std::optional<ArrayType> type_in(const ChoiceProblem& problem, ChoiceValueId value, const Layout& layout) {
  const ChoiceValue& own = problem[value];
  auto type = ArrayType::make(own.element, own.shape, problem.mesh, layout);
  if (!type.ok()) return std::nullopt;
  return std::move(type).value();
}

}  // namespace tessera::synth
