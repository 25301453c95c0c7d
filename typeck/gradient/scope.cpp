// Computing a region where it is differentiated, and walking it backwards.
#include "typeck/gradient/scope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck::gradient {

namespace {

// `@`, `all_gather for argument w of layer`: what a cotangent is the transpose of.
std::string transposed(const Redistribute& body) {
  std::string steps;
  for (const synth::PlanStep& step : body.plan->steps)
    steps += fmt::format("{}{}", steps.empty() ? "" : " and ", synth::name(step.collective));
  return fmt::format("the transpose of the {} for {}", steps, body.why.who);
}

std::string reason(const Node& node) {
  if (const auto* compute = std::get_if<Compute>(&node.body))
    return fmt::format("the gradient of {}", spelling(compute->operation));
  if (const auto* moved = std::get_if<Redistribute>(&node.body)) return transposed(*moved);
  if (std::holds_alternative<If>(node.body)) return "the gradient of `if`";
  if (std::holds_alternative<Loop>(node.body)) return "the gradient of a loop";
  return "a gradient";
}

std::optional<KnownScalar> constant_value(const Typed& typed, NodeId node) {
  const auto* compute = std::get_if<Compute>(&typed.nodes[node].body);
  const auto* constant = compute == nullptr ? nullptr : std::get_if<synth::Constant>(&compute->operation);
  return constant == nullptr ? std::nullopt : value_of(typed.literals[constant->literal]);
}

}  // namespace

std::optional<ArrayType> whole_cotangent(Inserter& inserter, Span span, const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return inserter.made(
      ArrayType::make(synth::computed_as(type.element()), type.shape(), type.mesh_ref(), std::move(layout).value()),
      span);
}

MaybeHeld bring(const Build& build, const MaybeHeld& cotangent, const ArrayType& type) {
  if (!cotangent.has_value()) return std::nullopt;
  Inserter& inserter = build.inserter();
  const ArrayType own = inserter.type(*cotangent);
  AxisList pending;
  if (own.mesh() == type.mesh()) {
    for (const synth::AxisPart& part : own.layout().pending()) {
      if (!type.layout().uses(part)) pending.push_back(part);
    }
  }
  auto layout = Layout::make(type.mesh(), type.layout().splits(), std::move(pending));
  TESSERA_CHECK(layout.ok(), "a cotangent has no layout");
  const auto target = inserter.made(
      ArrayType::make(own.element(), type.shape(), type.mesh_ref(), std::move(layout).value()), build.span());
  if (!target.has_value()) return std::nullopt;
  return inserter.redistribute(*cotangent, *target,
                               Reason{Reason::Asker::operation, build.who(), build.span(), {}, {}});
}

// ---- Values ----

const std::vector<NodeId>* Scope::held(NodeId original) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const auto found = scope->values_.find(original); found != scope->values_.end()) return &found->second;
  }
  return nullptr;
}

// A value of the session is the same everywhere.
NodeId Scope::here(NodeId original) const {
  const std::vector<NodeId>* const nodes = held(original);
  return nodes == nullptr ? original : nodes->at(0);
}

Held Scope::value(NodeId original) const {
  const NodeId node = here(original);
  const Typed& typed = inserter_.typed();
  return Held{{node}, typed.nodes[node].span, {}, constant_value(typed, node)};
}

std::vector<NodeId> Scope::all_here(const std::vector<NodeId>& originals) const {
  std::vector<NodeId> all;
  for (const NodeId original : originals) all.push_back(here(original));
  return all;
}

std::vector<NodeId> Scope::results() const { return all_here(region_.results); }

void Scope::emit(NodeId original, std::vector<ArrayType> types, decltype(Node::body) body) {
  const Span span = inserter_.typed().nodes[original].span;
  if (types.empty()) {
    inserter_.emit(span, {}, std::move(body));
    return;
  }
  values_[original] = inserter_.elements_of(inserter_.emit(span, std::move(types), std::move(body)), span).nodes;
}

bool Scope::copy_region(const Region& from, Region& to, Scope& inner) const {
  const bool good = inserter_.in_region(to, [&] { return inner.compute(); });
  if (good) to.results = inner.all_here(from.results);
  return good;
}

bool Scope::compute() {
  for (const NodeId id : region_.order) {
    inserter_.options().stop.look();
    const Node node = inserter_.typed().nodes[id];  // a copy: the store grows
    if (!std::visit([&](const auto& body) { return compute(id, node, body); }, node.body)) return false;
  }
  return true;
}

bool Scope::compute(NodeId, const Node&, const Parameter&) { return true; }
bool Scope::compute(NodeId, const Node&, const Input&) { return true; }

bool Scope::compute(NodeId id, const Node& node, const Compute& body) {
  if (node.types.empty() && effects_ == Effects::left_out) return true;
  Compute own = body;
  own.operands = all_here(body.operands);
  emit(id, node.types, std::move(own));
  return true;
}

bool Scope::compute(NodeId id, const Node& node, const Redistribute& body) {
  emit(id, node.types, Redistribute{here(body.operand), body.plan, body.why});
  return true;
}

bool Scope::compute(NodeId id, const Node&, const Call& body) {
  inserter_.spend();
  const Instance instance = inserter_.typed().instances[body.instance];
  auto inner = std::make_unique<Scope>(inserter_, instance.body, activity_.callee(id), nullptr, purpose_, effects_);
  for (std::size_t k = 0; k < body.arguments.size(); ++k) inner->give(instance.parameters[k], here(body.arguments[k]));
  if (!inner->compute()) return false;
  values_[id] = inner->results();
  calls_[id] = std::move(inner);
  return true;
}

bool Scope::compute(NodeId id, const Node& node, const Loop& body) {
  const bool turns = !body.known_count.has_value() || *body.known_count > 0;
  if (purpose_ == Purpose::reverse && turns && activity_.any_active(id)) return stack_carried(id, node, body);
  Loop own{here(body.count), body.known_count, {}, all_here(body.initial), {}, {}};
  Scope inner(inserter_, body.body, activity_, this, Purpose::value, effects_);
  const auto parameter = [&](NodeId original) {
    const Node from = inserter_.typed().nodes[original];
    const NodeId made = inserter_.typed().nodes.add(from);
    inner.give(original, made);
    return made;
  };
  own.index = parameter(body.index);
  for (const NodeId original : body.indices_elsewhere) own.indices_elsewhere.push_back(parameter(original));
  for (const NodeId original : body.parameters) own.parameters.push_back(parameter(original));
  if (!inserter_.in_loop(own, [&] { return copy_region(body.body, own.body, inner); })) return false;
  emit(id, node.types, std::move(own));
  return true;
}

bool Scope::compute(NodeId id, const Node& node, const If& body) {
  If own{here(body.condition), {}, {}};
  Scope then_scope(inserter_, body.then_region, activity_, this, Purpose::value, effects_);
  Scope else_scope(inserter_, body.else_region, activity_, this, Purpose::value, effects_);
  if (!copy_region(body.then_region, own.then_region, then_scope)) return false;
  if (!copy_region(body.else_region, own.else_region, else_scope)) return false;
  emit(id, node.types, std::move(own));
  return true;
}

bool Scope::compute(NodeId id, const Node& node, const Again& body) {
  Again own;
  Scope inner(inserter_, body.body, activity_, this, Purpose::value, effects_);
  if (!copy_region(body.body, own.body, inner)) return false;
  emit(id, node.types, std::move(own));
  return true;
}

bool Scope::compute(NodeId id, const Node&, const Element& body) {
  const std::vector<NodeId>* const tuple = held(body.tuple);
  TESSERA_CHECK(tuple != nullptr, "a tuple is used where it was not computed");
  values_[id] = {tuple->at(body.index)};
  return true;
}

// ---- Cotangents ----

const Held* Scope::cotangent(NodeId original, std::uint32_t result) const {
  const auto found = cotangents_.find({original, result});
  return found == cotangents_.end() ? nullptr : &found->second;
}

bool Scope::add(NodeId original, const MaybeHeld& cotangent, const Build& build, std::uint32_t result) {
  if (!cotangent.has_value()) return false;
  if (!activity_.flags(original, result).active) return true;
  const ArrayType type = inserter_.typed().nodes[original].types.at(result);
  MaybeHeld brought = bring(build, cotangent, type);
  if (!brought.has_value()) return false;
  const auto [at, fresh] = cotangents_.emplace(std::pair(original, result), *brought);
  if (fresh) return true;
  // If one is a pending sum and the other is not, the sum is finished first: both are then as the type asks.
  const MaybeHeld both = build.add(at->second, brought);
  if (!both.has_value()) return false;
  at->second = *both;
  return true;
}

bool Scope::reverse() {
  for (auto at = region_.order.rbegin(); at != region_.order.rend(); ++at) {
    inserter_.options().stop.look();
    const NodeId id = *at;
    if (!activity_.any_active(id)) continue;
    const Node node = inserter_.typed().nodes[id];
    if (!std::visit([&](const auto& body) { return reverse(id, node, body); }, node.body)) return false;
    for (std::uint32_t k = 0; k < node.types.size(); ++k) cotangents_.erase({id, k});
  }
  return true;
}

bool Scope::reverse(NodeId, const Node&, const Parameter&) { return true; }
bool Scope::reverse(NodeId, const Node&, const Input&) { return true; }

bool Scope::reverse(NodeId id, const Node& node, const Compute& body) {
  const Held* const own = cotangent(id);
  if (own == nullptr) return true;
  const Held given = *own;
  return reverse_operation(*this, Build(inserter_, node.span, reason(node)), body, id, given);
}

bool Scope::reverse(NodeId id, const Node& node, const Redistribute& body) {
  const Held* const own = cotangent(id);
  return own == nullptr || add(body.operand, *own, Build(inserter_, node.span, reason(node)));
}

bool Scope::reverse(NodeId id, const Node& node, const Element& body) {
  const Held* const own = cotangent(id);
  return own == nullptr || add(body.tuple, *own, Build(inserter_, node.span, reason(node)), body.index);
}

bool Scope::reverse(NodeId id, const Node& node, const Call& body) {
  inserter_.spend();
  Scope& inner = *calls_.at(id);
  const Build build(inserter_, node.span, reason(node));
  const Instance instance = inserter_.typed().instances[body.instance];
  if (!seed(inner, id, instance.body.results, build) || !inner.reverse()) return false;
  for (std::size_t k = 0; k < body.arguments.size(); ++k) {
    const Held* const given = inner.cotangent(instance.parameters[k]);
    if (given != nullptr && !add(body.arguments[k], *given, build)) return false;
  }
  return true;
}

// Hands the cotangents of a node's results to the scope of the region that gave them.
bool Scope::seed(Scope& inner, NodeId id, const std::vector<NodeId>& results, const Build& build) const {
  for (std::uint32_t k = 0; k < results.size(); ++k) {
    const Held* const given = cotangent(id, k);
    if (given != nullptr && !inner.add(results[k], *given, build)) return false;
  }
  return true;
}

bool Scope::hand_over(const Scope& inner, const Build& build) {
  for (const auto& [key, given] : inner.left_over()) {
    if (!add(key.first, given, build, key.second)) return false;
  }
  return true;
}

// The block is computed a second time here, where its insides are needed.
bool Scope::reverse(NodeId id, const Node& node, const Again& body) {
  const Build build(inserter_, node.span, reason(node));
  Scope inner(inserter_, body.body, activity_, this, Purpose::reverse, Effects::left_out);
  return inner.compute() && seed(inner, id, body.body.results, build) && inner.reverse() && hand_over(inner, build);
}

}  // namespace tessera::typeck::gradient
