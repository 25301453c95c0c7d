#include "typeck/insert/chosen.hpp"

#include <algorithm>
#include <variant>

#include "typeck/layouts/cutting.hpp"
#include "typeck/layouts/parts.hpp"

namespace tessera::typeck {

NodeId ChosenInserter::made_of(NodeId node) const {
  const auto found = all_made_.find(node);
  return found == all_made_.end() || found->second.size() != 1 ? NodeId{} : found->second.front();
}

// ---- Nodes as they are made

InstanceId ChosenInserter::instance(const ChosenBody& problem) {
  if (const auto known = instances_.find(&problem); known != instances_.end()) return known->second;
  const Instance& own = whole_.typed.instances[problem.instance];
  Body body;
  body.problem = &problem;
  Body* const outer = std::exchange(body_, &body);
  Region* const outer_region = std::exchange(region_, nullptr);
  Instance made{own.name, {}, {}};
  body.region = &made.body;
  for (const NodeId id : own.parameters) made.parameters.push_back(parameter(id, made.body));
  region(own.body, made.body);
  graph_.in_region(made.body, [&] {
    region_ = &made.body;
    for (std::size_t k = 0; k < own.body.results.size(); ++k) {
      const NodeId result = own.body.results[k];
      const auto& at = problem.results[k];
      made.body.results.push_back(at ? taken(result, *at, whole_.typed.nodes[result].span) : this->made(result));
    }
    return true;
  });
  region_ = outer_region;
  body_ = outer;
  const InstanceId id = graph_.typed().instances.add(std::move(made));
  instances_.emplace(&problem, id);
  return id;
}

void ChosenInserter::region(const Region& nodes, Region& made) {
  Region* const outer = std::exchange(region_, &made);
  graph_.in_region(made, [&] {
    for (const NodeId id : nodes.order) {
      std::visit([&](const auto& body) { node(id, body); }, whole_.typed.nodes[id].body);
    }
    return true;
  });
  region_ = outer;
}

std::vector<ArrayType> ChosenInserter::types_of(NodeId id) const {
  std::vector<ArrayType> types;
  const std::vector<ArrayType>& whole = whole_.typed.nodes[id].types;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const synth::ChoiceValueId value = body_->problem->values.at({id, k}).value;
    const auto& layout = choice_.nodes[chosen_.makers[value.value]].result;
    TESSERA_CHECK(layout.has_value(), "a value has no layout");
    auto type = ArrayType::make(whole[k].element(), whole[k].shape(), chosen_.problem.mesh, *layout);
    TESSERA_CHECK(type.ok(), "a chosen layout is not one of its value");
    types.push_back(std::move(type).value());
  }
  return types;
}

NodeId ChosenInserter::emit(NodeId id, std::vector<ArrayType> types, decltype(Node::body) body) {
  const NodeId made = graph_.emit(whole_.typed.nodes[id].span, std::move(types), std::move(body));
  graph_.typed().nodes[made].pass = whole_.typed.nodes[id].pass;
  keep(id, made);
  body_->homes[made] = region_;
  all_made_[id].push_back(made);
  return made;
}

NodeId ChosenInserter::parameter(NodeId id, Region& home) {
  const NodeId made = graph_.parameter(whole_.typed.nodes[id].span, types_of(id).at(0));
  keep(id, made);
  body_->homes[made] = &home;
  all_made_[id].push_back(made);
  return made;
}

void ChosenInserter::node(NodeId, const Parameter&) { TESSERA_CHECK(false, "a parameter is not computed"); }
void ChosenInserter::node(NodeId, const Input&) { TESSERA_CHECK(false, "an input is not computed"); }

void ChosenInserter::node(NodeId id, const Compute& body) {
  Compute made = body;
  made.operation = carried_over(body.operation);
  const auto types = types_of(id);  // of effects none
  made.received_bytes = types.empty() ? 0 : bytes_of_carries(made.operation, types[0]);
  if (const auto* sort = std::get_if<synth::Sort>(&made.operation)) {
    const ArrayType result = types_of(id).at(0);
    const ElementType own = whole_.typed.nodes[body.operands[0]].types.at(0).element();
    made.received_bytes = bytes_of_cuts(*sort, *result.with_element(own), result);
  }
  made.compared.clear();
  for (std::size_t k = 0; k < body.operands.size(); ++k) made.operands[k] = taken(id, k, body.operands[k]);
  if (const auto* assemble = std::get_if<synth::Assemble>(&made.operation)) {
    std::vector<ArrayType> operands;
    for (const NodeId operand : made.operands) operands.push_back(graph_.type(operand));
    made.received_bytes = bytes_of_parts(*assemble, operands, types_of(id).at(0));
  }
  emit(id, types_of(id), std::move(made));
}

void ChosenInserter::node(NodeId id, const Redistribute& body) {
  const bool is_pinned = body_->problem->uses.contains({id, 0});
  keep(id, is_pinned ? taken(id, 0, body.operand) : made(body.operand));
  all_made_[id].push_back(made(id));
}

void ChosenInserter::node(NodeId id, const Call& body) {
  Call made{instance(*body_->problem->calls.at(id)), {}};
  for (std::size_t k = 0; k < body.arguments.size(); ++k) made.arguments.push_back(taken(id, k, body.arguments[k]));
  emit(id, types_of(id), std::move(made));
}

void ChosenInserter::node(NodeId id, const Loop& body) {
  Loop made;
  made.count = taken(id, 0, body.count);
  made.known_count = body.known_count;
  const std::size_t carried = body.initial.size();
  for (std::size_t k = 0; k < carried; ++k) made.initial.push_back(taken(id, 1 + k, body.initial[k]));
  made.index = parameter(body.index, made.body);
  for (const NodeId own : body.parameters) made.parameters.push_back(parameter(own, made.body));
  region(body.body, made.body);
  Region* const outer = std::exchange(region_, &made.body);
  graph_.in_region(made.body, [&] {
    for (std::size_t k = 0; k < carried; ++k)
      made.body.results.push_back(taken(id, 1 + carried + k, body.body.results[k]));
    return true;
  });
  region_ = outer;
  emit(id, types_of(id), std::move(made));
}

void ChosenInserter::node(NodeId id, const If& body) {
  If made;
  made.condition = taken(id, 0, body.condition);
  const std::size_t count = whole_.typed.nodes[id].types.size();
  const auto branch = [&](const Region& from, Region& to, std::size_t first) {
    region(from, to);
    Region* const outer = std::exchange(region_, &to);
    graph_.in_region(to, [&] {
      for (std::size_t k = 0; k < count; ++k) to.results.push_back(taken(id, first + k, from.results[k]));
      return true;
    });
    region_ = outer;
  };
  branch(body.then_region, made.then_region, 1);
  branch(body.else_region, made.else_region, 1 + count);
  emit(id, types_of(id), std::move(made));
}

void ChosenInserter::node(NodeId id, const Again& body) {
  Again made;
  region(body.body, made.body);
  for (const NodeId result : body.body.results) made.body.results.push_back(this->made(result));
  emit(id, types_of(id), std::move(made));
}

void ChosenInserter::node(NodeId id, const Element& body) {
  emit(id, types_of(id), Element{made(body.tuple), body.index});
}

// ---- Values where they are used

NodeId ChosenInserter::made(NodeId id) {
  if (const auto known = body_->made.find(id); known != body_->made.end()) return known->second;
  const NodeId outside = whole_.outside.at(id);
  body_->homes[outside] = body_->region;
  keep(id, outside);
  return outside;
}

NodeId ChosenInserter::taken(NodeId reader, std::size_t number, NodeId id) {
  return taken(id, body_->problem->uses.at({reader, number}), whole_.typed.nodes[reader].span);
}

NodeId ChosenInserter::taken(NodeId id, const ChosenUseAt& at, Span reader) {
  const synth::ChosenUse& use = choice_.nodes[at.node].uses[at.use];
  const NodeId own = at.by_join ? joined(made(id), *at.by_join, reader) : made(id);
  const NodeId there = use.copy ? copy(own, *use.copy, reader) : own;
  auto wanted = graph_.type(there).with_layout(use.layout);
  TESSERA_CHECK(wanted.ok(), "a use wants a layout that is not one of its value");
  return convert(there, *wanted, *region_, reader);
}

NodeId ChosenInserter::joined(NodeId made, const std::pair<std::size_t, std::size_t>& join, Span reader) {
  if (const auto known = body_->joined.find({made, join.first}); known != body_->joined.end()) return known->second;
  const synth::ChosenUse& use = choice_.nodes[join.first].uses[join.second];
  const NodeId there = use.copy ? copy(made, *use.copy, reader) : made;
  auto wanted = graph_.type(there).with_layout(use.layout);
  TESSERA_CHECK(wanted.ok(), "a join has a layout that is not one of its value");
  return body_->joined[{made, join.first}] = convert(there, *wanted, *body_->homes.at(made), reader);
}

// A copy is made where the value is, before the node that is being made there.
NodeId ChosenInserter::copy(NodeId made, std::size_t conversion, Span reader) {
  if (const auto known = body_->copies.find({made, conversion}); known != body_->copies.end()) return known->second;
  const synth::ChosenConversion& own = choice_.conversions[conversion];
  const NodeId from = own.of_copy ? copy(made, *own.of_copy, reader) : made;
  Region& home = *body_->homes.at(made);
  const NodeId there = convert(from, own.plan->to, home, reader);
  body_->copies[{made, conversion}] = there;
  return there;
}

NodeId ChosenInserter::convert(NodeId from, const ArrayType& to, Region& home, Span reader) {
  if (graph_.type(from) == to) return from;
  const auto make = [&] {
    return graph_.redistribute({{from}, reader, {}, {}}, to, {Reason::Asker::chosen, who_, reader, because_, {}});
  };
  const MaybeHeld there = graph_.in_region(home, make);
  TESSERA_CHECK(there.has_value(), "a chosen conversion has no plan");
  body_->homes.try_emplace(there->node(), &home);
  return there->node();
}

// ---- Literals and strings of the function's own program

synth::LiteralId ChosenInserter::literal(synth::LiteralId own) {
  const auto [known, is_new] = literals_.emplace(own, synth::LiteralId{});
  if (is_new) known->second = graph_.typed().literals.add(whole_.typed.literals[own]);
  return known->second;
}

synth::StringId ChosenInserter::string(synth::StringId own) {
  const auto [known, is_new] = strings_.emplace(own, synth::StringId{});
  if (is_new) known->second = graph_.typed().strings.add(whole_.typed.strings[own]);
  return known->second;
}

synth::Operation ChosenInserter::carried_over(synth::Operation operation) {
  if (auto* constant = std::get_if<synth::Constant>(&operation)) constant->literal = literal(constant->literal);
  if (auto* load = std::get_if<synth::Load>(&operation)) load->path = string(load->path);
  if (auto* text = std::get_if<synth::PrintText>(&operation)) text->text = string(text->text);
  if (auto* show = std::get_if<synth::Show>(&operation)) show->label = string(show->label);
  if (auto* save = std::get_if<synth::Save>(&operation)) save->path = string(save->path);
  if (auto* assertion = std::get_if<synth::Assert>(&operation)) assertion->message = string(assertion->message);
  if (auto* print = std::get_if<synth::Print>(&operation)) {
    for (synth::PrintItem& item : print->items) {
      if (item.operand < 0) item.text = string(item.text);
    }
  }
  return operation;
}

}  // namespace tessera::typeck
