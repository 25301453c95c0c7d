// Computing a region where it is differentiated, and walking it backwards.
#include "typeck/gradient/scope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "typeck/open/spelling.hpp"
#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck::gradient {

namespace {

std::string reason(const open::Node& node) {
  if (const auto* compute = std::get_if<open::Compute>(&node.body))
    return fmt::format("the gradient of {}", spelling(compute->operation));
  if (std::holds_alternative<open::If>(node.body)) return "the gradient of `if`";
  if (std::holds_alternative<open::Loop>(node.body)) return "the gradient of a loop";
  return "a gradient";
}

// Those of storage types are widened before anything is computed of them.
std::optional<KnownScalar> constant_value(const open::Program& program, ValueId value) {
  const auto* compute = std::get_if<open::Compute>(&program.nodes[value].body);
  const auto* operation = compute == nullptr ? nullptr : std::get_if<synth::Operation>(&compute->operation);
  const auto* constant = operation == nullptr ? nullptr : std::get_if<synth::Constant>(operation);
  if (constant == nullptr || synth::is_storage(program.type(value).element())) return std::nullopt;
  return value_of(program.literals[constant->literal]);
}

}  // namespace

Use argument(Graph& graph, const open::Instance& callee, std::size_t k, const Use& value) {
  const open::Instance::Parameter& parameter = callee.parameters[k];
  if (!parameter.layout.has_value()) return value;
  open::As as{value, *parameter.layout, fmt::format("argument {} of {}", parameter.name, callee.name), value.span,
              parameter.written};
  as.is_argument = true;
  return {graph.emit(value.span, {graph.type(parameter.value)}, std::move(as)), value.span, {}, value.known};
}

// ---- Values ----

const std::vector<ValueId>* Scope::held(ValueId original) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const auto found = scope->values_.find(original); found != scope->values_.end()) return &found->second;
  }
  return nullptr;
}

// A value of the session is the same everywhere; a result that is left open stays so.
ValueId Scope::here(ValueId original) const {
  const std::vector<ValueId>* const values = held(original);
  return values == nullptr ? original : values->at(0);
}

ValueId Scope::maker(ValueId original) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const auto found = scope->makers_.find(original); found != scope->makers_.end()) return found->second;
  }
  return original;
}

Use Scope::here(const Use& use) const { return {here(use.value), use.span, {}, use.known}; }

std::vector<Use> Scope::uses_here(const std::vector<Use>& originals) const {
  std::vector<Use> all;
  for (const Use& original : originals) all.push_back(here(original));
  return all;
}

std::vector<ValueId> Scope::all_here(const std::vector<Use>& originals) const {
  std::vector<ValueId> all;
  for (const Use& original : originals) all.push_back(here(original.value));
  return all;
}

Use Scope::value(ValueId original) const {
  const ValueId value = here(original);
  return {value, {}, {}, constant_value(graph_.program(), value)};
}

void Scope::emit(ValueId original, std::vector<open::Type> types, decltype(open::Node::body) body) {
  const Span span = graph_.program().nodes[original].span;
  const bool has_results = !types.empty();
  const ValueId made = graph_.emit(span, std::move(types), std::move(body));
  graph_.note_copy(made);
  makers_[original] = made;
  if (has_results) values_[original] = graph_.elements_of(made, span);
}

bool Scope::copy_region(const open::Region& from, open::Region& to, Scope& inner) const {
  const bool good = graph_.in_region(to, [&] { return inner.compute(); });
  if (good) to.results = inner.uses_here(from.results);
  return good;
}

std::uint32_t Scope::number_of(const open::Node& original) {
  const auto [at, fresh] = numbers_->emplace(original.again, 0);
  if (fresh) at->second = graph_.new_number();
  return at->second;
}

bool Scope::compute() {
  for (const ValueId id : region_.order) {
    graph_.look();
    begun_.emplace_back(id, ValueId{static_cast<std::uint32_t>(graph_.made())});
    const open::Node& node = graph_.program().nodes[id];  // good until another is made
    const auto copied = [&] {
      return std::visit([&](const auto& body) { return compute(id, node, body); }, node.body);
    };
    const bool good = graph_.again(number_of(node), node.again == 0 ? node.pass : node.pass_there,
                                   [&] { return graph_.made_for(id, entered_, copied); });
    if (!good) return false;
  }
  return true;
}

bool Scope::compute(ValueId, const open::Node&, const open::Parameter&) { return true; }
bool Scope::compute(ValueId, const open::Node&, const open::Input&) { return true; }
bool Scope::compute(ValueId, const open::Node&, const open::Definition&) { return true; }

bool Scope::compute(ValueId id, const open::Node& node, const open::Compute& body) {
  if (node.types.empty() && effects_ == Effects::left_out) return true;
  if (purpose_ == Purpose::reverse && std::holds_alternative<open::PutRow>(body.operation)) {
    values_[id] = {here(body.operands.at(0).value)};
    return true;
  }
  open::Compute own = body;
  own.operands = uses_here(body.operands);
  if (auto* used = std::get_if<open::Used>(&own.operation)) used->by = maker(used->by);
  if (auto* back = std::get_if<open::Back>(&own.operation)) back->by = maker(back->by);
  if (auto* home = std::get_if<open::Home>(&own.operation)) home->by = maker(home->by);
  std::optional<open::Wish> wish = node.wish;
  if (wish.has_value() && wish->as_that.valid()) wish->as_that = here(wish->as_that);
  emit(id, node.types, std::move(own));
  if (wish.has_value()) graph_.set_wish(makers_[id], std::move(wish));
  return true;
}

// The first node here of those from `begins` on.
ValueId Scope::made_for_operand(ValueId begins) const {
  const auto at = std::ranges::lower_bound(begun_, begins, {}, &std::pair<ValueId, ValueId>::first);
  return at == begun_.end() || !begins.valid() ? begins : at->second;
}

bool Scope::compute(ValueId id, const open::Node& node, const open::As& body) {
  open::As own = body;
  own.operand = here(body.operand);
  own.operand_begins = made_for_operand(body.operand_begins);
  emit(id, node.types, std::move(own));
  return true;
}

bool Scope::compute(ValueId id, const open::Node&, const open::Call& call) {
  graph_.spend();
  const open::Call body = call;
  const open::Instance& callee = graph_.program().instances[body.instance];
  auto inner = std::make_unique<Scope>(graph_, callee.body, activity_.callee(id), nullptr, purpose_, effects_);
  std::vector<Use> arguments;
  for (std::size_t k = 0; k < body.arguments.size(); ++k) {
    arguments.push_back(argument(graph_, callee, k, here(body.arguments[k])));
    inner->give(callee.parameters[k].value, arguments[k].value);
  }
  inner->enter(graph_.enter(graph_.node(id).span, body.instance, std::move(arguments)));
  if (!inner->compute()) return false;
  values_[id] = inner->results();
  calls_[id] = std::move(inner);
  return true;
}

bool Scope::compute(ValueId id, const open::Node& node, const open::If& branch) {
  const open::If body = branch;
  const std::vector<open::Type> types = node.types;
  open::If own = body;
  own.condition = here(body.condition);
  Scope then_scope(graph_, body.then_region, activity_, this, Purpose::value, effects_);
  Scope else_scope(graph_, body.else_region, activity_, this, Purpose::value, effects_);
  own.then_region = own.else_region = {};
  if (!copy_region(body.then_region, own.then_region, then_scope)) return false;
  if (!copy_region(body.else_region, own.else_region, else_scope)) return false;
  emit(id, types, std::move(own));
  return true;
}

bool Scope::compute(ValueId id, const open::Node& node, const open::Again& again) {
  const open::Again body = again;
  const std::vector<open::Type> types = node.types;
  open::Again own;
  Scope inner(graph_, body.body, activity_, this, Purpose::value, effects_);
  if (!copy_region(body.body, own.body, inner)) return false;
  emit(id, types, std::move(own));
  return true;
}

bool Scope::compute(ValueId id, const open::Node&, const open::Element& body) {
  const std::vector<ValueId>* const tuple = held(body.tuple);
  TESSERA_CHECK(tuple != nullptr, "a tuple is used where it was not computed");
  values_[id] = {tuple->at(body.index)};
  return true;
}

bool Scope::compute(ValueId id, const open::Node&, const open::Enter& body) {
  values_[id] = all_here(body.arguments);
  return true;
}

bool Scope::compute(ValueId id, const open::Node&, const open::Gradient& body) {
  values_[id] = all_here(body.results);
  return true;
}

// What would be computed here is only read, and has no derivative.
bool Scope::compute(ValueId id, const open::Node&, const open::PlanText& plan) {
  if (effects_ == Effects::left_out) return true;
  const open::PlanText body = plan;
  Activity none(graph_.program());
  none.region(body.region);
  Scope inner(graph_, body.region, none, this, Purpose::value, effects_);
  open::PlanText own;
  if (!copy_region(body.region, own.region, inner)) return false;
  emit(id, {}, std::move(own));
  return true;
}

// ---- Cotangents ----

std::optional<ValueId> Scope::used_value(ValueId original) const {
  const auto* compute = std::get_if<open::Compute>(&graph_.program().nodes[original].body);
  const bool is_used = compute != nullptr && std::holds_alternative<open::Used>(compute->operation);
  return is_used ? std::optional(compute->operands.at(0).value) : std::nullopt;
}

std::optional<ValueId> Scope::argument_of(ValueId original) const {
  const auto& body = graph_.program().nodes[original].body;
  const auto* element = std::get_if<open::Element>(&body);
  const ValueId tuple = element == nullptr ? original : element->tuple;
  const auto* entered = std::get_if<open::Enter>(&graph_.program().nodes[tuple].body);
  if (entered == nullptr) return std::nullopt;
  return entered->arguments.at(element == nullptr ? 0 : element->index).value;
}

bool Scope::reverse() {
  for (auto at = region_.order.rbegin(); at != region_.order.rend(); ++at) {
    graph_.look();
    const ValueId id = *at;
    const open::Node& node = graph_.program().nodes[id];  // good until another is made
    const std::size_t results = node.types.size();
    const auto reversed = [&] {
      return std::visit([&](const auto& body) { return reverse(id, node, body); }, node.body);
    };
    if (!graph_.made_for(id, entered_, reversed)) return false;
    for (std::uint32_t k = 0; k < results; ++k) cotangents_.erase({id, k});
  }
  return true;
}

bool Scope::reverse(ValueId id, const open::Node& node, const open::Compute& compute) {
  const bool is_several = std::holds_alternative<open::Together>(compute.operation);
  if (purpose_ == Purpose::reverse && std::holds_alternative<open::PutRow>(compute.operation))
    return reverse_row_put(id, compute, Build(graph_, node.span, reason(node)));
  const auto own = cotangent(id);
  const bool gives = own.has_value() || (is_several && activity_.any_active(id));
  if (!makers_.contains(id) || !(gives || has_cotangent(compute.operands))) return true;
  const open::Compute body = compute;
  const Build build(graph_, node.span, reason(node));
  const bool goes_home = own.has_value() && !is_several && wants_one(body.operands);
  if (is_several) {
    for (std::size_t k = body.operands.size(); k-- > 0;) {
      if (const auto one = cotangent(id, static_cast<std::uint32_t>(k)))
        add_back({maker(id), k, false}, body.operands[k].value, *one, build);
    }
  } else if (own.has_value()) {
    reverse_operation(*this, build, body, id, *own);
  }
  if (!goes_home) bring_home(maker(id), body.operands, build);
  return true;
}

// A turn puts a row of its own into the rows that a loop carries, of which no turn reads any. Its cotangent is that row
// of theirs, and theirs stays as it is.
bool Scope::reverse_row_put(ValueId id, const open::Compute& put, const Build& build) {
  const auto own = cotangent(id);
  if (!own.has_value()) return true;
  const std::vector<Use> operands = put.operands;
  const open::Type row = graph_.type(operands[1].value);
  const open::Type type(graph_.type(*own).element(), row.shape(), row.mesh_ref());
  add(operands[1].value, build.compute(type, open::TakeRow{}, {*own, here(operands[2])}), build);
  add(operands[0].value, *own, build);
  return true;
}

bool Scope::reverse(ValueId id, const open::Node& node, const open::As& as) {
  const auto own = cotangent(id);
  if (!own.has_value() && !cotangents_.contains(key(as.operand.value))) return true;
  const Use operand = as.operand;
  const Build build(graph_, node.span, reason(node));
  if (own.has_value()) {
    add_back({maker(id), 0, true}, operand.value, *own, build);
  } else {
    bring_home(maker(id), {operand}, build);
  }
  return true;
}

bool Scope::reverse(ValueId id, const open::Node& node, const open::Element& body) {
  if (const auto own = cotangent(id)) add(body.tuple, *own, Build(graph_, node.span, reason(node)), body.index);
  return true;
}

bool Scope::reverse(ValueId id, const open::Node& node, const open::Gradient& body) {
  const Build build(graph_, node.span, reason(node));
  const std::vector<Use> results = body.results;
  for (std::uint32_t k = 0; k < results.size(); ++k) {
    if (const auto own = cotangent(id, k)) add(results[k].value, *own, build);
  }
  return true;
}

bool Scope::reverse(ValueId id, const open::Node& node, const open::Call& call) {
  if (!activity_.any_active(id)) return true;
  graph_.spend();
  Scope& inner = *calls_.at(id);
  const open::Call body = call;
  const Build build(graph_, node.span, reason(node));
  const open::Instance& instance = graph_.program().instances[body.instance];
  seed(inner, id, instance.body.results, build);
  if (!inner.reverse()) return false;
  for (std::size_t k = 0; k < body.arguments.size(); ++k) {
    const ValueId parameter = instance.parameters[k].value;
    const ValueId original = body.arguments[k].value;
    const ValueId brought = inner.here(parameter);
    const auto given = inner.cotangent(parameter);
    if (brought == here(original)) {
      if (given.has_value()) add(original, *given, build);
    } else if (given.has_value()) {
      add_back({brought, 0, true}, original, *given, build);
    } else {
      bring_home(brought, {body.arguments[k]}, build);
    }
  }
  return true;
}

// Hands the cotangents of a node's results to the scope of the region that gave them.
void Scope::seed(Scope& inner, ValueId id, const std::vector<Use>& results, const Build& build) const {
  for (std::uint32_t k = 0; k < results.size(); ++k) {
    const auto given = cotangent(id, k);
    if (given.has_value() && results[k].value.valid()) inner.add(results[k].value, *given, build);
  }
}

// The block is computed a second time here, where its insides are needed.
bool Scope::reverse(ValueId id, const open::Node& node, const open::Again& again) {
  if (!activity_.any_active(id)) return true;
  const open::Again body = again;
  const Build build(graph_, node.span, reason(node));
  Scope inner(graph_, body.body, activity_, this, Purpose::reverse, Effects::left_out);
  if (!inner.compute()) return false;
  seed(inner, id, body.body.results, build);
  if (!inner.reverse()) return false;
  for (const auto& [key, given] : inner.cotangents_) add(key.first, given, build, key.second);
  return true;
}

}  // namespace tessera::typeck::gradient
