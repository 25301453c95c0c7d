// The inserter's infrastructure: the run over a program, values, nodes, types.
#include "typeck/insert/inserter.hpp"

#include <algorithm>

#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck {

void ValueNodes::set(open::ValueId value, std::vector<NodeId> nodes) {
  if (nodes_.empty()) first_ = value.value;
  if (value.value < first_) {
    nodes_.insert(nodes_.begin(), first_ - value.value, {});
    first_ = value.value;
  }
  const std::size_t at = value.value - first_;
  if (at >= nodes_.size()) nodes_.resize(at + 1);
  nodes_[at] = std::move(nodes);
}

Inserter::Inserter(const open::Program& program, const base::SourceMap& sources, Environment& environment,
                   synth::PlanCache& plans, const CheckOptions& options, Messages& messages, Assignment* given)
    : TypedOperations(environment, plans, options, messages),
      program_(program),
      sources_(sources),
      messages_(messages),
      given_(given),
      is_given_(given != nullptr) {
  body_ = &top_;
  typed_.ast = program.ast;
  typed_.literals = program.literals;
  typed_.strings = program.strings;
  top_.ast = program.ast;
  if (given_ == nullptr && options.text_after == Stage::assign) given_ = &assignment_;
  if (given_ != nullptr) top_.layouts = &given_->program();
  for (const Messages::Asked& one : messages.asked()) asked_.insert(one.value);
}

Typed Inserter::run() {
  for (const open::Statement& statement : program_.statements) {
    statement_ = statement.span;
    moment_ = statement.moment;
    reports_.at_moment(moment_);
    Region made_region;
    in_region(made_region, [&] {
      region(statement.region);
      return true;
    });
    TypedStatement closed{statement.span, std::move(made_region), {}, {}};
    for (const open::Bound& bound : statement.bound) {
      const std::vector<NodeId>* const nodes = nodes_of(bound.value);
      if (nodes == nullptr) continue;
      bound.type.lay_out(type(nodes->at(0)));
      closed.bound.push_back({bound.name, bound.span, nodes->at(0), bound.slot});
    }
    const std::vector<NodeId>* const shown = statement.shown.has_value() ? nodes_of(*statement.shown) : nullptr;
    if (shown != nullptr) closed.shown = shown->at(0);
    typed_.statements.push_back(std::move(closed));
  }
  note_lets(program_.lets, top_);
  typed_.inserted_as = std::move(top_.inserted_as);
  typed_.let_types = std::move(top_.let_types);
  for (auto& [function, bodies] : printed_) {
    if (bodies.size() != 1) continue;
    typed_.inserted_as.merge(bodies.front().inserted_as);
    typed_.let_types.merge(bodies.front().let_types);
  }
  return std::move(typed_);
}

void Inserter::note_lets(const std::vector<open::Let>& lets, Body& body) {
  for (const open::Let& let : lets) {
    const std::vector<NodeId>* const own = body.values.find(let.value);
    const std::vector<NodeId>* const nodes = own != nullptr ? own : nodes_of(let.value);
    if (nodes != nullptr) body.let_types[let.statement] = print_type(type(nodes->at(0)), environment_, let.moment);
  }
}

std::string Inserter::type_text(const Messages::Asked& asked) const {
  if (asked.written.has_value()) {
    const auto& [type, written] = *asked.written;
    auto layout = Layout::make(type.mesh(), written.splits, written.pending, written.reduce);
    auto array = layout.ok() ? ArrayType::make(type.element(), type.shape(), type.mesh_ref(), *layout)
                             : ArrayType::replicated(type.element(), type.shape(), type.mesh_ref());
    return array.ok() ? describe_type(*array, environment_, asked.moment) : std::string();
  }
  if (const auto known = asked_types_.find(asked.value); known != asked_types_.end())
    return describe_type(known->second, environment_, asked.moment);
  const open::Node& node = program_.nodes[asked.value];
  if (const auto* input = std::get_if<open::Input>(&node.body))
    return describe_type(environment_.variable(input->name, input->moment)->type, environment_, asked.moment);
  const open::Type& type = node.types.at(0);
  auto array = ArrayType::replicated(type.element(), type.shape(), type.mesh_ref());
  return array.ok() ? describe_type(*array, environment_, asked.moment) : std::string();
}

// ---- Values

const std::vector<NodeId>* Inserter::nodes_of(open::ValueId value) {
  for (const Body* body : {body_, &top_}) {
    if (const auto* nodes = body->values.find(value)) return nodes;
  }
  const auto* input = std::get_if<open::Input>(&program_.nodes[value].body);
  if (input == nullptr) return nullptr;
  const Variable* const variable = environment_.variable(input->name, input->moment);
  const NodeId node = typed_.nodes.add(Node{variable->span, {variable->type}, Input{input->slot}});
  top_.values.set(value, {node});
  return top_.values.find(value);
}

MaybeHeld Inserter::held(const open::Use& use) {
  const std::vector<NodeId>* const nodes = nodes_of(use.value);
  if (nodes == nullptr) return std::nullopt;
  return Held{*nodes, use.span, use.expr, use.known};
}

std::optional<std::vector<Held>> Inserter::held(const std::vector<open::Use>& uses) {
  std::vector<Held> all;
  for (const open::Use& use : uses) {
    MaybeHeld value = held(use);
    if (!value.has_value()) return std::nullopt;
    all.push_back(std::move(*value));
  }
  return all;
}

void Inserter::region(const open::Region& nodes) {
  for (const open::ValueId id : nodes.order) insert(id);
}

void Inserter::insert(open::ValueId id) {
  options_.stop.look();
  reports_.at(id.value);
  body_->begun.emplace_back(id, typed_.nodes.size());
  const open::Node& node = program_.nodes[id];
  const bool outer = std::exchange(is_local_, node.is_local);
  std::visit([&](const auto& body) { insert(id, node, body); }, node.body);
  is_local_ = outer;
}

void Inserter::keep(open::ValueId id, const MaybeHeld& value) {
  if (value.has_value()) keep(id, value->nodes);
}

void Inserter::keep(open::ValueId id, std::vector<NodeId> nodes) {
  if (nodes.size() == 1 && typed_.nodes[nodes[0]].types.size() == 1 && asked_.contains(id))
    asked_types_.emplace(id, type(nodes[0]));
  body_->values.set(id, std::move(nodes));
}

BodyLayouts* Inserter::layouts_of(open::InstanceId callee, const std::vector<ArrayType>& types) {
  if (given_ == nullptr) return nullptr;
  BodyLayouts* const known = given_->find(callee, types);
  TESSERA_CHECK(known != nullptr || !is_given_, "a function has no layouts for its arguments");
  return known != nullptr ? known : &given_->add(callee, types);
}

void Inserter::insert(open::ValueId, const open::Node&, const open::Parameter&) {
  TESSERA_CHECK(false, "a parameter is not computed");
}

void Inserter::insert(open::ValueId, const open::Node&, const open::Input&) {
  TESSERA_CHECK(false, "an input is not computed");
}

}  // namespace tessera::typeck
