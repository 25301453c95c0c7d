// Derivatives of what moves elements: the same elements move back, and those that went to one place are added.
#include <numeric>

#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

std::vector<std::size_t> all_dimensions(std::size_t rank) {
  std::vector<std::size_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

bool reverse_fill(const Reversal& r) {
  return r.give(0, r.build.reduce(synth::ReduceKind::sum, r.g, all_dimensions(r.build.inserter().type(r.g).rank())));
}

// The sums from the other end.
bool reverse_cumsum(const Reversal& r, const synth::Cumsum& cumsum) {
  const MaybeHeld g = r.build.finished(r.g);
  if (!g.has_value()) return false;
  Inserter& inserter = r.build.inserter();
  const ArrayType type = inserter.type(*g);
  return r.give(0,
                inserter.compute(r.build.span(), type, synth::Cumsum{cumsum.dimension, !cumsum.reverse}, {g->node()}));
}

namespace {

// The elements of g, cut as the operand is, as an array of its shape. The operation moved tiles, so this does too.
std::optional<ArrayType> as_operand(const Reversal& r) {
  const ArrayType from = r.build.inserter().type(r.g);
  const ArrayType to = r.type(0);
  return r.build.inserter().make_type(r.build.span(), from.element(), to.shape(), to.mesh_ref(), to.layout().splits(),
                                      from.layout().pending(), from.layout().reduce());
}

}  // namespace

bool reverse_transpose(const Reversal& r, const synth::Transpose& transpose) {
  std::vector<std::uint8_t> inverse(transpose.permutation.size());
  for (std::size_t d = 0; d < inverse.size(); ++d) inverse[transpose.permutation[d]] = static_cast<std::uint8_t>(d);
  const auto type = as_operand(r);
  if (!type.has_value()) return false;
  return r.give(0,
                r.build.inserter().compute(r.build.span(), *type, synth::Transpose{std::move(inverse)}, {r.g.node()}));
}

bool reverse_reshape(const Reversal& r) {
  const auto type = as_operand(r);
  if (!type.has_value()) return false;
  return r.give(0, r.build.inserter().compute(r.build.span(), *type, synth::Reshape{}, {r.g.node()}));
}

// ---- take and its transpose ----

namespace {

MaybeHeld solved_take(const Build& build, const Held& a, const Held& b, const ArrayType& like,
                      const synth::Operation& operation) {
  Inserter& inserter = build.inserter();
  const Signature signature = inserter.signature(build.span(), build.who(), operation, {a, b},
                                                 synth::computed_as(like.element()), like.shape());
  return inserter.compute_solved(signature, operation, {a, b}, want_splits(like));
}

}  // namespace

// Rows are added where they were taken from. Split ids leave a pending sum; a table split by rows takes its own.
bool reverse_take(const Reversal& r) {
  return r.give(0, solved_take(r.build, r.g, r.operand(1), r.type(0), synth::ScatterAdd{}));
}

bool reverse_scatter_add(const Reversal& r) {
  return r.give(0, solved_take(r.build, r.g, r.operand(1), r.type(0), synth::Take{}));
}

// ---- slices, concatenations, paddings, updates ----

namespace {

synth::Placement inverse(const synth::Placement& placement) {
  synth::Placement back = placement;
  back.add = -placement.add;
  back.subtract = !placement.subtract;
  return back;
}

struct Moved {
  bool has_base = false;
  ArrayType type;
  Held from;
  std::vector<synth::Placement> placements;
};

// Lays `from` into zeros of the type, or cuts it out, and counts what moves between devices.
MaybeHeld moved(const Reversal& r, const Moved& move) {
  Inserter& inserter = r.build.inserter();
  const ArrayType from = inserter.type(move.from);
  std::vector<NodeId> nodes;
  if (move.has_base) {
    const MaybeHeld zeros = r.build.zeros(move.type);
    if (!zeros.has_value()) return std::nullopt;
    nodes.push_back(zeros->node());
  }
  synth::Part part{static_cast<std::uint32_t>(nodes.size()), move.placements};
  nodes.push_back(move.from.node());
  synth::Offset offset;
  bool at_run_time = false;
  bool moves = false;
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    synth::Placement& placement = part.placements[d];
    offset.push_back(-placement.add);
    const bool proper = placement.scalar >= 0 || from.shape()[d] != move.type.shape()[d];
    moves = moves || (proper && !from.layout().split(d).empty());
    if (placement.scalar < 0) continue;
    at_run_time = true;
    nodes.push_back(r.scope.here(r.compute.operands[static_cast<std::size_t>(placement.scalar)]));
    placement.scalar = static_cast<std::int32_t>(nodes.size()) - 1;
  }
  // If the start is known only at run time, the most that could move is counted.
  const std::int64_t most = moves ? synth::array_bytes(move.type) : 0;
  const std::int64_t bytes = at_run_time ? most : moved_bytes(from, move.type, offset);
  if (!inserter.allow_received(bytes, Reason{Reason::Asker::operation, r.build.who(), r.build.span(), {}, {}},
                               r.build.span()))
    return std::nullopt;
  return inserter.compute(r.build.span(), move.type, synth::Assemble{move.has_base, {std::move(part)}},
                          std::move(nodes), bytes, r.build.who());
}

// The type of an array cut as `like` is, pending as g is where it may be.
struct Cut {
  Held g;
  ArrayType type;
};
std::optional<Cut> cut_as(const Reversal& r, const Held& g, const ArrayType& like) {
  Inserter& inserter = r.build.inserter();
  const AxisList& pending = inserter.type(g).layout().pending();
  bool may_stay = true;
  for (const synth::AxisPart& part : pending) may_stay = may_stay && !like.layout().uses(part);
  const MaybeHeld own = may_stay ? MaybeHeld(g) : r.build.finished(g);
  if (!own.has_value()) return std::nullopt;
  auto type = inserter.make_type(r.build.span(), inserter.type(*own).element(), like.shape(), like.mesh_ref(),
                                 like.layout().splits(), inserter.type(*own).layout().pending());
  if (!type.has_value()) return std::nullopt;
  return Cut{*own, std::move(*type)};
}

// May a part, taken back as placed, have elements that the whole does not give it?
bool lacks_elements(const synth::Placement& back, std::int64_t whole, std::int64_t extent) {
  if (back.scalar >= 0) return back.clips || extent > whole;
  return back.add > 0 || back.add + whole < extent;
}

// Gives a part its elements of the result back; what of it lay outside, as of a longer part, gets zeros.
MaybeHeld taken_back(const Reversal& r, const Held& g, const synth::Part& part) {
  const auto cut = cut_as(r, g, r.type(part.operand));
  if (!cut.has_value()) return std::nullopt;
  const Shape& whole = r.build.inserter().type(cut->g).shape();
  Moved move{false, cut->type, cut->g, {}};
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    move.placements.push_back(inverse(part.placements[d]));
    move.has_base = move.has_base || lacks_elements(move.placements.back(), whole[d], cut->type.shape()[d]);
  }
  return moved(r, move);
}

// g where the base shows: zero where the part lies. Every device has the zeros, so nothing moves.
MaybeHeld around(const Reversal& r, const Held& g, const synth::Part& part) {
  Inserter& inserter = r.build.inserter();
  const ArrayType type = inserter.type(g);
  const ArrayType like = r.type(part.operand);
  const auto hole = inserter.make_type(r.build.span(), type.element(), like.shape(), type.mesh_ref(),
                                       std::vector<AxisList>(like.rank()), type.layout().pending());
  const MaybeHeld zeros = hole.has_value() ? r.build.zeros(*hole) : std::nullopt;
  if (!zeros.has_value()) return std::nullopt;
  synth::Part laid{1, part.placements};
  std::vector<NodeId> nodes = {g.node(), zeros->node()};
  for (synth::Placement& placement : laid.placements) {
    if (placement.scalar < 0) continue;
    nodes.push_back(r.scope.here(r.compute.operands[static_cast<std::size_t>(placement.scalar)]));
    placement.scalar = static_cast<std::int32_t>(nodes.size()) - 1;
  }
  return inserter.compute(r.build.span(), type, synth::Assemble{true, {std::move(laid)}}, std::move(nodes));
}

}  // namespace

// Parts that lie on others are taken back first: what is under them did not show.
bool reverse_assemble(const Reversal& r, const synth::Assemble& assemble) {
  MaybeHeld rest = r.g;
  for (auto part = assemble.parts.rbegin(); part != assemble.parts.rend(); ++part) {
    if (r.wants(part->operand) && !r.give(part->operand, taken_back(r, *rest, *part))) return false;
    const bool covers = assemble.has_base && (r.wants(0) || part + 1 != assemble.parts.rend());
    if (covers) rest = around(r, *rest, *part);
    if (!rest.has_value()) return false;
  }
  return !assemble.has_base || !r.wants(0) || r.give(0, rest);
}

}  // namespace tessera::typeck::gradient
