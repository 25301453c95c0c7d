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

Fault wrong_unless(bool right, std::string why) { return right ? Fault{} : Fault{std::move(why)}; }

// ---- Effects on a layout ----

// The axes that an effect names, list by list; nothing where it leads to a target.
std::vector<AxisList> lists_of(const Slice& slice) {
  std::vector<AxisList> lists;
  for (const AxesAt& move : slice.moves) lists.push_back(move.axes);
  return lists;
}
std::vector<AxisList> lists_of(const AllGather& gather) { return lists_of(Slice{gather.moves}); }
std::vector<AxisList> lists_of(const AllToAll& all_to_all) {
  std::vector<AxisList> lists;
  for (const AxisMove& move : all_to_all.moves) lists.push_back(move.axes);
  return lists;
}
std::vector<AxisList> lists_of(const Permute&) { return {}; }
std::vector<AxisList> lists_of(const Exchange&) { return {}; }
std::vector<AxisList> lists_of(const ReduceScatter& scatter) {
  return scatter.cut.empty() ? std::vector<AxisList>{scatter.axes} : std::vector<AxisList>{scatter.axes, scatter.cut};
}
std::vector<AxisList> lists_of(const AllReduce& reduce) { return {reduce.axes}; }
std::vector<AxisList> lists_of(const Keep& keep) { return {keep.axes}; }

// Every list names axes of the mesh, and no two the same.
Fault check_axes(const std::vector<AxisList>& lists, const Mesh& mesh) {
  AxisList all;
  bool named = !lists.empty();
  for (const AxisList& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    named = named && !list.empty();
  }
  return wrong_unless(named && independent(mesh, all), "its axes are not those of the mesh");
}

// Do the dimensions exist that an effect names?
bool dimensions_exist(const std::vector<AxesAt>& moves, std::size_t rank) {
  return std::all_of(moves.begin(), moves.end(), [&](const AxesAt& move) { return move.dimension < rank; });
}
bool dimensions_exist(const Slice& slice, std::size_t rank) { return dimensions_exist(slice.moves, rank); }
bool dimensions_exist(const AllGather& gather, std::size_t rank) { return dimensions_exist(gather.moves, rank); }
bool dimensions_exist(const AllToAll& all_to_all, std::size_t rank) {
  return std::all_of(all_to_all.moves.begin(), all_to_all.moves.end(),
                     [&](const AxisMove& move) { return move.from < rank && move.to < rank; });
}
bool dimensions_exist(const Permute&, std::size_t) { return true; }
bool dimensions_exist(const Exchange&, std::size_t) { return true; }
bool dimensions_exist(const ReduceScatter& scatter, std::size_t rank) { return scatter.to < rank; }
bool dimensions_exist(const AllReduce&, std::size_t) { return true; }
bool dimensions_exist(const Keep& keep, std::size_t rank) { return !keep.from || *keep.from < rank; }

// Does the effect lead from the state to the type?
class EffectCheck {
 public:
  EffectCheck(const State& before, const Collective& step, const ArrayType& type, const Holdings& after)
      : before_(before), step_(step), type_(type), after_(after) {}

  Fault operator()(const Slice& slice) const {
    return check_moves(slice.moves, "a slice", [&](Holdings& standing, const AxesAt& move) {
      return standing.enter(move.dimension, type_.mesh(), move.axes);
    });
  }
  Fault operator()(const AllGather& gather) const {
    return check_moves(gather.moves, "an all_gather", [&](Holdings& standing, const AxesAt& move) {
      return standing.leave(move.dimension, type_.mesh(), move.axes);
    });
  }
  Fault operator()(const AllToAll& all_to_all) const {
    return check_moves(all_to_all.moves, "an all_to_all", [&](Holdings& standing, const AxisMove& move) {
      return move.from != move.to && standing.leave(move.from, type_.mesh(), move.axes) &&
             standing.enter(move.to, type_.mesh(), move.axes);
    });
  }

  Fault operator()(const Permute& permute) const {
    if (auto fault = check_target(permute.target)) return fault;
    bool same_tiles = same_mesh();
    for (std::size_t d = 0; same_tiles && d < start().extents.size(); ++d) same_tiles = start().cut_as(after_, d);
    return wrong_unless(same_tiles, "a permute changes the tiles");
  }
  Fault operator()(const Exchange& exchange) const {
    if (auto fault = check_target(exchange.target)) return fault;
    if (recipe_of<RelayRef>(step_) != nullptr && relay_of(step_) == nullptr)
      return "a relay does not say who sends what";
    return wrong_unless(same_mesh() || start().contributors == 1, "a pending array changes its mesh");
  }

  Fault operator()(const ReduceScatter& scatter) const {
    Holdings entered = start();
    const bool right = resolves(scatter.axes) && others_unmoved(start(), after_, {scatter.to}) &&
                       entered.enter(scatter.to, type_.mesh(), scatter.axes) &&
                       (scatter.cut.empty() || entered.enter(scatter.to, type_.mesh(), scatter.cut)) &&
                       unmoved(entered, after_, scatter.to);
    return wrong_unless(right, "a reduce_scatter does not give this type");
  }
  Fault operator()(const AllReduce& reduce) const {
    return wrong_unless(resolves(reduce.axes) && others_unmoved(start(), after_, {}),
                        "an all_reduce does not give this type");
  }
  Fault operator()(const Keep& keep) const {
    const std::int64_t size = product_of_sizes(keep.axes);
    const ReduceOp reduce = type_.layout().reduce();
    const bool same_operation = before_.type.layout().pending().empty() || before_.type.layout().reduce() == reduce;
    const bool operation_as_said = size == 1 || reduce == keep.reduce;
    Holdings left = start();
    const bool leaves = !keep.from || left.leave(*keep.from, type_.mesh(), keep.axes);
    const bool right = same_operation && operation_as_said && leaves && others_unmoved(left, after_, {}) &&
                       pending_joins(after_, start(), places(type_.mesh(), keep.axes), size);
    return wrong_unless(right, "a keep does not give this type");
  }

 private:
  const Holdings& start() const { return before_.standing; }
  bool same_mesh() const { return before_.type.mesh() == type_.mesh(); }
  bool keeps_pending() const { return same_pending(before_.type, type_) && pending_unmoved(start(), after_); }

  // The pending axes shrink by these.
  bool resolves(const AxisList& axes) const {
    const bool same_operation =
        type_.layout().pending().empty() || before_.type.layout().reduce() == type_.layout().reduce();
    return same_operation && pending_joins(start(), after_, places(type_.mesh(), axes), product_of_sizes(axes));
  }

  // Moves taken one after the other lead to the type; `take` says whether one may be taken.
  template <class Move, class Take>
  Fault check_moves(const std::vector<Move>& moves, std::string_view what, const Take& take) const {
    Fault fault = fmt::format("{} does not give this type", what);
    if (!keeps_pending()) return fault;
    Holdings standing = start();
    for (const Move& move : moves) {
      if (!take(standing, move)) return fault;
    }
    return others_unmoved(standing, after_, {}) ? Fault{} : fault;
  }

  Fault check_target(const ArrayType& target) const {
    if (!(target == type_)) return "its type is not its target";
    return wrong_unless(keeps_pending(), "it changes the pending set");
  }

  const State& before_;
  const Collective& step_;
  const ArrayType& type_;
  const Holdings& after_;
};

// ---- Bytes ----

std::int64_t owned(std::int64_t elements, std::int64_t size, std::int64_t place) {
  return part_begin(elements, size, place + 1) - part_begin(elements, size, place);
}

// Elements that a device receives.
std::int64_t received_elements(const State& before, const Collective& step, const Holdings& after,
                               std::int64_t device) {
  const std::int64_t tile = after.elements(device);
  if (const auto* scatter = std::get_if<ReduceScatter>(&step.effect))
    return tile * (product_of_sizes(scatter->axes) - 1);
  if (const auto* reduce = std::get_if<AllReduce>(&step.effect)) {
    const std::int64_t size = product_of_sizes(reduce->axes);
    const std::int64_t own = owned(tile, size, place_of(before.type.mesh(), reduce->axes, device));
    return own * (size - 1) + tile - own;
  }
  const bool stays = std::holds_alternative<Slice>(step.effect) || std::holds_alternative<Keep>(step.effect);
  return stays ? 0 : tile - held_elements(before.standing, after, device);
}

}  // namespace

std::vector<AxisList> named_axes(const Collective& step) {
  return std::visit([](const auto& effect) { return lists_of(effect); }, step.effect);
}

Fault check_step(const State& before, const Collective& step, const ArrayType& after, const Holdings& after_standing) {
  if (after.element() != before.type.element() || after.shape() != before.type.shape()) return "it changes the array";
  const bool is_exchange = std::holds_alternative<Exchange>(step.effect);
  if (round_of(step) != nullptr && !is_exchange) return "only an exchange is cut into rounds";
  if (recipe_of<RelayRef>(step) != nullptr && !is_exchange) return "only an exchange is relayed";
  if (round_of(step) != nullptr && round_of(step)->dimension >= after.rank())
    return "it names a dimension that is not there";
  const bool exist =
      std::visit([&](const auto& effect) { return dimensions_exist(effect, after.rank()); }, step.effect);
  if (!exist) return "it names a dimension that is not there";
  if (!is_exchange && !std::holds_alternative<Permute>(step.effect)) {
    if (after.mesh() != before.type.mesh()) return "it changes the mesh";
    if (auto fault = check_axes(named_axes(step), after.mesh())) return fault;
  }
  return std::visit(EffectCheck(before, step, after, after_standing), step.effect);
}

Numbers received_bytes(const State& before, const Collective& step, const Holdings& after) {
  Numbers bytes;
  for (std::int64_t device = 0; device < after.devices(); ++device)
    bytes.push_back(received_elements(before, step, after, device) * bytes_of(before.type.element()));
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
