// An `auto fn` as a problem of synth: operations with shapes, joins for all else, pins for what the text says; and
// which node of the problem each typed node is, so that the choice can be taken over (typeck/insert/chosen.cpp).
//
// Say, `auto fn f(x: T?, w: T auto) -> T as w = x @ w` is a join with the pin of x's layout, a join for w, which
// uses the result, and the contraction.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "synth/program/choice/choice.hpp"
#include "synth/program/choice/problem.hpp"
#include "typeck/layouts/whole.hpp"
#include "typeck/open/open.hpp"

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

struct ProblemOptions {
  bool is_untied = false;  // each call is laid out by itself
};

// `arguments` are the layouts of the function's arguments; nothing: chosen. Fails with auto-mesh.
base::Result<ChosenProblem> problem_of(const WholeFunction& whole, const open::ChosenLayouts& chosen,
                                       const std::vector<std::optional<synth::Layout>>& arguments,
                                       const ProblemOptions& options = {});

}  // namespace tessera::typeck
