// A node of an open program, and one function for each operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "typeck/insert/choose.hpp"
#include "typeck/layouts/shape_rules.hpp"
#include "typeck/layouts/whole.hpp"

namespace tessera::typeck {

namespace {

// What a failed assertion shows: the operands of a comparison.
std::vector<NodeId> compared_in(const Typed& typed, NodeId condition) {
  const auto* compute = std::get_if<Compute>(&typed.nodes[condition].body);
  const auto* map = compute == nullptr ? nullptr : std::get_if<synth::Map>(&compute->operation);
  constexpr std::array kComparisons = {synth::MapOp::equal,      synth::MapOp::not_equal, synth::MapOp::less,
                                       synth::MapOp::less_equal, synth::MapOp::greater,   synth::MapOp::greater_equal};
  const bool compares = map != nullptr && std::ranges::find(kComparisons, map->op) != kComparisons.end();
  return compares ? compute->operands : std::vector<NodeId>{};
}

}  // namespace

// One call for each operation; the inserter's functions of the same names do the work.
struct Operations {
  Inserter& inserter;
  open::ValueId id;
  const open::Node& node;
  const open::Compute& body;
  std::vector<Held>& operands;
  NodeLayouts& layouts;

  const Held& first() const { return operands.at(0); }
  Span span() const { return node.span; }
  const ArrayType& result() const { return layouts.types.at(0); }
  std::vector<NodeId> nodes() const {
    std::vector<NodeId> all;
    for (const Held& operand : operands) all.push_back(operand.node());
    return all;
  }
  MaybeHeld brought() const { return inserter.brought(first(), std::move(layouts.uses[0])); }
  MaybeHeld built(const synth::Operation& operation, bool computes) const {
    return inserter.built(span(), operation, std::move(operands), std::move(layouts), computes);
  }

  MaybeHeld operator()(const synth::Operation& operation) const {
    return std::visit([&](const auto& own) { return (*this)(own); }, operation);
  }
  MaybeHeld operator()(const synth::Map& map) const { return built(map, true); }
  MaybeHeld operator()(const synth::Reduce& reduce) const {
    return reduce.dimensions.empty() ? inserter.widened(first()) : built(reduce, true);
  }
  MaybeHeld operator()(const synth::Reshape&) const { return reshaped(); }
  MaybeHeld operator()(const synth::ArgReduce& how) const {
    return inserter.arg_reduced(span(), body.who, first(), how, std::move(layouts));
  }
  MaybeHeld operator()(const synth::Greatest& how) const {
    return inserter.greatest(span(), body.who, first(), how, std::move(layouts));
  }
  MaybeHeld operator()(const synth::Scan& how) const {
    return inserter.running(span(), body.who, first(), how, result());
  }
  MaybeHeld operator()(const synth::Recur& how) const {
    return inserter.recurring(span(), body.who, std::move(operands), how, std::move(layouts));
  }
  MaybeHeld operator()(const synth::Sort& how) const {
    return inserter.sorted(span(), body.who, first(), how, result());
  }
  MaybeHeld operator()(const synth::Take& take) const {
    return inserter.by_rows(span(), body.who, take, std::move(operands), std::move(layouts));
  }
  MaybeHeld operator()(const synth::ScatterAdd& add) const {
    return inserter.by_rows(span(), body.who, add, std::move(operands), std::move(layouts));
  }
  MaybeHeld operator()(const synth::Search& search) const { return built(search, true); }
  MaybeHeld operator()(const synth::MatrixFunction& function) const { return built(function, true); }
  // What is made of nothing or of each device's tile: constants, sorts and transposes; and effects.
  template <class Local>
  MaybeHeld operator()(const Local& operation) const {
    if (!node.types.empty()) return inserter.compute(span(), result(), operation, nodes());
    inserter.emit(span(), {}, Compute{operation, nodes(), 0, {}});
    return std::nullopt;
  }
  // Both sides of a comparison are handed to the assertion, whose failure shows them.
  MaybeHeld operator()(const synth::Assert& assertion) const {
    std::vector<NodeId> shown = {first().node()};
    for (const NodeId side : compared_in(inserter.typed_, first().node())) shown.push_back(side);
    inserter.emit(span(), {}, Compute{assertion, std::move(shown), 0, {}});
    return std::nullopt;
  }

  MaybeHeld operator()(const open::Squeeze& squeeze) const {
    return squeeze.dimensions.empty() ? MaybeHeld(first()) : reshaped();
  }
  MaybeHeld operator()(const open::Unsqueeze&) const { return reshaped(); }
  MaybeHeld operator()(const open::Slice& slice) const {
    return inserter.slice(span(), body.who, operands, slice.dimensions, result());
  }
  MaybeHeld operator()(const open::Pad& pad) const {
    return inserter.padded(span(), body.who, first(), pad.widths, operands.at(1), result());
  }
  MaybeHeld operator()(const open::Concat& concat) const {
    return inserter.concat(span(), body.who, std::move(operands), concat, std::move(layouts));
  }
  MaybeHeld operator()(const open::Update& update) const { return inserter.update(span(), body.who, operands, update); }
  MaybeHeld operator()(const open::Roll& roll) const { return inserter.rolled(span(), body.who, operands, roll); }
  MaybeHeld operator()(const open::Product& product) const { return built(product.contract, true); }
  MaybeHeld operator()(const open::Broadcast&) const { return built(synth::Map{synth::MapOp::copy}, false); }
  MaybeHeld operator()(const open::Widen&) const { return inserter.widened(first()); }
  MaybeHeld operator()(const open::Together&) const {
    const auto values = inserter.brought(std::move(operands), std::move(layouts.uses), true);
    if (!values.has_value()) return std::nullopt;
    Held all{{}, span(), {}, {}};
    for (const Held& value : *values) all.nodes.push_back(value.node());
    return all;
  }
  MaybeHeld operator()(const open::Whole&) const {
    const MaybeHeld value = brought();
    if (!value.has_value()) return std::nullopt;
    const Held ready = inserter.widened(*value);
    if (!layouts.compared.empty()) inserter.keep_compared(ready, std::move(layouts.compared));
    return ready;
  }
  MaybeHeld operator()(const open::Finish&) const { return brought(); }
  MaybeHeld operator()(const open::Make& make) const {
    auto scalars = nodes();
    if (make.is_like) scalars.pop_back();
    return inserter.constructed(node, body, make, std::move(scalars), result());
  }
  MaybeHeld operator()(const open::ByHand& step) const {
    return inserter.by_hand(node, step, first(), std::move(layouts.uses.at(0).at(0)));
  }

  MaybeHeld operator()(const open::Used& used) const { return inserter.cotangents_.used(used); }
  MaybeHeld operator()(const open::Back& back) const { return inserter.cotangents_.brought_back(id, node, body, back); }
  MaybeHeld operator()(const open::Both&) const { return inserter.cotangents_.both(id, node, body); }
  MaybeHeld operator()(const open::Home& home) const { return inserter.cotangents_.home(id, node, body, home); }
  MaybeHeld operator()(const open::ZerosAs&) const { return inserter.cotangents_.zeros_as(span(), first()); }
  MaybeHeld operator()(const open::FinishAs&) const {
    return inserter.cotangents_.finished_as(span(), body.who, first(), operands.at(1));
  }
  MaybeHeld operator()(const open::Sum&) const { return inserter.cotangents_.summed(node, body); }
  MaybeHeld operator()(const open::PutRow&) const { return inserter.cotangents_.row_put(node, body); }
  MaybeHeld operator()(const open::TakeRow&) const {
    return inserter.cotangents_.row_taken(span(), first(), operands.at(1));
  }

 private:
  MaybeHeld reshaped() const {
    const MaybeHeld value = brought();
    if (!value.has_value()) return std::nullopt;
    const auto shifted = shifted_reshape(inserter.type(*value), result());
    if (!shifted.has_value()) return inserter.reshaped(*value, result(), span());
    return inserter.shifted(span(), body.who, *value, *shifted, result(), std::move(layouts.compared));
  }
};

namespace {

// Are its operands no finished values? What a loop carries and begins with zeros is there when something is put into
// it; contributions to a cotangent may be on their way.
bool looks_itself(const open::Operation& operation) {
  return std::holds_alternative<open::Sum>(operation) || std::holds_alternative<open::PutRow>(operation) ||
         std::holds_alternative<open::Back>(operation) || std::holds_alternative<open::Both>(operation) ||
         std::holds_alternative<open::Home>(operation);
}

}  // namespace

void Inserter::insert(open::ValueId id, const open::Node& node) {
  options_.stop.look();
  reports_.at(id.value);
  const std::size_t typed_nodes = typed_.nodes.size();
  body_->values.begin(id, typed_nodes);
  if (whole_ != nullptr && refuses(node)) return;
  const auto outer = std::tuple(is_local_, again_, pass_there_, pass_);
  std::tie(is_local_, again_, pass_there_, pass_) = std::tuple(node.is_local, node.again, node.pass_there, node.pass);
  std::visit([&](const auto& body) { insert(id, node, body); }, node.body);
  std::tie(is_local_, again_, pass_there_, pass_) = outer;
  if (whole_ != nullptr && node.made_for.valid()) Choosing(*this).note_made_for(node, typed_nodes);
}

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Compute& body) {
  const bool is_like_missing =
      node.wish.has_value() && node.wish->as_that.valid() && nodes_of(node.wish->as_that) == nullptr;
  auto operands = looks_itself(body.operation) ? std::vector<Held>{} : held(body.operands);
  if (!operands.has_value() || is_like_missing) return;
  NodeLayouts layouts;
  if (!lies_as_others(body.operation)) {
    // On whole arrays nothing but what is computed counts.
    const Want want = whole_ != nullptr ? Want{} : want_of(node);
    auto found = assigned(id, *operands, [&] { return layouts_.compute(node, body, seen(*operands), want); });
    if (!found.has_value()) return;
    layouts = std::move(*found);
  }
  std::optional<Layout> written;
  const auto* make = std::get_if<open::Make>(&body.operation);
  if (make != nullptr && !make->is_like) written = layouts.types.at(0).layout();
  const MaybeHeld value = std::visit(Operations{*this, id, node, body, *operands, layouts}, body.operation);
  if (value.has_value() && lies_as_others(body.operation) && cotangents_.is_home(id)) note(id, {type(*value)});
  keep(id, value);
  if (whole_ != nullptr && value.has_value()) Choosing(*this).note_made(node, written, *value);
}

// The numbers are made as f32 where the type stores them.
Held Inserter::numbers(Span span, const ArrayType& type, const synth::Operation& operation,
                       std::vector<NodeId> operands) {
  if (!computes_numbers(operation) || !synth::is_storage(type.element()))
    return compute(span, type, operation, std::move(operands));
  const ArrayType own = typeck::widened(type);
  return compute(span, type, synth::Map{synth::MapOp::cast},
                 {compute(span, own, operation, std::move(operands)).node()});
}

// Builds without the pending axes, then keeps the value on one replica and the identity on the others.
MaybeHeld Inserter::constructed(const open::Node& node, const open::Compute& body, const open::Make& make,
                                std::vector<NodeId> operands, const ArrayType& wanted) {
  if (wanted.layout().pending().empty()) return numbers(node.span, wanted, make.operation, std::move(operands));
  auto finished = Layout::make(wanted.mesh(), wanted.layout().splits());
  TESSERA_CHECK(finished.ok(), "a type without its pending axes is not valid");
  const auto plain = reports_.with_layout(node.span, wanted, std::move(finished).value());
  if (!plain.has_value()) return std::nullopt;
  const Held all = numbers(node.span, *plain, make.operation, std::move(operands));
  return redistribute(all, wanted, Reason{Reason::Asker::collective, body.who, node.span, {}, {}});
}

// Its bytes move as in the planner's own step.
MaybeHeld Inserter::by_hand(const open::Node& node, const open::ByHand& step, const Held& value, Change change) {
  const auto target = step.target.has_value() ? std::optional(change.to) : std::nullopt;
  auto plan = plans_.by_hand(type(value), collective_of(step, target), node.span);
  if (!plan.has_value()) return std::nullopt;
  if (!allow_received((*plan)->received_bytes_total, change.why, node.span)) return std::nullopt;
  const NodeId made_node =
      emit(node.span, {change.to}, Redistribute{value.node(), std::move(*plan), std::move(change.why)});
  return Held{{made_node}, node.span, {}, {}};
}

}  // namespace tessera::typeck
