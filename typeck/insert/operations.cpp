// One function for each operation of an open program.
#include <fmt/format.h>

#include <array>

#include "synth/collective/collective.hpp"
#include "synth/program/type_rules.hpp"
#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

// One call for each operation; the inserter's functions of the same names do the work.
struct Operations {
  Inserter& inserter;
  open::ValueId id;
  const open::Node& node;
  const open::Compute& body;
  const std::vector<Held>& operands;

  const Held& first() const { return operands.at(0); }
  Span span() const { return node.span; }
  const open::Type& result() const { return node.types.at(0); }
  Want want() const { return inserter.want_of(node); }

  MaybeHeld operator()(const synth::Operation& operation) const {
    return std::visit([&](const auto& own) { return (*this)(own); }, operation);
  }

  MaybeHeld operator()(const synth::Constant& constant) const {
    const auto whole = ArrayType::replicated(result().element(), result().shape(), result().mesh_ref());
    TESSERA_CHECK(whole.ok(), "a literal's type is not valid");
    return inserter.compute(span(), *whole, constant, {});
  }
  MaybeHeld operator()(const synth::Map& map) const {
    return inserter.map(span(), map.op, operands, result().element(), body.who, want());
  }
  MaybeHeld operator()(const synth::Reduce& reduce) const {
    return inserter.reduce(span(), body.who, first(), reduce.kind, {reduce.dimensions.begin(), reduce.dimensions.end()},
                           want());
  }
  MaybeHeld operator()(const synth::Reshape&) const {
    return inserter.reshaped(span(), body.who, first(), result().shape());
  }
  MaybeHeld operator()(const synth::Take&) const { return inserter.take(span(), first(), operands.at(1), want()); }

  // What works on each device's tile: sorts and transposes, and effects.
  template <class Local>
  MaybeHeld operator()(const Local& operation) const {
    std::vector<NodeId> nodes;
    for (const Held& operand : operands) nodes.push_back(operand.node());
    if (node.types.empty()) {
      inserter.emit(span(), {}, Compute{operation, std::move(nodes), 0, {}});
      return std::nullopt;
    }
    const ArrayType from = inserter.type(first());
    const Signature signature =
        inserter.signature(span(), body.who, operation, operands, result().element(), result().shape());
    auto layout = synth::result_layout(signature.indices, from.mesh(), std::array{from.layout()});
    TESSERA_CHECK(layout.has_value(), "the layout of an operand gives none to the result");
    const auto type = inserter.made(
        ArrayType::make(result().element(), result().shape(), from.mesh_ref(), std::move(*layout)), span());
    if (!type.has_value()) return std::nullopt;
    return inserter.compute(span(), *type, operation, std::move(nodes));
  }
  // Both sides of a comparison are handed to the assertion, whose failure shows them.
  MaybeHeld operator()(const synth::Assert& assertion) const {
    std::vector<NodeId> nodes = {first().node()};
    for (const NodeId side : inserter.compared_in(first().node())) nodes.push_back(side);
    inserter.emit(span(), {}, Compute{assertion, std::move(nodes), 0, {}});
    return std::nullopt;
  }

  MaybeHeld operator()(const open::Squeeze& squeeze) const {
    return inserter.drop_dimensions(first(), squeeze.dimensions, body.who, span());
  }
  MaybeHeld operator()(const open::Unsqueeze& unsqueeze) const {
    return inserter.unsqueezed(span(), first(), unsqueeze.dimension);
  }
  MaybeHeld operator()(const open::Slice& slice) const {
    return inserter.slice(span(), body.who, operands, slice.dimensions);
  }
  MaybeHeld operator()(const open::Every& every) const { return inserter.every(span(), body.who, first(), every); }
  MaybeHeld operator()(const open::Pad& pad) const {
    return inserter.padded(span(), body.who, first(), pad.widths, operands.at(1));
  }
  MaybeHeld operator()(const open::Concat& concat) const {
    return inserter.concat(span(), body.who, operands, concat, result().shape(), want());
  }
  MaybeHeld operator()(const open::Update& update) const { return inserter.update(span(), body.who, operands, update); }
  MaybeHeld operator()(const open::Product& product) const {
    return inserter.contract(span(), operands, product.contract, body.who, want(), product.names);
  }
  MaybeHeld operator()(const open::Broadcast&) const {
    return inserter.broadcast(span(), body.who, first(), result().shape(), want());
  }
  MaybeHeld operator()(const open::Widen&) const { return inserter.widened(first()); }
  MaybeHeld operator()(const open::Together&) const {
    auto values = inserter.together(node, body, operands);
    if (!values.has_value()) return std::nullopt;
    Held all{{}, span(), {}, {}};
    for (const Held& value : *values) all.nodes.push_back(value.node());
    return all;
  }
  MaybeHeld operator()(const open::Whole& whole) const { return inserter.whole(body, first(), whole, want()); }
  MaybeHeld operator()(const open::Finish& finish) const {
    if (finish.is_output) return inserter.finished_for_output(first(), body.who);
    const Want wanted = want();
    return inserter.resolve_pending(first(), body.who, span(), &wanted);
  }
  MaybeHeld operator()(const open::Make& make) const { return inserter.constructed(node, body, make, operands); }
  MaybeHeld operator()(const open::ByHand& step) const { return inserter.by_hand(node, body, step, first()); }
};

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Compute& body) {
  const auto operands = held(body.operands);
  if (!operands.has_value()) return;
  const MaybeHeld value = std::visit(Operations{*this, id, node, body, *operands}, body.operation);
  keep(id, body.is_flat ? flat(value) : value);
}

std::optional<std::vector<Held>> Inserter::together(const open::Node& node, const open::Compute& body,
                                                    std::vector<Held> values) {
  const Shape shape = broadcast_shape(values);
  const Signature signature{
      synth::aligned_signature(shapes_of(values), shape), body.who, node.span, {}, node.types.at(0).element(), shape};
  auto solved = solve(signature, std::move(values), {});
  return solved.has_value() ? std::optional(std::move(solved->operands)) : std::nullopt;
}

MaybeHeld Inserter::whole(const open::Compute& body, const Held& value, const open::Whole& whole, const Want& want) {
  const MaybeHeld finished = resolve_pending(value, body.who, whole.asked_at);
  if (!finished.has_value()) return std::nullopt;
  const MaybeHeld ready = dealt(*finished, whole.dimensions, body.who, whole.asked_at, want);
  return ready.has_value() ? MaybeHeld(widened(*ready)) : std::nullopt;
}

// A value that leaves the program: its pending sums are finished first.
MaybeHeld Inserter::finished_for_output(const Held& value, const std::string& who) {
  const ArrayType from = type(value);
  if (from.layout().pending().empty()) return value;
  auto layout = Layout::make(from.mesh(), from.layout().splits());
  TESSERA_CHECK(layout.ok(), "a layout without its pending axes is not valid");
  const auto target = with_layout(value.span, from, std::move(layout).value());
  if (!target.has_value()) return std::nullopt;
  return redistribute(value, *target, Reason{Reason::Asker::output, who, value.span, {}, {}});
}

// The numbers are made as f32 where the type stores them.
MaybeHeld Inserter::numbers(Span span, const ArrayType& type, const synth::Operation& operation,
                            std::vector<NodeId> operands) {
  const bool computes = std::holds_alternative<synth::Iota>(operation) ||
                        std::holds_alternative<synth::Random>(operation) ||
                        std::holds_alternative<synth::Normal>(operation);
  if (!computes || !synth::is_storage(type.element())) return compute(span, type, operation, std::move(operands));
  auto own = type.with_element(synth::computed_as(type.element()));
  TESSERA_CHECK(own.ok(), "a type of numbers is not valid");
  const Held made_numbers = compute(span, std::move(own).value(), operation, std::move(operands));
  return map(span, synth::MapOp::cast, {made_numbers}, type.element(),
             fmt::format("{}(...)", synth::name(type.element())), {});
}

// Builds without the pending axes, then keeps the value on one replica and the identity on the others.
MaybeHeld Inserter::constructed(const open::Node& node, const open::Compute& body, const open::Make& make,
                                const std::vector<Held>& operands) {
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  const auto wanted = written_type(make.written, node.types.at(0), make.layout);
  if (!wanted.has_value()) return std::nullopt;
  if (wanted->layout().pending().empty()) return numbers(node.span, *wanted, make.operation, std::move(nodes));
  auto finished = Layout::make(wanted->mesh(), wanted->layout().splits());
  TESSERA_CHECK(finished.ok(), "a type without its pending axes is not valid");
  const auto plain = with_layout(node.span, *wanted, std::move(finished).value());
  if (!plain.has_value()) return std::nullopt;
  const MaybeHeld all = numbers(node.span, *plain, make.operation, std::move(nodes));
  if (!all.has_value()) return std::nullopt;
  return redistribute(*all, *wanted, Reason{Reason::Asker::collective, body.who, node.span, {}, {}});
}

namespace {

// The effect of a collective that names axes, and their dimensions if it has any.
synth::Effect effect_of(const open::ByHand& step) {
  switch (step.kind) {
    case synth::CollectiveKind::all_reduce: return synth::AllReduce{step.axes};
    case synth::CollectiveKind::all_to_all: return synth::AllToAll{{synth::AxisMove{step.axes, step.from, step.to}}};
    case synth::CollectiveKind::reduce_scatter: return synth::ReduceScatter{step.axes, step.from};
    case synth::CollectiveKind::all_gather: return synth::AllGather{{synth::AxesAt{step.axes, step.from}}};
    case synth::CollectiveKind::slice:
    case synth::CollectiveKind::permute:
    case synth::CollectiveKind::exchange:
    case synth::CollectiveKind::relay:
    case synth::CollectiveKind::keep: return synth::Slice{{synth::AxesAt{step.axes, step.from}}};
  }
  throw base::InternalError("an unknown collective");
}

}  // namespace

// Changes the layout exactly as the planner's own step does, and its bytes move as in the planner's.
MaybeHeld Inserter::by_hand(const open::Node& node, const open::Compute& body, const open::ByHand& step,
                            const Held& value) {
  synth::Collective collective{effect_of(step), synth::Direct{}};
  if (step.target.has_value()) {
    const auto target = written_type(node.span, node.types.at(0), *step.target);
    if (!target.has_value()) return std::nullopt;
    const bool permutes = step.kind == synth::CollectiveKind::permute;
    collective.effect = permutes ? synth::Effect(synth::Permute{*target}) : synth::Effect(synth::Exchange{*target});
  }
  const ArrayType before = type(value);
  const auto after = made(synth::apply(collective, before), node.span);
  if (!after.has_value()) return std::nullopt;
  auto plan = plan_by_hand(before, collective, node.span);
  if (!plan.has_value()) return std::nullopt;
  Reason why{Reason::Asker::collective, body.who, node.span, {}, {}};
  if (!allow_received((*plan)->received_bytes_total, why, node.span)) return std::nullopt;
  const NodeId made_node = emit(node.span, {*after}, Redistribute{value.node(), std::move(*plan), std::move(why)});
  return Held{{made_node}, node.span, {}, {}};
}

}  // namespace tessera::typeck
