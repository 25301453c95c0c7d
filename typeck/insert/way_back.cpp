#include "typeck/insert/way_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "synth/moves/collective/collective.hpp"
#include "typeck/open/spelling.hpp"

namespace tessera::typeck {

Want want_splits(const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return Want{std::move(layout).value(), type.mesh_ref(), {}, {}};
}

std::optional<ArrayType> whole_cotangent(TypedOperations& graph, Span span, const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return graph.made(
      ArrayType::make(synth::computed_as(type.element()), type.shape(), type.mesh_ref(), std::move(layout).value()),
      span);
}

Held zeros_of(TypedOperations& graph, Span span, const ArrayType& type) {
  const Held zero = synth::is_float(type.element())
                        ? graph.scalar(span, 0.0, type.element(), type.mesh_ref())
                        : graph.scalar(span, std::int64_t{0}, type.element(), type.mesh_ref());
  return graph.compute(span, type, synth::Fill{}, {zero.node()});
}

MaybeHeld WayBack::bring(TypedOperations& graph, Span span, const std::string& who, const MaybeHeld& cotangent,
                         const ArrayType& type) {
  if (!cotangent.has_value()) return std::nullopt;
  const ArrayType own = graph.type(*cotangent);
  AxisList pending;
  if (own.mesh() == type.mesh()) {
    for (const synth::AxisPart& part : own.layout().pending()) {
      if (!type.layout().uses(part)) pending.push_back(part);
    }
  }
  auto layout = Layout::make(type.mesh(), type.layout().splits(), std::move(pending));
  TESSERA_CHECK(layout.ok(), "a cotangent has no layout");
  const auto target =
      graph.made(ArrayType::make(own.element(), type.shape(), type.mesh_ref(), std::move(layout).value()), span);
  if (!target.has_value()) return std::nullopt;
  return graph.redistribute(*cotangent, *target, Reason{Reason::Asker::operation, who, span, {}, {}});
}

namespace {

// `@`, `all_gather for argument w of layer`: what a cotangent is the transpose of.
std::string transposed(const Redistribute& body) {
  std::string steps;
  for (const synth::PlanStep& step : body.plan->steps)
    steps += fmt::format("{}{}", steps.empty() ? "" : " and ", synth::name(step.collective));
  return fmt::format("the transpose of the {} for {}", steps, body.why.who);
}

std::vector<std::size_t> every_dimension(std::size_t rank) {
  std::vector<std::size_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Where the elements of a result with this extent lie in the part that they were taken from. Of a step backwards they
// are numbered from the other end, since only steps may be below 0.
synth::Placement inverse(const synth::Placement& placement, std::int64_t extent) {
  synth::Placement back = placement;
  const bool is_plain = placement.step == 1 && placement.spread == 1;
  back.add = is_plain ? -placement.add : placement.first;
  back.subtract = !placement.subtract;
  if (is_plain) return back;
  const std::int64_t last = placement.step < 0 ? extent - 1 : 0;
  const std::int64_t sign = placement.step < 0 ? -1 : 1;
  back.add = placement.first + placement.step * last;
  back.spread = sign * placement.step;
  back.first = placement.add + placement.spread * last;
  back.step = sign * placement.spread;
  return back;
}

// May a part, taken back as placed, have elements that the whole does not give it?
bool lacks_elements(const synth::Placement& back, std::int64_t whole, std::int64_t extent) {
  if (back.scalar >= 0) return back.clips || extent > whole;
  return synth::numbers_in(synth::shift_of(back), whole, {0, extent}).length() < extent;
}

}  // namespace

// One operation of the way: the cotangent g of its result, and the operand that it goes to.
struct WayBack::Step {
  TypedOperations& graph;
  const Node& node;
  const Compute& compute;
  std::size_t operand;
  Held g;
  std::string who;

  Span span() const { return node.span; }
  ArrayType type(std::size_t k) const { return graph.type(compute.operands[k]); }
  ArrayType to() const { return type(operand); }

  MaybeHeld taken() const {
    const auto& o = compute.operation;
    if (std::holds_alternative<synth::Map>(o)) return of_map();
    if (const auto* reduce = std::get_if<synth::Reduce>(&o)) return of_sum(*reduce);
    if (std::holds_alternative<synth::Fill>(o)) return of_fill();
    if (const auto* transpose = std::get_if<synth::Transpose>(&o)) return of_transpose(*transpose);
    if (std::holds_alternative<synth::Reshape>(o)) return of_tiles(synth::Reshape{});
    if (const auto* lay = std::get_if<synth::Lay>(&o)) return of_lay(*lay);
    const auto* assemble = std::get_if<synth::Assemble>(&o);
    TESSERA_CHECK(assemble != nullptr, "a cotangent goes back through an operation that moves nothing");
    return of_assemble(*assemble);
  }

  // A cast to another type of floats, or copies, whose cotangents are added.
  MaybeHeld of_map() const {
    const ArrayType like = to();
    const ElementType element = synth::computed_as(like.element());
    if (graph.type(g).element() != element) return graph.map(span(), synth::MapOp::cast, {g}, element, who, {});
    const Shape own = graph.type(g).shape();
    const std::size_t added = own.size() - like.rank();
    std::vector<std::size_t> dimensions;
    std::vector<std::size_t> kept;
    for (std::size_t d = 0; d < own.size(); ++d) {
      const bool repeated = d < added || (like.shape()[d - added] == 1 && own[d] != 1);
      if (repeated) dimensions.push_back(d);
      if (repeated && d >= added) kept.push_back(d - added);
    }
    if (dimensions.empty()) return g;
    const MaybeHeld sum = graph.reduce(span(), who, g, synth::ReduceKind::sum, dimensions, {});
    return sum.has_value() && !kept.empty() ? graph.unsqueezed(span(), *sum, kept) : sum;
  }

  // The base has g with zeros in the box; the part has what is in the box, added up where it was repeated.
  MaybeHeld of_lay(const synth::Lay& lay) const {
    const MaybeHeld whole = graph.resolve_pending(g, who, span());
    if (!whole.has_value()) return std::nullopt;
    const ArrayType own = graph.type(*whole);
    const auto one =
        graph.make_type(span(), own.element(), Shape(own.rank(), 1), own.mesh_ref(), std::vector<AxisList>(own.rank()));
    if (!one.has_value()) return std::nullopt;
    const bool is_base = operand == 0;
    const NodeId zeros = zeros_of(graph, span(), is_base ? *one : own).node();
    std::vector<NodeId> nodes = compute.operands;
    nodes[0] = is_base ? whole->node() : zeros;
    nodes[1] = is_base ? zeros : whole->node();
    const Held laid = graph.compute(span(), own, lay, std::move(nodes));
    std::vector<std::size_t> repeated;
    for (std::size_t d = 0; d < own.rank() && !is_base; ++d) {
      if (to().shape()[d] != own.shape()[d]) repeated.push_back(d);
    }
    if (repeated.empty()) return laid;
    const MaybeHeld sum = graph.reduce(span(), who, laid, synth::ReduceKind::sum, repeated, {});
    return sum.has_value() ? graph.unsqueezed(span(), *sum, repeated) : sum;
  }

  MaybeHeld of_sum(const synth::Reduce& reduce) const {
    const ArrayType like = to();
    const std::vector<std::size_t> dimensions(reduce.dimensions.begin(), reduce.dimensions.end());
    const MaybeHeld one = graph.unsqueezed(span(), g, dimensions);
    if (!one.has_value() || graph.type(*one).shape() == like.shape()) return one;
    return graph.broadcast(span(), who, *one, like.shape(), want_splits(like));
  }

  MaybeHeld of_fill() const {
    return graph.reduce(span(), who, g, synth::ReduceKind::sum, every_dimension(graph.type(g).rank()), {});
  }

  // The elements of g, cut as the operand is, as an array of its shape. The operation moved tiles, so this does too.
  MaybeHeld of_tiles(synth::Operation operation) const {
    const ArrayType from = graph.type(g);
    const ArrayType like = to();
    const auto own = graph.make_type(span(), from.element(), like.shape(), like.mesh_ref(), like.layout().splits(),
                                     from.layout().pending(), from.layout().reduce());
    if (!own.has_value()) return std::nullopt;
    return graph.compute(span(), *own, std::move(operation), {g.node()});
  }

  MaybeHeld of_transpose(const synth::Transpose& transpose) const {
    std::vector<std::uint8_t> inverse(transpose.permutation.size());
    for (std::size_t d = 0; d < inverse.size(); ++d) inverse[transpose.permutation[d]] = static_cast<std::uint8_t>(d);
    return of_tiles(synth::Transpose{std::move(inverse)});
  }

  // Parts that lie on others are taken back first: what is under them did not show. An operand that gave several parts
  // gets the sum of them.
  MaybeHeld of_assemble(const synth::Assemble& assemble) const {
    const auto is_of_operand = [&](const synth::Part& part) { return part.operand == operand; };
    auto left = std::ranges::count_if(assemble.parts, is_of_operand);
    const bool is_base = left == 0;
    Held rest = g;
    MaybeHeld sum;
    for (auto part = assemble.parts.rbegin(); part != assemble.parts.rend() && (is_base || left > 0); ++part) {
      if (is_of_operand(*part)) {
        const MaybeHeld own = taken_back(rest, *part);
        if (!own.has_value()) return std::nullopt;
        sum = sum.has_value() ? added(*sum, *own) : own;
        if (!sum.has_value() || --left == 0) return sum;
      }
      if (!assemble.has_base) continue;
      const MaybeHeld shown = around(rest, *part);
      if (!shown.has_value()) return std::nullopt;
      rest = *shown;
    }
    return rest;
  }

  MaybeHeld added(const Held& a, const Held& b) const {
    return graph.map(span(), synth::MapOp::add, {a, b}, graph.element(a), who, {});
  }

  struct Moved {
    bool has_base = false;
    ArrayType type;
    Held from;
    std::vector<synth::Placement> placements;
  };

  // Lays `from` into zeros of the type, or cuts it out, and counts what moves between devices.
  MaybeHeld moved(const Moved& move) const {
    const ArrayType from = graph.type(move.from);
    std::vector<NodeId> nodes;
    if (move.has_base) nodes.push_back(zeros_of(graph, span(), move.type).node());
    synth::Part part{static_cast<std::uint32_t>(nodes.size()), move.placements};
    nodes.push_back(move.from.node());
    synth::Offset offset;
    bool at_run_time = false;
    bool moves = false;
    for (std::size_t d = 0; d < part.placements.size(); ++d) {
      synth::Placement& placement = part.placements[d];
      offset.push_back(synth::shift_of(placement));
      const bool proper = !(placement == synth::Placement{}) || from.shape()[d] != move.type.shape()[d];
      moves = moves || (proper && !from.layout().split(d).empty());
      if (placement.scalar < 0) continue;
      at_run_time = true;
      nodes.push_back(compute.operands[static_cast<std::size_t>(placement.scalar)]);
      placement.scalar = static_cast<std::int32_t>(nodes.size()) - 1;
    }
    // If the start is known only at run time, the most that could move is counted.
    const std::int64_t most = moves ? synth::array_bytes(move.type) : 0;
    const std::int64_t bytes = at_run_time ? most : moved_bytes(from, move.type, offset);
    if (!graph.allow_received(bytes, Reason{Reason::Asker::operation, who, span(), {}, {}}, span()))
      return std::nullopt;
    return graph.compute(span(), move.type, synth::Assemble{move.has_base, {std::move(part)}}, std::move(nodes), bytes,
                         who);
  }

  // Gives a part its elements of the result back; what of it lay outside, as of a longer part, gets zeros. It is cut as
  // the operand is, and pending as g is where it may be.
  MaybeHeld taken_back(const Held& result, const synth::Part& part) const {
    const ArrayType like = to();
    const AxisList& pending = graph.type(result).layout().pending();
    const bool may_stay = std::ranges::none_of(pending, [&](const auto& axis) { return like.layout().uses(axis); });
    const MaybeHeld own = may_stay ? MaybeHeld(result) : graph.resolve_pending(result, who, span());
    if (!own.has_value()) return std::nullopt;
    auto type = graph.make_type(span(), graph.type(*own).element(), like.shape(), like.mesh_ref(),
                                like.layout().splits(), graph.type(*own).layout().pending());
    if (!type.has_value()) return std::nullopt;
    const Shape whole = graph.type(*own).shape();
    Moved move{false, std::move(*type), *own, {}};
    for (std::size_t d = 0; d < part.placements.size(); ++d) {
      move.placements.push_back(inverse(part.placements[d], whole[d]));
      move.has_base = move.has_base || lacks_elements(move.placements.back(), whole[d], move.type.shape()[d]);
    }
    return moved(move);
  }

  // What of the result the base shows: zero where the part lies. Every device has the zeros, so nothing moves.
  MaybeHeld around(const Held& result, const synth::Part& part) const {
    const ArrayType own = graph.type(result);
    const ArrayType like = type(part.operand);
    const auto hole = graph.make_type(span(), own.element(), like.shape(), own.mesh_ref(),
                                      std::vector<AxisList>(like.rank()), own.layout().pending());
    if (!hole.has_value()) return std::nullopt;
    synth::Part laid{1, part.placements};
    std::vector<NodeId> nodes = {result.node(), zeros_of(graph, span(), *hole).node()};
    for (synth::Placement& placement : laid.placements) {
      if (placement.scalar < 0) continue;
      nodes.push_back(compute.operands[static_cast<std::size_t>(placement.scalar)]);
      placement.scalar = static_cast<std::int32_t>(nodes.size()) - 1;
    }
    return graph.compute(span(), own, synth::Assemble{true, {std::move(laid)}}, std::move(nodes));
  }
};

// Zeros that something is laid into, or that are laid over it, have no cotangent.
std::size_t WayBack::operand_of(const Compute& compute) {
  const auto* assemble = std::get_if<synth::Assemble>(&compute.operation);
  if (assemble == nullptr && compute.operands.size() == 1) return 0;
  if (const auto part = std::exchange(part_, std::nullopt)) return *part;
  if (assemble == nullptr || !assemble->has_base) return 0;
  const auto* base = std::get_if<Compute>(&graph_.typed().nodes[compute.operands[0]].body);
  return base != nullptr && std::holds_alternative<synth::Fill>(base->operation) ? 1 : 0;
}

WayBack::Reached WayBack::step(const MaybeHeld& cotangent, NodeId at) {
  const Node node = graph_.typed().nodes[at];  // a copy: the store grows
  if (const auto* change = std::get_if<Redistribute>(&node.body)) {
    const ArrayType before = graph_.type(change->operand);
    const std::string who = transposed(*change);
    return {bring(graph_, node.span, who, cotangent, before), change->operand, node.span, who};
  }
  const auto* compute = std::get_if<Compute>(&node.body);
  TESSERA_CHECK(compute != nullptr && !compute->operands.empty(), "a cotangent's way does not lead to its operand");
  const std::size_t operand = operand_of(*compute);
  const std::string who = fmt::format("the gradient of {}", spelling(compute->operation));
  const NodeId before = compute->operands.at(operand);
  const MaybeHeld taken = Step{graph_, node, *compute, operand, *cotangent, who}.taken();
  return {bring(graph_, node.span, who, taken, ArrayType(graph_.type(before))), before, node.span, who};
}

MaybeHeld WayBack::to_end(MaybeHeld cotangent, NodeId from) {
  Reached reached{std::move(cotangent), from, {}, {}};
  while (reached.cotangent.has_value() && reached.at != end_) reached = step(reached.cotangent, reached.at);
  return reached.cotangent;
}

WayBack::Reached WayBack::to_change(Reached reached) {
  const auto is_change = [&] { return std::holds_alternative<Redistribute>(graph_.typed().nodes[reached.at].body); };
  while (reached.cotangent.has_value() && reached.at != end_ && !is_change())
    reached = step(reached.cotangent, reached.at);
  return reached;
}

WayBack::Reached WayBack::on_to_change(const MaybeHeld& cotangent, NodeId from) {
  Reached reached = step(cotangent, from);
  return reached.cotangent.has_value() ? to_change(std::move(reached)) : reached;
}

}  // namespace tessera::typeck
