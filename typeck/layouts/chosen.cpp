#include "typeck/layouts/chosen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "typeck/kinds.hpp"
#include "typeck/layouts/folding.hpp"
#include "typeck/typed/moves.hpp"

namespace tessera::typeck {

namespace {

using synth::ChoiceNode;
using synth::ChoiceUse;
using synth::ChoiceValueId;
using synth::Layout;

// How often a body of a function runs, in all calls.
class Counts {
 public:
  explicit Counts(const Typed& typed) : typed_(typed), runs_(typed.instances.size(), 0) {}

  // Functions call those that were made before them.
  std::vector<double> of(InstanceId top) {
    runs_[top.value] = 1;
    for (std::size_t k = top.value + 1; k-- > 0;) {
      if (runs_[k] > 0) region(typed_.instances[InstanceId{static_cast<std::uint32_t>(k)}].body, runs_[k]);
    }
    return runs_;
  }

 private:
  void region(const Region& nodes, double runs) {
    for (const NodeId id : nodes.order) {
      const auto& body = typed_.nodes[id].body;
      if (const auto* call = std::get_if<Call>(&body)) runs_[call->instance.value] += runs;
      if (const auto* loop = std::get_if<Loop>(&body)) region(loop->body, runs * turns(*loop));
      if (const auto* again = std::get_if<Again>(&body)) region(again->body, runs);
      if (const auto* both = std::get_if<If>(&body)) {
        region(both->then_region, runs);
        region(both->else_region, runs);
      }
    }
  }

 public:
  static double turns(const Loop& loop) {
    return loop.known_count ? std::max(1.0, static_cast<double>(*loop.known_count)) : kTurnsAssumed;
  }

 private:
  const Typed& typed_;
  std::vector<double> runs_;
};

// Makes the problem of a function; typed nodes in their order.
class ProblemMaker {
 public:
  ProblemMaker(const WholeFunction& whole, const open::ChosenLayouts& chosen, const ProblemOptions& options)
      : whole_(whole), typed_(whole.typed), chosen_(chosen), options_(options) {
    if (!options.is_untied) runs_ = Counts(typed_).of(whole.instance);
    made_.problem.mesh = chosen.mesh;
    made_.problem.axes = chosen.axes;
  }

  base::Result<ChosenProblem> run(const std::vector<std::optional<Layout>>& arguments) {
    arguments_ = &arguments;
    auto top = std::make_unique<ChosenBody>();
    fill(*top, whole_.instance, 1, true);
    made_.bodies.push_back(std::move(top));
    if (!faults_.empty()) return std::move(faults_);
    if (!options_.is_untied && made_.problem.nodes.size() * axes_squared() > options_.tied_above)
      fold_calls(made_, typed_, made_for_);
    return std::move(made_);
  }

 private:
  std::size_t axes_squared() const {
    const auto is_long = [&](std::size_t axis) { return made_.problem.mesh->axes()[axis].size > 1; };
    const auto axes = static_cast<std::size_t>(std::ranges::count_if(made_.problem.axes, is_long));
    return axes * axes;
  }

  // ---- What the problem is made of

  ChoiceValueId add_value(NodeId id, std::size_t result = 0) {
    const ArrayType& type = typed_.nodes[id].types.at(result);
    if (!(type.mesh() == *chosen_.mesh)) report_mesh(id, "this value is on another mesh");
    return made_.problem.add(type.element(), type.shape());
  }
  void report_mesh(NodeId id, const std::string& what) {
    if (!faults_.empty()) return;
    faults_.push_back(base::make(Kind::auto_mesh, what)
                          .at(typed_.nodes[id].span)
                          .suggest("take this out of the function, and hand its value over as an argument"));
  }
  std::size_t add(ChoiceNode node) {
    const std::size_t number = made_.problem.nodes.size();
    if (node.result) {
      made_.makers.resize(std::max<std::size_t>(made_.makers.size(), node.result->value + 1));
      made_.makers[node.result->value] = number;
    }
    made_.problem.nodes.push_back(std::move(node));
    made_for_.push_back(origin_);
    if (origin_) origin_->number = ++numbers_[{origin_->made_for.entered, origin_->made_for.node, origin_->pass}];
    return number;
  }
  // Adds the node that makes a typed node's result.
  std::size_t define(NodeId id, ChoiceNode node, std::size_t result = 0) {
    node.executions = executions_;
    node.result = add_value(id, result);
    body_->values[{id, result}] = {*node.result};
    return add(std::move(node));
  }

  ChosenValue value(NodeId id) {
    if (const auto known = body_->values.find({id, 0}); known != body_->values.end()) return known->second;
    return from_session(id);
  }
  // A value of the session is there once, before everything.
  ChosenValue from_session(NodeId id) {
    TESSERA_CHECK(std::holds_alternative<Input>(typed_.nodes[id].body), "an auto fn uses what it does not make");
    if (const auto known = session_.find(id); known != session_.end()) return known->second;
    ChoiceNode join;
    join.pin = pin(id);
    join.result = add_value(id);
    const ChosenValue own{*join.result};
    const auto outer = std::exchange(origin_, std::nullopt);
    add(std::move(join));
    origin_ = outer;
    return session_.emplace(id, own).first->second;
  }
  ChoiceUse use_of(NodeId id) {
    const ChosenValue own = value(id);
    return {own.value, own.executions};
  }
  std::optional<Layout> pin(NodeId id) const {
    const auto found = whole_.pins.find(id);
    return found == whole_.pins.end() ? std::nullopt : std::optional(found->second);
  }
  // Somebody wants the value finished.
  ChosenUseAt wanted(NodeId id) {
    ChoiceNode join;
    join.uses = {use_of(id)};
    join.executions = executions_;
    return {add(std::move(join)), 0};
  }
  void want(NodeId reader, std::size_t number, NodeId id) { body_->uses[{reader, number}] = wanted(id); }
  // A join uses one more value.
  void join(NodeId reader, std::size_t number, std::size_t node, NodeId id) {
    const ChoiceUse use = use_of(id);
    std::vector<ChoiceUse>& uses = made_.problem.nodes[node].uses;
    body_->uses[{reader, number}] = {node, uses.size()};
    uses.push_back(use);
  }

  // ---- Functions

  // Nodes of a function's body, its parameters first.
  void fill(ChosenBody& body, InstanceId instance, double executions, bool is_top) {
    ChosenBody* const outer = std::exchange(body_, &body);
    const double outer_executions = std::exchange(executions_, executions);
    const auto outer_origin = std::exchange(origin_, std::nullopt);
    body.instance = instance;
    const Instance& own = typed_.instances[instance];
    for (std::size_t k = 0; k < own.parameters.size(); ++k) {
      ChoiceNode join;
      join.pin = is_top ? (*arguments_)[k] : pin(own.parameters[k]);
      join.may_be_pending = !is_top;
      define(own.parameters[k], std::move(join));
    }
    region(own.body);
    const auto as = whole_.results_as.find(instance);
    for (std::size_t k = 0; k < own.body.results.size(); ++k) {
      const auto parameter = is_top                          ? chosen_.results_as[k]
                             : as == whole_.results_as.end() ? std::nullopt
                                                             : as->second[k];
      if (parameter)
        lie_as(body, own, k, *parameter);
      else if (is_top)
        body.results.push_back(wanted(own.body.results[k]));
      else
        body.results.emplace_back();
    }
    origin_ = outer_origin;
    executions_ = outer_executions;
    body_ = outer;
  }
  // The parameter's join uses the result.
  void lie_as(ChosenBody& body, const Instance& own, std::size_t result, std::size_t parameter) {
    const std::size_t node = made_.makers[body.values.at({own.parameters[parameter], 0}).value.value];
    const ChoiceUse use = use_of(own.body.results[result]);
    body.results.push_back(ChosenUseAt{node, made_.problem.nodes[node].uses.size()});
    made_.problem.nodes[node].uses.push_back(use);
  }
  bool lies_as(InstanceId instance, std::size_t result) const {
    const auto as = whole_.results_as.find(instance);
    return as != whole_.results_as.end() && as->second[result].has_value();
  }

  ChosenBody& callee_of(const Call& call) {
    const auto known = tied_.find(call.instance);
    if (!options_.is_untied && known != tied_.end()) return *known->second;
    auto made = std::make_unique<ChosenBody>();
    ChosenBody& body = *made;
    fill(body, call.instance, options_.is_untied ? executions_ : runs_[call.instance.value], false);
    made_.bodies.push_back(std::move(made));
    tied_[call.instance] = &body;
    return body;
  }

  // ---- Nodes

  void region(const Region& nodes) {
    const auto outer = origin_;
    for (const NodeId id : nodes.order) {
      origin_ = origin_of(id);
      std::visit([&](const auto& own) { node(id, own); }, typed_.nodes[id].body);
    }
    origin_ = outer;
  }
  std::optional<FoldedNode> origin_of(NodeId id) {
    const auto found = whole_.made_for.find(id);
    if (found == whole_.made_for.end()) return std::nullopt;
    const synth::Pass pass = typed_.nodes[id].pass;
    return FoldedNode{found->second, pass, numbers_[{found->second.entered, found->second.node, pass}]};
  }

  void node(NodeId, const Parameter&) {}
  void node(NodeId, const Input&) {}

  void node(NodeId id, const Compute& compute) {
    const Node& own = typed_.nodes[id];
    if (own.types.empty()) {
      for (std::size_t k = 0; k < compute.operands.size(); ++k) want(id, k, compute.operands[k]);
      return;
    }
    ChoiceNode made;
    for (const NodeId operand : compute.operands) made.uses.push_back(use_of(operand));
    made.operation = compute.operation;
    made.pin = pin(id);
    made.scales_sums = whole_.scaling.contains(id) || scales_by_constant(compute);
    const std::size_t number = define(id, std::move(made));
    for (std::size_t k = 0; k < compute.operands.size(); ++k) body_->uses[{id, k}] = {number, k};
  }

  void node(NodeId id, const Redistribute& redistribute) {
    const auto own = pin(id);
    if (!own) {
      body_->values[{id, 0}] = value(redistribute.operand);
      return;
    }
    ChoiceNode made;
    made.uses = {use_of(redistribute.operand)};
    made.pin = own;
    body_->uses[{id, 0}] = {define(id, std::move(made)), 0};
  }

  void node(NodeId id, const Call& call) {
    ChosenBody& body = callee_of(call);
    body_->calls[id] = &body;
    const Instance& own = typed_.instances[call.instance];
    for (std::size_t k = 0; k < call.arguments.size(); ++k)
      join(id, k, made_.makers[body.values.at({own.parameters[k], 0}).value.value], call.arguments[k]);
    for (std::size_t k = 0; k < own.body.results.size(); ++k) {
      const NodeId result =
          lies_as(call.instance, k) ? own.parameters[*whole_.results_as.at(call.instance)[k]] : own.body.results[k];
      const auto inner = body.values.find({result, 0});
      const ChosenValue made = inner != body.values.end() ? inner->second : from_session(result);
      body_->values[{id, k}] = {made.value, executions_};
    }
  }

  void node(NodeId id, const Loop& loop) {
    if (loop.pipeline != nullptr) return report_mesh(id, "this is a pipeline");
    if (!loop.indices_elsewhere.empty()) return report_mesh(id, "this loop's index is on another mesh");
    if (!loop.known_count) made_.uncounted.push_back(typed_.nodes[id].span);
    want(id, 0, loop.count);
    const double outer = executions_;
    executions_ = outer * Counts::turns(loop);
    define(loop.index, {});
    std::vector<std::size_t> carried;
    for (std::size_t k = 0; k < loop.parameters.size(); ++k) {
      ChoiceNode join;
      join.may_be_pending = true;
      carried.push_back(define(loop.parameters[k], std::move(join)));
      this->join(id, 1 + k, carried.back(), loop.initial[k]);
    }
    region(loop.body);
    for (std::size_t k = 0; k < carried.size(); ++k)
      join(id, 1 + loop.initial.size() + k, carried[k], loop.body.results[k]);
    executions_ = outer;
    for (std::size_t k = 0; k < carried.size(); ++k)
      body_->values[{id, k}] = {body_->values.at({loop.parameters[k], 0}).value, executions_};
  }

  void node(NodeId id, const If& both) {
    want(id, 0, both.condition);
    region(both.then_region);
    region(both.else_region);
    const std::size_t count = typed_.nodes[id].types.size();
    for (std::size_t k = 0; k < count; ++k) {
      ChoiceNode made;
      made.may_be_pending = true;
      made.uses = {use_of(both.then_region.results[k]), use_of(both.else_region.results[k])};
      const std::size_t number = define(id, std::move(made), k);
      body_->uses[{id, 1 + k}] = {number, 0};
      body_->uses[{id, 1 + count + k}] = {number, 1};
    }
  }

  void node(NodeId id, const Again& again) {
    region(again.body);
    for (std::size_t k = 0; k < again.body.results.size(); ++k) {
      const ChosenValue own = value(again.body.results[k]);
      body_->values[{id, k}] = own;
    }
  }

  void node(NodeId id, const Element& element) {
    body_->values[{id, 0}] = body_->values.at({element.tuple, element.index});
  }

  // ---- Products by constants (language.md, section 6, rule 3)

  std::optional<double> constant(NodeId id) const {
    const auto* compute = std::get_if<Compute>(&typed_.nodes[id].body);
    if (compute == nullptr) return std::nullopt;
    if (const auto* map = std::get_if<synth::Map>(&compute->operation); map != nullptr && map->op == synth::MapOp::copy)
      return constant(compute->operands[0]);
    const auto* literal = std::get_if<synth::Constant>(&compute->operation);
    if (literal == nullptr || typed_.type(id).rank() != 0) return std::nullopt;
    const synth::Literal& own = typed_.literals[literal->literal];
    if (own.element == synth::ElementType::f32) return number<float>(own);
    return own.element == synth::ElementType::f64 ? number<double>(own) : std::nullopt;
  }
  template <class T>
  static std::optional<double> number(const synth::Literal& literal) {
    T number{};
    if (literal.bytes.size() != sizeof(number)) return std::nullopt;
    std::memcpy(&number, literal.bytes.data(), sizeof(number));
    return static_cast<double>(number);
  }
  bool scales_by_constant(const Compute& compute) const {
    const auto* map = std::get_if<synth::Map>(&compute.operation);
    if (map == nullptr || compute.operands.size() != 2) return false;
    const auto right = constant(compute.operands[1]);
    if (map->op == synth::MapOp::divide) return right && std::isfinite(*right) && std::abs(*right) >= 1;
    const auto left = constant(compute.operands[0]);
    const auto keeps = [](const std::optional<double>& factor) {
      return factor && *factor != 0 && std::abs(*factor) <= 1;
    };
    return map->op == synth::MapOp::multiply && (keeps(left) || keeps(right));
  }

  const WholeFunction& whole_;
  const Typed& typed_;
  const open::ChosenLayouts& chosen_;
  const ProblemOptions& options_;
  const std::vector<std::optional<Layout>>* arguments_ = nullptr;
  std::vector<double> runs_;  // of every instance
  ChosenProblem made_;
  ChosenBody* body_ = nullptr;
  double executions_ = 1;
  std::map<InstanceId, ChosenBody*> tied_;
  std::map<NodeId, ChosenValue> session_;
  // What the nodes that are being made are made for, that of each node, and how many were for the same.
  std::optional<FoldedNode> origin_;
  std::vector<std::optional<FoldedNode>> made_for_;
  std::map<std::tuple<open::ValueId, open::ValueId, synth::Pass>, std::size_t> numbers_;
  base::Diagnostics faults_;
};

}  // namespace

base::Result<ChosenProblem> problem_of(const WholeFunction& whole, const open::ChosenLayouts& chosen,
                                       const std::vector<std::optional<Layout>>& arguments,
                                       const ProblemOptions& options) {
  return ProblemMaker(whole, chosen, options).run(arguments);
}

}  // namespace tessera::typeck
