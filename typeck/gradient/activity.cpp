#include "typeck/gradient/activity.hpp"

#include <algorithm>

namespace tessera::typeck::gradient {

namespace {

// Has this operation no derivative that is not zero, or none that there is a rule for?
bool is_flat(const synth::Operation& operation) {
  if (std::holds_alternative<synth::Sort>(operation) || std::holds_alternative<synth::Greatest>(operation)) return true;
  const auto* map = std::get_if<synth::Map>(&operation);
  return map != nullptr && (map->op == synth::MapOp::floor || map->op == synth::MapOp::sign);
}

std::string name_of_map(synth::MapOp op) {
  struct Spelling {
    synth::MapOp op;
    const char* text;
  };
  constexpr Spelling kOperators[] = {
      {synth::MapOp::add, "+"},         {synth::MapOp::subtract, "-"},       {synth::MapOp::multiply, "*"},
      {synth::MapOp::divide, "/"},      {synth::MapOp::remainder, "%"},      {synth::MapOp::power, "**"},
      {synth::MapOp::minimum, "min"},   {synth::MapOp::maximum, "max"},      {synth::MapOp::equal, "=="},
      {synth::MapOp::not_equal, "!="},  {synth::MapOp::less, "<"},           {synth::MapOp::less_equal, "<="},
      {synth::MapOp::greater, ">"},     {synth::MapOp::greater_equal, ">="}, {synth::MapOp::logical_and, "&&"},
      {synth::MapOp::logical_or, "||"}, {synth::MapOp::logical_not, "!"},    {synth::MapOp::negate, "-"},
      {synth::MapOp::select, "where"},  {synth::MapOp::cast, "a cast"},      {synth::MapOp::copy, "broadcast"}};
  for (const Spelling& one : kOperators) {
    if (one.op == op) return one.text;
  }
  return std::string(name(op));
}

}  // namespace

std::string spelling(const synth::Operation& operation) {
  if (const auto* map = std::get_if<synth::Map>(&operation)) {
    const std::string text = name_of_map(map->op);
    return map->op == synth::MapOp::cast ? text : "`" + text + "`";
  }
  if (const auto* reduce = std::get_if<synth::Reduce>(&operation))
    return reduce->kind == synth::ReduceKind::product ? "`prod`" : "`" + std::string(name(reduce->kind)) + "`";
  if (const auto* arg = std::get_if<synth::ArgReduce>(&operation)) return arg->max ? "`argmax`" : "`argmin`";
  if (const auto* find = std::get_if<synth::Find>(&operation)) return find->max ? "`argmax`" : "`argmin`";
  if (const auto* sort = std::get_if<synth::Sort>(&operation)) return sort->positions ? "`argsort`" : "`sort`";
  if (const auto* greatest = std::get_if<synth::Greatest>(&operation))
    return greatest->positions ? "`argtopk`" : "`topk`";
  if (std::holds_alternative<synth::Contract>(operation)) return "a product";
  if (std::holds_alternative<synth::Assemble>(operation)) return "a part";
  return "`" + std::string(name(operation)) + "`";
}

Flags Activity::flags(NodeId node, std::uint32_t result) const {
  const auto found = flags_.find({node, result});
  return found == flags_.end() ? Flags{} : found->second;
}

bool Activity::any_active(NodeId node) const {
  const std::size_t results = typed_.nodes[node].types.size();
  for (std::uint32_t k = 0; k < results; ++k) {
    if (flags(node, k).active) return true;
  }
  return false;
}

void Activity::region(const Region& region) {
  for (const NodeId id : region.order) {
    std::visit([&](const auto& body) { visit(id, body); }, typed_.nodes[id].body);
  }
}

void Activity::visit(NodeId, const Parameter&) {}
void Activity::visit(NodeId, const Input&) {}

void Activity::visit(NodeId id, const Compute& body) {
  const Node& node = typed_.nodes[id];
  if (node.types.empty() || body.is_flat) return;
  Flags own;
  for (const NodeId operand : body.operands) own |= flags(operand);
  const bool ends = !synth::is_float(synth::computed_as(node.types[0].element())) || is_flat(body.operation);
  if (own.active && ends) {
    ends_.insert(End{node.span, spelling(body.operation)});
    own = Flags{false, true};
  }
  flags_[{id, 0}] |= own;
}

void Activity::visit(NodeId id, const Redistribute& body) { flags_[{id, 0}] |= flags(body.operand); }

void Activity::visit(NodeId id, const Call& body) {
  const Instance& instance = typed_.instances[body.instance];
  std::vector<bool> given;
  for (const NodeId argument : body.arguments) {
    given.push_back(flags(argument).active);
    given.push_back(flags(argument).severed);
  }
  const std::pair key(body.instance, std::move(given));
  std::shared_ptr<const Activity> callee;
  if (const auto known = known_->find(key); known != known_->end()) {
    callee = known->second;
  } else {
    const std::shared_ptr<Activity> made(new Activity(typed_, known_));
    for (std::size_t k = 0; k < body.arguments.size(); ++k)
      made->start(instance.parameters[k], flags(body.arguments[k]));
    made->region(instance.body);
    callee = made;
    known_->emplace(key, made);
  }
  for (std::uint32_t k = 0; k < instance.body.results.size(); ++k)
    flags_[{id, k}] |= callee->flags(instance.body.results[k]);
  ends_.insert(callee->ends().begin(), callee->ends().end());
  callees_[id] = std::move(callee);
}

void Activity::results_from(NodeId id, const std::vector<NodeId>& results) {
  for (std::uint32_t k = 0; k < results.size(); ++k) flags_[{id, k}] |= flags(results[k]);
}

// Each turn takes the results of the one before, so the flags are followed until nothing changes.
void Activity::visit(NodeId id, const Loop& body) {
  for (std::size_t k = 0; k < body.initial.size(); ++k) start(body.parameters[k], flags(body.initial[k]));
  bool changes = true;
  while (changes) {
    changes = false;
    region(body.body);
    for (std::size_t k = 0; k < body.parameters.size(); ++k) {
      const Flags before = flags(body.parameters[k]);
      start(body.parameters[k], flags(body.body.results[k]));
      changes = changes || !(before == flags(body.parameters[k]));
    }
  }
  results_from(id, body.parameters);
}

void Activity::visit(NodeId id, const If& body) {
  region(body.then_region);
  region(body.else_region);
  results_from(id, body.then_region.results);
  results_from(id, body.else_region.results);
  const bool severed = flags(body.condition).severed;
  for (std::uint32_t k = 0; k < body.then_region.results.size(); ++k) flags_[{id, k}] |= Flags{false, severed};
}

void Activity::visit(NodeId id, const Again& body) {
  region(body.body);
  results_from(id, body.body.results);
}

void Activity::visit(NodeId id, const Element& body) { flags_[{id, 0}] |= flags(body.tuple, body.index); }

}  // namespace tessera::typeck::gradient
