#include "typeck/gradient/activity.hpp"

#include <algorithm>

#include "typeck/open/spelling.hpp"

namespace tessera::typeck::gradient {

using open::Use;
using open::ValueId;

namespace {

// Has this operation no derivative that is not zero, or none that there is a rule for?
bool is_flat(const open::Operation& operation) {
  const auto* own = std::get_if<synth::Operation>(&operation);
  if (own == nullptr) return std::holds_alternative<open::ZerosAs>(operation);
  if (const auto* scan = std::get_if<synth::Scan>(own))
    return scan->op == synth::ReduceOp::max || scan->op == synth::ReduceOp::min;
  if (const auto* matrix = std::get_if<synth::MatrixFunction>(own)) {
    return matrix->op == synth::MatrixOp::factor_qr || matrix->op == synth::MatrixOp::eigen ||
           matrix->op == synth::MatrixOp::singular;
  }
  const auto* map = std::get_if<synth::Map>(own);
  return map != nullptr && (map->op == synth::MapOp::floor || map->op == synth::MapOp::sign);
}

}  // namespace

Flags Activity::flags(ValueId node, std::uint32_t result) const {
  const auto found = flags_.find({node, result});
  return found == flags_.end() ? Flags{} : found->second;
}

bool Activity::any_active(ValueId node) const {
  const std::size_t results = program_.nodes[node].types.size();
  for (std::uint32_t k = 0; k < results; ++k) {
    if (flags(node, k).active) return true;
  }
  return false;
}

void Activity::region(const open::Region& region) {
  for (const ValueId id : region.order) {
    std::visit([&](const auto& body) { visit(id, body); }, program_.nodes[id].body);
  }
}

void Activity::visit(ValueId, const open::Parameter&) {}
void Activity::visit(ValueId, const open::Input&) {}

void Activity::visit(ValueId id, const open::Compute& body) {
  const open::Node& node = program_.nodes[id];
  if (node.types.empty() || body.is_flat) return;
  if (std::holds_alternative<open::Together>(body.operation)) return results_from(id, body.operands);
  // What says how the result lies says nothing of its elements.
  if (std::holds_alternative<open::ZerosAs>(body.operation)) return;
  const auto* make = std::get_if<open::Make>(&body.operation);
  const bool is_like = std::holds_alternative<open::FinishAs>(body.operation) || (make != nullptr && make->is_like);
  const std::size_t read = body.operands.size() - (is_like ? 1 : 0);
  Flags own;
  for (std::size_t k = 0; k < read; ++k) own |= flags(body.operands[k].value);
  const bool ends = !synth::is_rounded(synth::computed_as(node.types[0].element())) || is_flat(body.operation);
  if (own.active && ends) {
    ends_.insert(End{node.span, body.who.empty() ? spelling(body.operation) : body.who});
    own = Flags{false, true};
  }
  flags_[{id, 0}] |= own;
}

void Activity::visit(ValueId id, const open::As& body) { flags_[{id, 0}] |= flags(body.operand.value); }

void Activity::visit(ValueId id, const open::Call& body) {
  const open::Instance& instance = program_.instances[body.instance];
  std::vector<bool> given;
  for (const Use& argument : body.arguments) {
    given.push_back(flags(argument.value).active);
    given.push_back(flags(argument.value).severed);
  }
  const std::pair key(body.instance, std::move(given));
  std::shared_ptr<const Activity> callee;
  if (const auto known = known_->find(key); known != known_->end()) {
    callee = known->second;
  } else {
    const std::shared_ptr<Activity> made(new Activity(program_, known_));
    for (std::size_t k = 0; k < body.arguments.size(); ++k)
      made->start(instance.parameters[k].value, flags(body.arguments[k].value));
    made->region(instance.body);
    callee = made;
    known_->emplace(key, made);
  }
  for (std::uint32_t k = 0; k < instance.body.results.size(); ++k)
    flags_[{id, k}] |= callee->flags(instance.body.results[k].value);
  ends_.insert(callee->ends().begin(), callee->ends().end());
  callees_[id] = std::move(callee);
}

void Activity::results_from(ValueId id, const std::vector<Use>& results) {
  for (std::uint32_t k = 0; k < results.size(); ++k) flags_[{id, k}] |= flags(results[k].value);
}

// Each turn takes the results of the one before, so the flags are followed until nothing changes.
void Activity::visit(ValueId id, const open::Loop& body) {
  for (std::size_t k = 0; k < body.initial.size(); ++k) start(body.parameters[k], flags(body.initial[k].value));
  bool changes = true;
  while (changes) {
    changes = false;
    region(body.body);
    for (std::size_t k = 0; k < body.parameters.size(); ++k) {
      const Flags before = flags(body.parameters[k]);
      start(body.parameters[k], flags(body.body.results[k].value));
      changes = changes || !(before == flags(body.parameters[k]));
    }
  }
  for (std::uint32_t k = 0; k < body.parameters.size(); ++k) flags_[{id, k}] |= flags(body.parameters[k]);
}

void Activity::visit(ValueId id, const open::If& body) {
  region(body.then_region);
  region(body.else_region);
  results_from(id, body.then_region.results);
  results_from(id, body.else_region.results);
  const bool severed = flags(body.condition).severed;
  for (std::uint32_t k = 0; k < body.then_region.results.size(); ++k) flags_[{id, k}] |= Flags{false, severed};
}

void Activity::visit(ValueId id, const open::Again& body) {
  region(body.body);
  results_from(id, body.body.results);
}

void Activity::visit(ValueId id, const open::Element& body) { flags_[{id, 0}] |= flags(body.tuple, body.index); }
void Activity::visit(ValueId id, const open::Enter& body) { results_from(id, body.arguments); }
void Activity::visit(ValueId id, const open::Gradient& body) { results_from(id, body.results); }
void Activity::visit(ValueId, const open::PlanText&) {}
void Activity::visit(ValueId, const open::Definition&) {}

}  // namespace tessera::typeck::gradient
