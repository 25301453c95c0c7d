#include "typeck/insert/cotangents.hpp"

#include <algorithm>

#include "typeck/insert/way_back.hpp"

namespace tessera::typeck {

namespace {

// Are its operands what it was given, brought together? Of other operations the operands lie farther away: what moves
// elements may do so in several steps.
bool computes_of_operands(const open::Operation& operation) {
  const auto* own = std::get_if<synth::Operation>(&operation);
  if (own == nullptr) {
    return std::holds_alternative<open::Product>(operation) || std::holds_alternative<open::Broadcast>(operation) ||
           std::holds_alternative<open::Sum>(operation) || std::holds_alternative<open::Both>(operation);
  }
  if (const auto* reduce = std::get_if<synth::Reduce>(own)) return !reduce->dimensions.empty();
  return std::holds_alternative<synth::Map>(*own) || std::holds_alternative<synth::Take>(*own) ||
         std::holds_alternative<synth::ScatterAdd>(*own) || std::holds_alternative<synth::Scan>(*own) ||
         std::holds_alternative<synth::Recur>(*own) || std::holds_alternative<synth::Sort>(*own) ||
         std::holds_alternative<synth::Greatest>(*own) || std::holds_alternative<synth::MatrixFunction>(*own) ||
         std::holds_alternative<synth::Fourier>(*own);
}

// What each tile gave, where those are brought together and the greatest of them are sought.
const Compute* candidates_behind(const Typed& typed, NodeId id) {
  while (const auto* change = std::get_if<Redistribute>(&typed.nodes[id].body)) id = change->operand;
  const auto* compute = std::get_if<Compute>(&typed.nodes[id].body);
  const bool is_made = compute != nullptr && std::holds_alternative<synth::Candidates>(compute->operation);
  return is_made ? compute : nullptr;
}

// Which operand of an Assemble it is, or of a sum.
std::optional<std::size_t> part_of(const open::Compute& compute, std::size_t operand) {
  const open::Operation& operation = compute.operation;
  if (std::holds_alternative<open::Back>(operation) && compute.operands.size() > 1) return 1 - operand;
  if (std::holds_alternative<open::Pad>(operation)) return 1 - operand;
  const bool lays = std::holds_alternative<open::Concat>(operation) ||
                    std::holds_alternative<open::Update>(operation) || std::holds_alternative<open::PutRow>(operation);
  return lays ? std::optional(operand) : std::nullopt;
}

}  // namespace

MaybeHeld Cotangents::held(const open::Use& use) {
  const auto found = graph_.body().underway.find(use.value);
  if (found == graph_.body().underway.end()) return graph_.as_made(use);
  Underway all = found->second;
  if (!go_home(all, 0)) return std::nullopt;
  return all.contributions.at(NodeId{}).value;
}

const std::vector<NodeId>& Cotangents::operands_of(open::ValueId by) {
  const auto* compute = std::get_if<Compute>(&graph_.typed().nodes[graph_.nodes_of(by)->at(0)].body);
  TESSERA_CHECK(compute != nullptr, "an operation is closed to something else");
  if (!std::holds_alternative<synth::Greatest>(compute->operation)) return compute->operands;
  const Compute* const candidates = candidates_behind(graph_.typed(), compute->operands.at(0));
  return candidates != nullptr ? candidates->operands : compute->operands;
}

MaybeHeld Cotangents::used(const open::Used& used) {
  if (graph_.nodes_of(used.by) == nullptr) return std::nullopt;
  const NodeId node = operands_of(used.by).at(used.operand);
  return Held{{node}, graph_.typed().nodes[node].span, {}, {}};
}

// Where a contribution begins its way, and where it ends.
std::optional<Cotangents::Way> Cotangents::way_back(const open::Back& back) {
  const std::vector<NodeId>* const made = graph_.nodes_of(back.by);
  if (made == nullptr) return std::nullopt;
  const open::Node& by = graph_.program().nodes[back.by];
  const auto* named = std::get_if<open::Compute>(&by.body);
  const bool is_name = named != nullptr && std::holds_alternative<open::Used>(named->operation);
  const auto way = [&](NodeId begin, const open::Use& operand, std::optional<std::size_t> part = {}) {
    const NodeId end = graph_.nodes_of(operand.value)->at(0);
    return Way{begin, end, part, begin == end, is_name, false};
  };
  if (const auto* as = std::get_if<open::As>(&by.body)) return way(made->at(0), as->operand);
  if (const auto* branch = std::get_if<open::If>(&by.body)) {
    const NodeId joined = std::get<If>(graph_.typed().nodes[made->at(0)].body).else_region.results.at(back.operand);
    return way(joined, branch->else_region.results.at(back.operand));
  }
  const auto& compute = std::get<open::Compute>(by.body);
  const open::Use& operand = compute.operands.at(back.operand);
  if (std::holds_alternative<open::Together>(compute.operation)) return way(made->at(back.operand), operand);
  if (is_name || !computes_of_operands(compute.operation))
    return way(made->at(0), operand, part_of(compute, back.operand));
  Way own = way(operands_of(back.by).at(back.operand), operand);
  own.is_same = false;
  own.is_computed = true;
  return own;
}

// The contribution of an operation, where it waits or has come to.
std::optional<Underway> Cotangents::way_taken(const open::Node& node, const open::Compute& body,
                                              const open::Back& back) {
  const auto way = way_back(back);
  if (!way.has_value()) return std::nullopt;
  auto given = underway(body.operands.at(0), node.span, body.who);
  // What is under way to the result is under way to the operand.
  if (!given.has_value() || way->is_same) return given;
  if (!way->is_name && !go_home(*given, 0)) return std::nullopt;
  Underway all{way->end, std::move(given->contributions)};
  const auto home = all.contributions.extract(NodeId{});
  if (home.empty()) return all;
  const Contribution& contribution = home.mapped();
  WayBack back_to(graph_, way->end, way->part);
  WayBack::Reached reached{contribution.value, way->begin, contribution.span, contribution.who};
  if (way->is_computed) {
    reached.cotangent =
        WayBack::bring(graph_, node.span, body.who, contribution.value, ArrayType(graph_.type(way->begin)));
    reached.span = node.span;
    reached.who = body.who;
  }
  // What is computed again waits for nothing: it may be taken back in its turn, one contribution at a time.
  if (graph_.is_again()) {
    reached.cotangent = back_to.to_end(reached.cotangent, way->begin);
    reached.at = way->end;
  } else {
    reached = back_to.to_change(std::move(reached));
  }
  if (!reached.cotangent.has_value()) return std::nullopt;
  if (!meet(all, reached.at, {*reached.cotangent, reached.span, reached.who})) return std::nullopt;
  return all;
}

MaybeHeld Cotangents::brought_back(open::ValueId id, const open::Node& node, const open::Compute& body,
                                   const open::Back& back) {
  auto all = way_taken(node, body, back);
  if (!all.has_value()) return std::nullopt;
  if (body.operands.size() > 1) {
    auto before = underway(body.operands[1], node.span, body.who);
    if (!before.has_value() || !meet(*before, *all)) return std::nullopt;
    all = std::move(before);
  }
  if (back.goes_home && !go_home(*all, made_since(back.by))) return std::nullopt;
  return keep_underway(id, std::move(*all));
}

// How many typed nodes there were before those of an operation.
std::size_t Cotangents::made_since(open::ValueId by) const {
  const auto begun = graph_.body().values.begun(by, open::ValueId{by.value + 1});
  TESSERA_CHECK(begun.has_value(), "an operation was not closed");
  return *begun;
}

std::optional<Underway> Cotangents::underway(const open::Use& use, Span span, const std::string& who) {
  const auto found = graph_.body().underway.find(use.value);
  if (found != graph_.body().underway.end()) return found->second;
  const MaybeHeld own = graph_.as_made(use);
  return own.has_value() ? std::optional(Underway{{}, {{NodeId{}, {*own, span, who}}}}) : std::nullopt;
}

// At one place contributions are added. If one is a pending sum and the other is not, the sum is finished first.
bool Cotangents::meet(Underway& all, NodeId at, const Contribution& contribution) {
  const NodeId place = at == all.end ? NodeId{} : at;
  const auto [there, fresh] = all.contributions.emplace(place, contribution);
  if (fresh) return true;
  const Held& value = contribution.value;
  const MaybeHeld sum = graph_.map(contribution.span, synth::MapOp::add, {there->second.value, value},
                                   graph_.element(value), contribution.who, {});
  if (sum.has_value()) there->second.value = *sum;
  return sum.has_value();
}

bool Cotangents::is_home(open::ValueId id) const {
  const auto found = graph_.body().underway.find(id);
  return found == graph_.body().underway.end() || !found->second.contributions.begin()->first.valid();
}

MaybeHeld Cotangents::keep_underway(open::ValueId id, Underway all) {
  Held first = all.contributions.begin()->second.value;
  if (!graph_.is_again()) graph_.body().underway[id] = std::move(all);
  return first;
}

bool Cotangents::meet(Underway& all, const Underway& others) {
  if (!all.end.valid()) all.end = others.end;
  return std::ranges::all_of(others.contributions, [&](const auto& one) { return meet(all, one.first, one.second); });
}

MaybeHeld Cotangents::both(open::ValueId id, const open::Node& node, const open::Compute& body) {
  auto all = underway(body.operands.at(0), node.span, body.who);
  auto others = underway(body.operands.at(1), node.span, body.who);
  if (!all.has_value() || !others.has_value()) return std::nullopt;
  for (auto& [place, contribution] : others->contributions) {
    contribution.span = node.span;
    contribution.who = body.who;
  }
  if (!meet(*all, *others)) return std::nullopt;
  return keep_underway(id, std::move(*all));
}

// The latest first, as the changes were made.
bool Cotangents::go_home(Underway& all, std::size_t first) {
  const auto is_due = [&](const auto& one) { return one.first.valid() && one.first.value >= first; };
  for (;;) {
    const auto due = std::find_if(all.contributions.rbegin(), all.contributions.rend(), is_due);
    if (due == all.contributions.rend()) return true;
    const auto [at, contribution] = *due;
    all.contributions.erase(at);
    const WayBack::Reached reached = WayBack(graph_, all.end, {}).on_to_change(contribution.value, at);
    if (!reached.cotangent.has_value()) return false;
    if (!meet(all, reached.at, {*reached.cotangent, reached.span, reached.who})) return false;
  }
}

MaybeHeld Cotangents::home(open::ValueId id, const open::Node& node, const open::Compute& body,
                           const open::Home& home) {
  auto all = underway(body.operands.at(0), node.span, body.who);
  if (!all.has_value() || !go_home(*all, made_since(home.by))) return std::nullopt;
  return keep_underway(id, std::move(*all));
}

MaybeHeld Cotangents::zeros_as(Span span, const Held& like) {
  const auto whole = whole_cotangent(graph_, span, graph_.type(like));
  return whole.has_value() ? MaybeHeld(zeros_of(graph_, span, *whole)) : std::nullopt;
}

MaybeHeld Cotangents::finished_as(Span span, const std::string& who, const Held& value, const Held& like) {
  const auto whole = whole_cotangent(graph_, span, graph_.type(like));
  if (!whole.has_value()) return std::nullopt;
  return graph_.redistribute(value, *whole, Reason{Reason::Asker::operation, who, span, {}, {}});
}

// ---- What loops carry, and begin with zeros

// The parameter, which has the type of what the body puts into it first.
MaybeHeld Cotangents::carried(const open::Use& use, const std::optional<ArrayType>& first) {
  if (graph_.nodes_of(use.value) == nullptr && first.has_value())
    graph_.keep(use.value, std::vector{graph_.parameter(graph_.program().nodes[use.value].span, *first)});
  return held(use);
}

MaybeHeld Cotangents::summed(const open::Node& node, const open::Compute& body) {
  const MaybeHeld addend = held(body.operands.at(1));
  const MaybeHeld sum = addend.has_value() ? carried(body.operands.at(0), graph_.type(*addend)) : std::nullopt;
  if (!sum.has_value()) return std::nullopt;
  return graph_.map(node.span, synth::MapOp::add, {*sum, *addend}, graph_.element(*addend), body.who, {});
}

namespace {

synth::Part row_part(std::uint32_t operand, std::size_t rank, bool subtract) {
  synth::Part part{operand, std::vector<synth::Placement>(rank)};
  part.placements[0] = synth::Placement{0, subtract ? 1 : 2, subtract, false, 0};
  return part;
}

}  // namespace

std::optional<ArrayType> Cotangents::rows_type(Span span, const ArrayType& row, std::int64_t count) {
  Shape shape = row.shape();
  shape.insert(0, count);
  std::vector<AxisList> splits = row.layout().splits();
  splits.insert(splits.begin(), AxisList{});
  return graph_.make_type(span, row.element(), shape, row.mesh_ref(), std::move(splits), row.layout().pending(),
                          row.layout().reduce());
}

MaybeHeld Cotangents::row_put(const open::Node& node, const open::Compute& body) {
  const MaybeHeld value = held(body.operands.at(1));
  const MaybeHeld at = held(body.operands.at(2));
  if (!value.has_value() || !at.has_value()) return std::nullopt;
  const auto type_of_rows = rows_type(node.span, graph_.type(*value), node.types.at(0).shape()[0]);
  const MaybeHeld rows = carried(body.operands.at(0), type_of_rows);
  if (!rows.has_value()) return std::nullopt;
  const MaybeHeld row = graph_.unsqueezed(node.span, *value, {0});
  if (!row.has_value()) return std::nullopt;
  const ArrayType whole = graph_.type(*rows);
  return graph_.compute(node.span, whole, synth::Assemble{true, {row_part(1, whole.rank(), false)}},
                        {rows->node(), row->node(), at->node()});
}

MaybeHeld Cotangents::row_taken(Span span, const Held& rows, const Held& at) {
  const ArrayType whole = graph_.type(rows);
  std::vector<AxisList> splits = whole.layout().splits();
  Shape shape = whole.shape();
  shape[0] = 1;
  const auto row_type = graph_.make_type(span, whole.element(), shape, whole.mesh_ref(), splits,
                                         whole.layout().pending(), whole.layout().reduce());
  if (!row_type.has_value()) return std::nullopt;
  const Held row = graph_.compute(span, *row_type, synth::Assemble{false, {row_part(0, whole.rank(), true)}},
                                  {rows.node(), at.node()});
  const Shape own(shape.begin() + 1, shape.end());
  splits.erase(splits.begin());
  const auto type_of_value = graph_.make_type(span, whole.element(), own, whole.mesh_ref(), std::move(splits),
                                              whole.layout().pending(), whole.layout().reduce());
  if (!type_of_value.has_value()) return std::nullopt;
  return graph_.compute(span, *type_of_value, synth::Reshape{}, {row.node()});
}

}  // namespace tessera::typeck
