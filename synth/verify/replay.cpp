#include "synth/verify/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tessera::synth::verifier {

namespace {

bool same_pending(const ArrayType& a, const ArrayType& b) {
  return a.layout().pending().empty() == b.layout().pending().empty() && a.layout().reduce() == b.layout().reduce();
}

bool unmoved(const Holdings& before, const Holdings& after, std::size_t d) {
  return before.place[d] == after.place[d] && before.cut_as(after, d);
}

// In every dimension but these the devices stand as they did.
bool others_unmoved(const Holdings& before, const Holdings& after, std::vector<std::size_t> but) {
  for (std::size_t d = 0; d < before.extents.size(); ++d) {
    if (std::find(but.begin(), but.end(), d) == but.end() && !unmoved(before, after, d)) return false;
  }
  return true;
}

bool pending_unmoved(const Holdings& before, const Holdings& after) {
  if (before.contributors == 1 && after.contributors == 1) return true;
  return before.contributors == after.contributors && before.pending == after.pending;
}

// The positions along `more` pending axes are those along `fewer` and along the step's axes, taken together, in some
// order.
bool pending_joins(const Holdings& more, const Holdings& fewer, const Numbers& along, std::int64_t size) {
  if (more.contributors != fewer.contributors * size) return false;
  Numbers joined(static_cast<std::size_t>(more.contributors), -1);
  Numbers back = joined;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const std::int64_t pair = fewer.pending[i] * size + along[i];
    auto& to = joined[static_cast<std::size_t>(pair)];
    auto& from = back[static_cast<std::size_t>(more.pending[i])];
    if ((to != -1 && to != more.pending[i]) || (from != -1 && from != pair)) return false;
    to = more.pending[i];
    from = pair;
  }
  return true;
}

struct Step {
  const State& before;
  const Collective& step;
  const ArrayType& type;
  const Holdings& after;
  Numbers along;  // every device's position along the step's axes
  std::int64_t size = 1;

  const Holdings& start() const { return before.standing; }
  // The step's axes become trailing on the dimension.
  bool enters(std::size_t d) const {
    Holdings entered = start();
    return entered.enter(d, type.mesh(), step.axes) && unmoved(entered, after, d);
  }
  bool keeps_pending() const { return same_pending(before.type, type) && pending_unmoved(start(), after); }
  // The pending axes shrink by the step's.
  bool resolves() const {
    const bool same_operation =
        type.layout().pending().empty() || before.type.layout().reduce() == type.layout().reduce();
    return same_operation && pending_joins(start(), after, along, size);
  }
};

Fault wrong_unless(bool right, std::string why) { return right ? Fault{} : Fault{std::move(why)}; }

// One of the moves of a launch, taken; false where it may not be.
bool take(Holdings& standing, const Collective& move, const Mesh& mesh) {
  const bool leaves = move.kind != CollectiveKind::slice;
  const bool enters = move.kind != CollectiveKind::all_gather;
  if (leaves && enters && move.from == move.to) return false;
  if (leaves && !standing.leave(move.from, mesh, move.axes)) return false;
  return !enters || standing.enter(move.to, mesh, move.axes);
}

// Slices, all_gathers and all_to_alls: their single moves, one after the other, lead to the type.
Fault check_moves(const Step& s, std::string_view what) {
  Fault fault = fmt::format("{} does not give this type", what);
  if (!s.keeps_pending()) return fault;
  Holdings standing = s.start();
  for (const Collective& move : single_moves(s.step)) {
    if (!take(standing, move, s.type.mesh())) return fault;
  }
  return others_unmoved(standing, s.after, {}) ? Fault{} : fault;
}

Fault check_reduce_scatter(const Step& s) {
  const bool right = s.resolves() && others_unmoved(s.start(), s.after, {s.step.to}) && s.enters(s.step.to);
  return wrong_unless(right, "a reduce_scatter does not give this type");
}

Fault check_all_reduce(const Step& s) {
  return wrong_unless(s.resolves() && others_unmoved(s.start(), s.after, {}), "an all_reduce does not give this type");
}

Fault check_keep(const Step& s) {
  const bool same_operation =
      s.before.type.layout().pending().empty() || s.before.type.layout().reduce() == s.type.layout().reduce();
  const bool operation_as_said = s.size == 1 || s.type.layout().reduce() == s.step.reduce;
  const bool right = same_operation && operation_as_said && others_unmoved(s.start(), s.after, {}) &&
                     pending_joins(s.after, s.start(), s.along, s.size);
  return wrong_unless(right, "a keep does not give this type");
}

Fault check_move(const Step& s) {
  if (!s.step.target || !(*s.step.target == s.type)) return "its type is not its target";
  if (!s.keeps_pending()) return "it changes the pending set";
  const bool same_mesh = s.before.type.mesh() == s.type.mesh();
  if (s.step.kind == CollectiveKind::exchange) {
    return wrong_unless(same_mesh || s.start().contributors == 1, "a pending array changes its mesh");
  }
  if (s.step.kind == CollectiveKind::relay) {
    if (s.step.relay == nullptr) return "a relay does not say who sends what";
    return wrong_unless(same_mesh || s.start().contributors == 1, "a pending array changes its mesh");
  }
  bool same_tiles = same_mesh;
  for (std::size_t d = 0; same_tiles && d < s.start().extents.size(); ++d) same_tiles = s.start().cut_as(s.after, d);
  return wrong_unless(same_tiles, "a permute changes the tiles");
}

Fault check_kind(const Step& s) {
  switch (s.step.kind) {
    case CollectiveKind::slice: return check_moves(s, "a slice");
    case CollectiveKind::all_gather: return check_moves(s, "an all_gather");
    case CollectiveKind::all_to_all: return check_moves(s, "an all_to_all");
    case CollectiveKind::permute:
    case CollectiveKind::exchange:
    case CollectiveKind::relay: return check_move(s);
    case CollectiveKind::reduce_scatter: return check_reduce_scatter(s);
    case CollectiveKind::all_reduce: return check_all_reduce(s);
    case CollectiveKind::keep: return check_keep(s);
  }
  return "it is not a collective";
}

bool is_move(CollectiveKind kind) {
  return kind == CollectiveKind::permute || kind == CollectiveKind::exchange || kind == CollectiveKind::relay;
}

bool dimensions_exist(const Collective& step, std::size_t rank) {
  switch (step.kind) {
    case CollectiveKind::slice:
    case CollectiveKind::reduce_scatter: return step.to < rank;
    case CollectiveKind::all_gather: return step.from < rank;
    case CollectiveKind::all_to_all: return step.from < rank && step.to < rank;
    case CollectiveKind::permute:
    case CollectiveKind::exchange:
    case CollectiveKind::relay:
    case CollectiveKind::all_reduce:
    case CollectiveKind::keep: return true;
  }
  return false;
}

bool may_have_more(CollectiveKind kind) {
  return kind == CollectiveKind::slice || kind == CollectiveKind::all_gather || kind == CollectiveKind::all_to_all;
}

// Every move names axes of the mesh, and none twice.
Fault check_axes(const Collective& step, const Mesh& mesh) {
  AxisList all = step.axes;
  bool named = !step.axes.empty();
  for (const AxisMove& move : step.also) {
    all.insert(all.end(), move.axes.begin(), move.axes.end());
    named = named && !move.axes.empty();
  }
  return wrong_unless(named && independent(mesh, all), "its axes are not those of the mesh");
}

// ---- Bytes ----

std::int64_t owned(std::int64_t elements, std::int64_t size, std::int64_t place) {
  return part_begin(elements, size, place + 1) - part_begin(elements, size, place);
}

std::int64_t received_elements(const Holdings& before, const Collective& step, const Holdings& after,
                               std::int64_t device, std::int64_t size, std::int64_t place) {
  const std::int64_t tile = after.elements(device);
  switch (step.kind) {
    case CollectiveKind::slice:
    case CollectiveKind::keep: return 0;
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::permute:
    case CollectiveKind::exchange:
    case CollectiveKind::relay: return tile - held_elements(before, after, device);
    case CollectiveKind::reduce_scatter: return tile * (size - 1);
    case CollectiveKind::all_reduce: {
      const std::int64_t own = owned(tile, size, place);
      return own * (size - 1) + tile - own;
    }
  }
  return 0;
}

}  // namespace

Fault check_step(const State& before, const Collective& step, const ArrayType& after, const Holdings& after_standing) {
  if (after.element() != before.type.element() || after.shape() != before.type.shape()) return "it changes the array";
  if (!step.also.empty() && !may_have_more(step.kind)) return "it may not have several moves";
  if (step.round && step.kind != CollectiveKind::exchange) return "only an exchange is cut into rounds";
  if (step.round && step.round->dimension >= after.rank()) return "it names a dimension that is not there";
  const auto moves = single_moves(step);
  const auto exist = [&](const Collective& move) { return dimensions_exist(move, after.rank()); };
  if (!std::all_of(moves.begin(), moves.end(), exist)) return "it names a dimension that is not there";
  Step s{before, step, after, after_standing, {}};
  if (!is_move(step.kind)) {
    if (after.mesh() != before.type.mesh()) return "it changes the mesh";
    if (auto fault = check_axes(step, after.mesh())) return fault;
    s.along = places(after.mesh(), step.axes);
    s.size = product_of_sizes(step.axes);
  }
  return check_kind(s);
}

Numbers received_bytes(const State& before, const Collective& step, const Holdings& after) {
  const bool has_groups = !is_move(step.kind);
  const std::int64_t size = has_groups ? product_of_sizes(step.axes) : 1;
  Numbers bytes;
  for (std::int64_t device = 0; device < after.devices(); ++device) {
    const std::int64_t place = has_groups ? place_of(before.type.mesh(), step.axes, device) : 0;
    bytes.push_back(received_elements(before.standing, step, after, device, size, place) *
                    bytes_of(before.type.element()));
  }
  return bytes;
}

Fault check_end(const State& state, const ArrayType& to) {
  const Holdings end(to);
  if (state.type.mesh() != to.mesh()) return "the end is on another mesh";
  if (state.type.layout().pending() != to.layout().pending() || state.type.layout().reduce() != to.layout().reduce()) {
    return "the end has another pending set";
  }
  for (std::size_t d = 0; d < end.extents.size(); ++d) {
    for (std::int64_t device = 0; device < end.devices(); ++device) {
      if (state.standing.interval(d, device) != end.interval(d, device))
        return "a device holds another tile in the end";
    }
  }
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
