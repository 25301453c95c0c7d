// `as`, calls, branches: what holds other nodes, or brings a value to a layout that is written. Loops: loops.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/insert/choose.hpp"
#include "typeck/insert/way_back.hpp"
#include "typeck/layouts/whole.hpp"
#include "typeck/typed/plan_text.hpp"

namespace tessera::typeck {

void Inserter::insert(open::ValueId id, const open::Node& node, const open::As& body) {
  const MaybeHeld value = held(body.operand);
  if (!value.has_value()) return;
  if (whole_ != nullptr) return keep(id, Choosing(*this).pinned(node, body, *value));
  auto layouts = assigned(id, {*value}, [&] { return layouts_.written(node, body, seen(*value)); });
  if (!layouts.has_value()) return;
  synth::PlanOptions options;
  if (body.is_as) {
    options.within_bytes = body.within_bytes;
    const auto operand_begun = body_->values.begun(body.operand_begins, id);
    const bool lives_on = may_live_on(value->node(), operand_begun.value_or(typed_.nodes.size()));
    // The runtime frees no part of an array.
    options.source = lives_on ? synth::Source::lives_on : synth::Source::kept_whole;
  }
  MaybeHeld result = value;
  for (Change& change : layouts->uses.at(0)) {
    if (result.has_value()) result = redistribute(*result, change.to, std::move(change.why), options);
  }
  if (result.has_value() && !body.is_argument) note_accidental_gather(*result, body);
  keep(id, result);
}

// ---- Calls

std::optional<std::vector<NodeId>> Inserter::bring_arguments(open::ValueId id, const open::Instance& callee,
                                                             const std::vector<open::Use>& uses) {
  const auto values = held(uses);
  if (!values.has_value()) return std::nullopt;
  std::vector<NodeId> nodes;
  for (std::size_t k = 0; k < values->size(); ++k) {
    const open::Instance::Parameter& parameter = callee.parameters[k];
    const Held& value = (*values)[k];
    if (whole_ != nullptr) {
      nodes.push_back(value.node());
      continue;
    }
    auto way = way_of_use(
        id, k, [&] { return layouts_.argument(callee, parameter, program_.type(parameter.value), seen(value)); });
    if (!way.has_value()) return std::nullopt;
    const MaybeHeld moved = brought(value, std::move(*way));
    if (!moved.has_value()) return std::nullopt;
    nodes.push_back(moved->node());
  }
  return nodes;
}

std::optional<InstanceId> Inserter::close(open::InstanceId callee, const std::vector<ArrayType>& given,
                                          Span call_span) {
  const std::vector<ArrayType> types = Choosing(*this).closed_for(program_.instances[callee], given);
  for (const Closed& known : closed_[callee]) {
    if (known.types == types) return known.instance;
  }
  const std::size_t reports = messages_.size();
  const bool outer_local = std::exchange(is_local_, false);
  const auto instance =
      chooses(program_.instances[callee]) ? Choosing(*this).close(callee, given, call_span) : closed_now(callee, types);
  is_local_ = outer_local;
  if (call_span != program_.instances[callee].defined_at) messages_.label_calls(reports, call_span);
  closed_[callee].push_back({types, instance});
  return instance;
}

std::optional<InstanceId> Inserter::closed_now(open::InstanceId callee, const std::vector<ArrayType>& types) {
  const open::Instance& open_instance = program_.instances[callee];
  Instance instance{open_instance.name, {}, {}};
  Body own;
  own.ast = open_instance.ast;
  own.layouts = layouts_of(callee, types);
  Body* const outer = std::exchange(body_, &own);
  // What was moved where it is called is not there where it is called next.
  const std::vector<std::uint64_t> outer_regions = std::exchange(open_regions_, {});
  for (std::size_t k = 0; k < open_instance.parameters.size(); ++k) {
    const open::ValueId value = open_instance.parameters[k].value;
    instance.parameters.push_back(parameter(program_.nodes[value].span, types[k]));
    note(value, {types[k]});
    keep(value, std::vector{instance.parameters.back()});
  }
  const auto results = in_region(instance.body, [&] {
    region(open_instance.body);
    return held(open_instance.body.results);
  });
  note_lets(open_instance.lets, own);
  body_ = outer;
  open_regions_ = outer_regions;
  if (!open_instance.is_complete || !results.has_value()) return std::nullopt;
  for (const Held& result : *results) instance.body.results.push_back(result.node());
  if (whole_ == nullptr && own.ast == program_.ast) printed_[open_instance.name_span].push_back(std::move(own));
  const InstanceId made = typed_.instances.add(std::move(instance));
  if (whole_ == nullptr) return made;
  body_ = &own;
  Choosing(*this).note_function(open_instance, typed_.instances[made], made);
  body_ = outer;
  return made;
}

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Call& body) {
  const open::Instance& callee = program_.instances[body.instance];
  auto arguments = bring_arguments(id, callee, body.arguments);
  if (!arguments.has_value()) return;
  std::vector<ArrayType> types;
  for (const NodeId argument : *arguments) types.push_back(type(argument));
  const auto instance = close(body.instance, types, node.span);
  if (!instance.has_value() || !local_allows(*instance, callee.name, node.span)) return;
  if (!Choosing(*this).bring(callee, *instance, *arguments)) return;
  std::vector<ArrayType> results;
  for (const NodeId result : typed_.instances[*instance].body.results) results.push_back(type(result));
  note_types(id, results);
  keep(id, std::vector{emit(node.span, std::move(results), Call{*instance, std::move(*arguments)})});
}

// A function that says all of its layouts.
void Inserter::insert(open::ValueId, const open::Node&, const open::Definition& body) {
  std::vector<ArrayType> types;
  for (const open::Instance::Parameter& parameter : program_.instances[body.instance].parameters) {
    auto own = reports_.written(parameter.written, program_.type(parameter.value), parameter.layout.value());
    if (!own.has_value()) return;
    types.push_back(std::move(*own));
  }
  close(body.instance, types, body.function);
}

// Inside `local` a function that receives bytes is refused as its body would be.
bool Inserter::local_allows(InstanceId instance, const std::string& name, Span span) {
  if (!is_local_) return true;
  const std::int64_t bytes = received_bytes_of(typed_, typed_.instances[instance].body);
  return allow_received(bytes, Reason{Reason::Asker::operation, fmt::format("`{}`", name), span, {}, {}}, span);
}

// ---- Branches, blocks

std::optional<std::vector<MaybeHeld>> Inserter::held_or_open(const std::vector<open::Use>& uses) {
  std::vector<MaybeHeld> all;
  for (const open::Use& use : uses) {
    all.push_back(use.value.valid() ? held(use) : std::nullopt);
    if (use.value.valid() && !all.back().has_value()) return std::nullopt;
  }
  return all;
}

void Inserter::insert(open::ValueId id, const open::Node& node, const open::If& body) {
  If both;
  const auto inside = [&](Region& made_region, const open::Region& nodes) {
    return in_region(made_region, [&] {
      region(nodes);
      return held_or_open(nodes.results);
    });
  };
  const auto then_values = inside(both.then_region, body.then_region);
  const auto else_values = inside(both.else_region, body.else_region);
  const std::vector<NodeId>* const condition = body.condition.valid() ? nodes_of(body.condition) : nullptr;
  if (!node.is_complete || condition == nullptr || !then_values.has_value() || !else_values.has_value()) return;
  both.condition = condition->at(0);
  if (body.is_statement) {
    emit(node.span, {}, std::move(both));
    return;
  }
  const auto joined = join_branches(id, node.span, std::move(both), *then_values, *else_values);
  if (joined.has_value()) keep(id, std::vector{*joined});
}

Held Inserter::or_zeros(Region& made_region, Span span, const MaybeHeld& value, const MaybeHeld& other) {
  if (value.has_value()) return *value;
  return in_region(made_region, [&] { return zeros_of(*this, span, type(*other)); });
}

std::optional<NodeId> Inserter::join_branches(open::ValueId id, Span span, If both,
                                              const std::vector<MaybeHeld>& then_values,
                                              const std::vector<MaybeHeld>& else_values) {
  std::vector<ArrayType> types;
  for (std::size_t k = 0; k < then_values.size(); ++k) {
    const Held then_value = or_zeros(both.then_region, span, then_values[k], else_values[k]);
    const Held else_value = or_zeros(both.else_region, span, else_values[k], then_values[k]);
    auto way = way_of_use(
        id, k, [&] { return std::optional(OperationLayouts::joined(span, seen(then_value), type(else_value))); });
    const MaybeHeld moved = in_region(both.else_region, [&] { return brought(else_value, std::move(*way)); });
    if (!moved.has_value()) return std::nullopt;
    types.push_back(type(then_value));
    both.then_region.results.push_back(then_value.node());
    both.else_region.results.push_back(moved->node());
  }
  note_types(id, types);
  return emit(span, std::move(types), std::move(both));
}

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Again& body) {
  Again made_again;
  const auto results = in_region(made_again.body, [&] {
    region(body.body);
    return held(body.body.results);
  });
  if (!node.is_complete || !results.has_value()) return;
  std::vector<ArrayType> types;
  for (const Held& result : *results) {
    made_again.body.results.push_back(result.node());
    types.push_back(type(result));
  }
  note_types(id, types);
  keep(id, std::vector{emit(node.span, std::move(types), std::move(made_again))});
}

// The results of operations that only bring values together have nodes of their own.
void Inserter::insert(open::ValueId id, const open::Node& node, const open::Element& body) {
  const std::vector<NodeId>* const tuple = nodes_of(body.tuple);
  if (tuple == nullptr) return;
  if (tuple->size() > 1) {
    note(id, {type(tuple->at(body.index))});
    keep(id, std::vector{tuple->at(body.index)});
    return;
  }
  const NodeId whole = tuple->at(0);
  note(id, {typed_.nodes[whole].types.at(body.index)});
  keep(id, std::vector{emit(node.span, {typed_.nodes[whole].types.at(body.index)}, Element{whole, body.index})});
}

}  // namespace tessera::typeck
