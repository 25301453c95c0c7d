#include "typeck/insert/closed_values.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::typeck {

ValueNodes::Made& ValueNodes::made(open::ValueId value) {
  if (all_.empty()) first_ = value.value;
  if (value.value < first_) {
    std::vector<Made> longer(first_ - value.value);
    longer.insert(longer.end(), std::move_iterator(all_.begin()), std::move_iterator(all_.end()));
    all_ = std::move(longer);
    first_ = value.value;
  }
  const std::size_t at = value.value - first_;
  if (at >= all_.size()) all_.resize(at + 1);
  return all_[at];
}

void ValueNodes::set(open::ValueId value, std::vector<NodeId> nodes) { made(value).nodes = std::move(nodes); }

void ValueNodes::begin(open::ValueId value, std::size_t typed_nodes) { made(value).begun = typed_nodes; }

// A loop begins before its body, whose values have smaller numbers.
std::optional<std::size_t> ValueNodes::begun(open::ValueId from, open::ValueId to) const {
  std::optional<std::size_t> first;
  for (open::ValueId id{std::max(from.value, first_)}; id < to && is_there(id); ++id.value) {
    if (at(id).begun.has_value() && (!first.has_value() || *at(id).begun < *first)) first = at(id).begun;
  }
  return first;
}

ClosedValues::ClosedValues(const open::Program& program, Environment& environment, synth::PlanCache& plans,
                           const CheckOptions& options, Messages& messages)
    : TypedOperations(environment, plans, options, messages), program_(program), messages_(messages) {
  body_ = &top_;
  top_.ast = program.ast;
  for (const Messages::Asked& one : messages.asked()) asked_.insert(one.value);
}

const std::vector<NodeId>* ClosedValues::nodes_of(open::ValueId value) {
  for (const Body* body : {body_, &top_}) {
    if (const auto* nodes = body->values.find(value)) return nodes;
  }
  if (from_around_) return from_around_(value);
  const auto* input = std::get_if<open::Input>(&program_.nodes[value].body);
  if (input == nullptr) return nullptr;
  const Variable* const variable = environment_.variable(input->name, input->moment);
  const NodeId node = typed_.nodes.add(Node{variable->span, {variable->type}, Input{input->slot}});
  top_.values.set(value, {node});
  return top_.values.find(value);
}

MaybeHeld ClosedValues::as_made(const open::Use& use) {
  const std::vector<NodeId>* const nodes = nodes_of(use.value);
  if (nodes == nullptr) return std::nullopt;
  return Held{*nodes, use.span.known() ? use.span : typed_.nodes[nodes->at(0)].span, use.expr, use.known};
}

void ClosedValues::keep(open::ValueId id, const MaybeHeld& value) {
  if (value.has_value()) keep(id, value->nodes);
}

void ClosedValues::keep(open::ValueId id, std::vector<NodeId> nodes) {
  if (nodes.size() == 1 && typed_.nodes[nodes[0]].types.size() == 1 && asked_.contains(id))
    asked_types_.emplace(id, type(nodes[0]));
  body_->values.set(id, std::move(nodes));
}

}  // namespace tessera::typeck
