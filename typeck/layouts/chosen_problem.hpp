// What an `auto fn` is as a problem, and which node of it each typed node is.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/source.hpp"
#include "synth/program/choice/problem.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// What a typed node gives: a value of the problem. Where it is the result of a call or loop, `executions` is how often
// that is made.
struct ChosenValue {
  synth::ChoiceValueId value;
  std::optional<double> executions = {};
};

// A use of a problem's node. Uses of typed nodes are numbered: an operation's operands; of a loop its count, the first
// values, then the next ones; of an `if` its condition, the values of the first branch, then those of the second; of a
// call its arguments.
struct ChosenUseAt {
  std::size_t node = 0;
  std::size_t use = 0;
  // A join's node and use that take the value before (folding.hpp): what is said above is a use of the join's value.
  std::optional<std::pair<std::size_t, std::size_t>> by_join = {};
};

// The body of a function: once for all of its calls, or for each.
struct ChosenBody {
  InstanceId instance;
  std::map<std::pair<NodeId, std::size_t>, ChosenValue> values;  // of a node's result
  std::map<std::pair<NodeId, std::size_t>, ChosenUseAt> uses;    // of a node's use
  std::map<NodeId, ChosenBody*> calls;
  std::vector<std::optional<ChosenUseAt>> results;  // nothing: the result is handed over as it is made
};

struct ChosenProblem {
  synth::ChoiceProblem problem;
  std::vector<std::size_t> makers;                  // of every value the node that makes it
  std::vector<std::unique_ptr<ChosenBody>> bodies;  // the function's is the last
  std::vector<base::Span> uncounted;                // loops that are taken nobody knows how often

  const ChosenBody& top() const { return *bodies.back(); }
};

}  // namespace tessera::typeck
