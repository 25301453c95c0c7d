// `as`, calls, loops, branches: what holds other nodes, or brings a value to a layout that is written.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/insert/choose.hpp"
#include "typeck/insert/way_back.hpp"
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

// ---- Loops, branches, blocks

std::optional<std::vector<MaybeHeld>> Inserter::held_or_open(const std::vector<open::Use>& uses) {
  std::vector<MaybeHeld> all;
  for (const open::Use& use : uses) {
    all.push_back(use.value.valid() ? held(use) : std::nullopt);
    if (use.value.valid() && !all.back().has_value()) return std::nullopt;
  }
  return all;
}

// What begins with zeros has the type that the body found for it.
std::optional<std::vector<NodeId>> Inserter::carried_nodes(Span span, const open::Loop& body,
                                                           const std::vector<MaybeHeld>& initial, Loop& made_loop) {
  std::vector<NodeId> all;
  for (std::size_t k = 0; k < initial.size(); ++k) {
    const std::vector<NodeId>* const own = nodes_of(body.parameters[k]);
    if (own == nullptr) return std::nullopt;
    made_loop.parameters.push_back(own->at(0));
    all.push_back(initial[k].has_value() ? initial[k]->node() : zeros_of(*this, span, type(own->at(0))).node());
  }
  return all;
}

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Loop& body) {
  const auto initial = held_or_open(body.initial);
  const auto count = held(body.count);
  if (!initial.has_value()) return;
  Loop made_loop;
  made_loop.known_count = body.known_count;
  made_loop.condition = body.condition;
  made_loop.is_limited = body.is_limited;
  for (std::size_t k = 0; k < initial->size(); ++k) {
    if (!(*initial)[k].has_value()) continue;
    const Span span = program_.nodes[body.parameters[k]].span;
    note(body.parameters[k], {type(*(*initial)[k])});
    keep(body.parameters[k], std::vector{parameter(span, type(*(*initial)[k]))});
  }
  const auto index_on = [&](open::ValueId index) {
    const NodeId made_index =
        parameter(program_.nodes[index].span, ArrayType::scalar(ElementType::i64, program_.type(index).mesh_ref()));
    note(index, {type(made_index)});
    keep(index, std::vector{made_index});
    return made_index;
  };
  made_loop.index = index_on(body.index);
  for (const open::ValueId index : body.indices_elsewhere) made_loop.indices_elsewhere.push_back(index_on(index));
  const auto results = in_region(made_loop.body, [&] {
    region(body.body);
    return held(body.body.results);
  });
  if (!node.is_complete || !count.has_value() || !results.has_value()) return;
  made_loop.count = count->node();
  for (const Held& result : *results) made_loop.body.results.push_back(result.node());
  auto carried = carried_nodes(node.span, body, *initial, made_loop);
  if (!carried.has_value()) return;
  made_loop.initial = std::move(*carried);
  if (!loop_keeps_types(body, made_loop)) return;
  if (body.pipeline.has_value() && !plan_pipeline(node.span, body, made_loop)) return;
  std::vector<ArrayType> types;
  for (const NodeId value : made_loop.initial) types.push_back(type(value));
  note_types(id, types);
  keep(id, std::vector{emit(node.span, std::move(types), std::move(made_loop))});
}

bool Inserter::loop_keeps_types(const open::Loop& loop, const Loop& made_loop) {
  for (std::size_t k = 0; k < made_loop.initial.size(); ++k) {
    const ArrayType& before = type(made_loop.initial[k]);
    const ArrayType& after = type(made_loop.body.results[k]);
    if (synth::same_type(before, after)) continue;
    TESSERA_CHECK(k < loop.names.size(), "a gradient's loop does not keep its types");
    // What is whole becomes any other without a move; the body would move it in each turn.
    const bool is_easier_first = before.layout().is_replicated() && after.layout().pending().empty();
    const std::string first = fmt::format(
        "start with that layout, which moves nothing: `as {}`, or `zeros(like=...)` of an array that lies so",
        text(after));
    const std::string last = fmt::format("end the body with `as {}`, or start with that layout", text(before));
    report(base::make(Kind::loop_carried, loop.names[k].text, text(before), text(after))
               .at(loop.body_span, text(after))
               .also(loop.names[k].span, text(before))
               .suggest(is_easier_first ? first : last));
    return false;
  }
  return true;
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
