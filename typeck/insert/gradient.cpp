// Functions that gradients enter, and what gradients give.
#include <algorithm>
#include <span>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

// The arguments stand for the function's parameters, once it could be closed for them.
void Inserter::insert(open::ValueId id, const open::Node& node, const open::Enter& body) {
  const auto arguments = held(body.arguments);
  if (!arguments.has_value()) return;
  const std::string& name = program_.instances[body.instance].name;
  std::vector<NodeId> nodes;
  std::vector<ArrayType> types;
  for (const Held& argument : *arguments) {
    nodes.push_back(argument.node());
    types.push_back(type(argument));
  }
  if (chooses(program_.instances[body.instance])) {
    // Its copies are laid out by the rules.
    report(base::make(Kind::auto_forward, name)
               .at(node.span)
               .suggest("take the gradient inside of an `auto fn`: then its layouts are chosen, too"));
    return keep(id, std::move(nodes));
  }
  const auto instance = close(body.instance, types, node.span);
  if (!instance.has_value() || !local_allows(*instance, name, node.span)) return;
  if (given_ != nullptr && !is_given_) body_->entered[id] = given_->find(body.instance, types);
  keep(id, std::move(nodes));
}

void Inserter::insert(open::ValueId id, const open::Node&, const open::Gradient& body) {
  const auto results = held(body.results);
  if (!results.has_value() || results->empty()) return;
  std::vector<NodeId> nodes;
  for (const Held& result : *results) nodes.push_back(result.node());
  keep(id, std::move(nodes));
}

namespace {

std::span<const open::Use> uses_of(const open::Node& node) {
  if (const auto* as = std::get_if<open::As>(&node.body)) return {&as->operand, 1};
  return std::get<open::Compute>(node.body).operands;
}

}  // namespace

// Most copies are made of values that lie as their originals. Cotangents may lie in another way where a gradient is
// taken of them: there each contribution goes its own way.
const NodeLayouts* Inserter::copied(open::ValueId id, const std::vector<Held>& operands) const {
  const open::Node& node = program_.nodes[id];
  const auto function = body_->entered.find(node.entered);
  const bool lies_as_another = node.wish.has_value() && node.wish->as_that.valid();
  if (function == body_->entered.end() || lies_as_another) return nullptr;
  const std::map<open::ValueId, NodeLayouts>& there = function->second->nodes;
  const auto own = there.find(node.copy_of);
  if (own == there.end()) return nullptr;
  const auto lay_alike = [&](const open::Use& original, const Held& operand) {
    if (const auto found = there.find(original.value); found != there.end())
      return found->second.types.size() == 1 && found->second.types[0] == type(operand);
    const std::vector<NodeId>* const outside = top_.values.find(original.value);
    return outside != nullptr && outside->at(0) == operand.node();
  };
  const auto originals = uses_of(program_.nodes[node.copy_of]);
  return std::ranges::equal(originals, operands, lay_alike) ? &own->second : nullptr;
}

}  // namespace tessera::typeck
